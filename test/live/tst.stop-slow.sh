#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: tracing ends while a program is in a buffer for more than a second: it is waited for, nothing is lost, and the account is whole
# @@needs: cpus:2
# @@timeout: 120
. "$SRC/test/lib/check.sh"
# D that searches a string of half a megabyte
start()
{
	echo 'string s; int x; BEGIN { s = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; }'
	for _ in $(seq 14); do echo 'BEGIN { s = strjoin(s, s); }'; done
}
search()
{
	for _ in $(seq "$1"); do echo 'x += index(s, "b");'; done
}
{
	start
	echo 'syscall::getppid:entry /pid == $target && cpu == 0/ { t = timestamp;' "$(search 10)" '}'
	echo 'syscall::getppid:return /pid == $target && cpu == 0 && t/ { printf("one %d", (timestamp - t) / 10); exit(0); }'
} >"$TMPDIR/s.d"
run "$DTRACE" -q -o "$TMPDIR/trace" -x strsize=1050k -s "$TMPDIR/s.d" -c "$PROGS/syscalls 1"
one=$(sed -n 's/^one //p' "$TMPDIR/trace")
[ -n "$one" ] || wrong "not measured: $(cat "$TMPDIR/trace" "$TMPDIR/err")"
n=$((3000000000 / (one + 1) + 1))
[ $n -lt 1500 ] || n=1500

for what in 'slowend trace("slow");' 'end11 @ = count(); @sum = sum(1);' 'end '; do
	want=${what%% *}
	{
		start
		echo 'syscall::getppid:entry /pid == $target && cpu == 0 && !done/ { done = 1;' "${what#* }" "$(search $n)" '}'
		echo 'tick-100ms /done/ { exit(0); } END { trace("end"); }'
	} >"$TMPDIR/s.d"
	rm -f "$TMPDIR/trace"
	run "$DTRACE" -q -o "$TMPDIR/trace" -x accounting -x strsize=1050k -s "$TMPDIR/s.d" -c "$PROGS/syscalls 1"
	ran="$n searches: $what"
	status 0
	told=$(tr -d ' \n' <"$TMPDIR/trace")
	[ "$told" = "$want" ] || wrong "$told, not $want: $(cat "$TMPDIR/err")"
	balanced
done
finish
