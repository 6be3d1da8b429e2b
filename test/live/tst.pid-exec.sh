#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: a target that executes other programs: their functions and libraries have probes from the first instruction on
# @@needs: uprobe cc
# @@timeout: 120
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1
cat >lib.c <<'END'
int called(int x);
int __attribute__((noinline)) called(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
static void __attribute__((constructor)) start(void) { called(100); }
END
# chain N PROGRAM...: f(N), then executes the next of the list.
cat >chain.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int called(int x);
int f(int n);
int __attribute__((noinline)) f(int n) { __asm__ volatile("" : "+r"(n)); return n; }
#ifdef OTHER
int g(int n);
int __attribute__((noinline)) g(int n) { __asm__ volatile("" : "+r"(n)); return called(n); }
#endif
int main(int argc, char **argv)
{
	static char n[16];

	f(atoi(argv[1]));
#ifdef OTHER
	g(atoi(argv[1]));
#endif
	if (argc < 3)
		return 0;
	snprintf(n, sizeof(n), "%d", atoi(argv[1]) + 1);
	argv[1] = argv[2];
	argv[2] = n;
	return execv(argv[1], argv + 1);
}
END
${CC:-cc} -shared -fPIC -O1 -o libone.so lib.c &&
	${CC:-cc} -O1 -o one chain.c && ${CC:-cc} -O1 -DOTHER -o two chain.c ./libone.so || exit 1

lines() # WHAT WANT: in any order, for the process changes CPUs
{
	[ "$(LC_ALL=C sort out | grep -v '^$')" = "$2" ] || wrong "$1: got $(cat out)not $2; $(cat err)"
}

# one -> two -> two -> one -> true: each call once, whether its file is new, the same, or one that came before.
for _ in 1 2 3 4 5; do
	run "$DTRACE" -qn 'pid$target:a.out:f:entry { printf("f %d %s\n", arg0, execname); }' -c './one 1 ./two ./two ./one /bin/true'
	status 0
	err ''
	lines 'functions' 'f 1 one
f 2 two
f 3 two
f 4 one'
done
run "$DTRACE" -Zqn 'pid$target::g:return { printf("g %d %s\n", arg1, probemod); }
	pid$target:libone:called:entry { printf("called %d\n", arg0); }' -c './one 1 ./two ./one ./two'
status 0
err ''
lines 'library of the start' 'called 100
called 100
called 2
called 4
g 3 a.out
g 5 a.out'

# Nobody is left stopped; an offset that the other program lacks is no error; the counts are exact through a shell.
printf '#!/bin/sh\nexec ./one 7 ./two ./one\n' >script
chmod +x script
run "$DTRACE" -Zqn 'pid$target:a.out:f:0, pid$target:a.out:f:entry { @[execname, probename] = count(); }
	END { printa("%s %s %@d\n", @); }' -c ./script
status 0
err ''
lines 'through a shell' "one 0 2
one entry 2
two 0 1
two entry 1"

# A process that ran already is not stopped: the last of many is seen.
mkfifo in
sh -c 'read x; exec ./one 1 ./two /bin/sleep 100' <in &
pid=$!
exec 3>in
(until grep -q ready out 2>/dev/null; do sleep 0.1; done; echo go >&3) &
run timeout 60 "$DTRACE" -Zqn 'BEGIN { printf("ready\n"); } pid$target:libc:*nanosleep:entry { printf("%s\n", execname); exit(0); }' -p $pid
status 0
has_out '^sleep$'
kill $pid
finish
