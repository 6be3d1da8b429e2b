#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: pid$target: fast children, missing probes, -p, forks, the point where a command is held
# @@needs: uprobe cc
# @@timeout: 120
. "$SRC/test/lib/await.sh"
fault=0
fail()
{
	echo "$*"
	fault=1
}

# A child that ends at once: exactly one firing, every time (B31).
for _ in $(seq "${RUNS:-40}"); do
	got=$("$DTRACE" -qn 'pid$target:a.out:f:entry { printf("hit %d\n", pid == $target); }' -c "$PROGS/short" 2>&1) ||
		fail "status $?"
	[ "$got" = "hit 1" ] || fail "fast child: $got"
done
got=$("$DTRACE" -n 'pid$target:a.out:nosuch:entry { }' -c "$PROGS/short" 2>&1) && fail "missing probe: status 0"
case $got in
*"pid"*":a.out:nosuch:entry does not match any probes"*) ;;
*) fail "missing probe: $got" ;;
esac

# A process that runs already; its fork is another process.
cat >"$TMPDIR/forks.c" <<'END'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
void go(int who);
void __attribute__((noinline)) go(int who) { __asm__ volatile("" : : "r"(who)); }
int main(void)
{
	getchar();
	if (fork() == 0) {
		go(2);
		_exit(0);
	}
	wait(NULL);
	go(1);
	return 0;
}
END
${CC:-cc} -O1 -o "$TMPDIR/forks" "$TMPDIR/forks.c" || fail "not compiled"
mkfifo "$TMPDIR/in"
"$TMPDIR/forks" <"$TMPDIR/in" &
pid=$!
exec 3>"$TMPDIR/in"
await waiting $pid
"$DTRACE" -qn 'BEGIN { printf("ready\n"); } pid$target:a.out:go:entry { printf("go %d\n", arg0); }' -p $pid \
	>"$TMPDIR/out" 2>&1 3>&- &
dt=$!
await has "$TMPDIR/out" ready
exec 3>&-
wait $dt || fail "-p: status $?"
wait $pid
[ "$(xargs <"$TMPDIR/out")" = "ready go 1" ] || fail "-p: $(cat "$TMPDIR/out")"

# evaltime: a constructor is seen from preinit on; a stripped program is held before main too.
cat >"$TMPDIR/ctor.c" <<'END'
#include <unistd.h>
static void __attribute__((constructor)) init(void) { if (write(2, "", 0)) {} }
int main(void) { return write(2, "", 0); }
END
${CC:-cc} -O1 -o "$TMPDIR/ctor" "$TMPDIR/ctor.c" && ${CC:-cc} -O1 -s -o "$TMPDIR/stripped" "$TMPDIR/ctor.c" ||
	fail "not compiled"
for case in exec:2 preinit:2 postinit:1 main:1; do
	for prog in ctor stripped; do
		got=$("$DTRACE" -qZ -x evaltime=${case%:*} -n 'pid$target:a.out:nosuch:entry { }
			syscall::write:entry /pid == $target/ { @ = count(); } END { printa("%@d", @); }' \
			-c "$TMPDIR/$prog" 2>&1)
		[ "$got" = "${case#*:}" ] || fail "$prog held at ${case%:*}: $got"
	done
done
got=$("$DTRACE" -qn 'pid$target:libc:write:entry { @ = count(); } END { printa("%@d", @); }' -c "$TMPDIR/ctor" 2>&1)
[ "$got" = 1 ] || fail "library of the start: $got"
exit $fault
