#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: libraries that a process maps while it is traced: by dlopen, from a thread, at its start, in a process of -p
# @@needs: uprobe cc
. "$SRC/test/lib/await.sh"
fault=0
cat >"$TMPDIR/lib.c" <<'END'
int called(int x);
int __attribute__((noinline)) called(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
static void __attribute__((constructor)) start(void) { called(100); }
END
cat >"$TMPDIR/prog.c" <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void *run(void *path)
{
	void *h = dlopen(path, RTLD_NOW);
	int (*f)(int) = h ? (int (*)(int))dlsym(h, "called") : NULL;

	if (!f)
		exit(9);
	for (int i = 0; i < 3; i++)
		f(i);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t;

	if (argc > 3) {
		getchar();
		run(argv[1]);
		void *h = dlopen(argv[1], RTLD_NOW);
		for (;; usleep(1000))
			((int (*)(int))dlsym(h, "called"))(77);
	}
	run(argv[1]);
	pthread_create(&t, NULL, run, argv[2]);
	pthread_join(t, NULL);
	return 0;
}
END
${CC:-cc} -shared -fPIC -O1 -o "$TMPDIR/libone.so" "$TMPDIR/lib.c" && cp "$TMPDIR/libone.so" "$TMPDIR/libtwo.so" &&
	${CC:-cc} -O1 -o "$TMPDIR/prog" "$TMPDIR/prog.c" -ldl -lpthread &&
	${CC:-cc} -O1 -o "$TMPDIR/linked" -x c - -x none "$TMPDIR/libone.so" -Wl,-rpath,"$TMPDIR" <<'END' || exit 1
int called(int x);
int main(void) { return called(5) - 6; }
END

same() # WHAT WANT: lines in any order, for the process changes CPUs
{
	if [ "$(LC_ALL=C sort "$TMPDIR/out" | xargs)" != "$2" ]; then
		printf '%s: got\n%s\nnot\n%s\n' "$1" "$(cat "$TMPDIR/out")" "$2"
		fault=1
	fi
}

# Not one call is missed, from the constructor on; twice, because the second library comes to what the first made.
"$DTRACE" -Zqn 'pid$target:libone:called:entry, pid$target:libtwo:called:entry { printf("%s %d\n", probemod, arg0); }
	pid$target:libtwo:called:return { @[probemod, probefunc] = sum(arg1); } END { printa("%s %s %@d", @); }' \
	-c "$TMPDIR/prog $TMPDIR/libone.so $TMPDIR/libtwo.so" >"$TMPDIR/out" 2>&1 || { echo "status $?"; fault=1; }
same dlopen "libone.so 0 libone.so 1 libone.so 100 libone.so 2 libtwo.so 0 libtwo.so 1 libtwo.so 100 libtwo.so 2 libtwo.so called 107"

# A library of the start, of a program held at its first instruction.
"$DTRACE" -Zqn 'pid$target:libone:called:entry { printf("%d\n", arg0); }' -x evaltime=exec -c "$TMPDIR/linked" \
	>"$TMPDIR/out" 2>&1
same exec "100 5"

# A process that ran already is not stopped: it goes on calling until it is seen.
mkfifo "$TMPDIR/in"
"$TMPDIR/prog" "$TMPDIR/libone.so" x x <"$TMPDIR/in" &
pid=$!
exec 3>"$TMPDIR/in"
await waiting $pid
"$DTRACE" -Zqn 'BEGIN { printf("ready\n"); } pid$target:libone:called:entry /arg0 == 77/ { printf("%d\n", arg0); exit(0); }' -p $pid \
	>"$TMPDIR/out" 2>&1 3>&- &
dt=$!
await has "$TMPDIR/out" ready
exec 3>&-
wait $dt
kill $pid
wait $pid
same -p "77 ready"
exit $fault
