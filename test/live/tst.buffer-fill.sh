#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: fill: the first records, without a gap; nothing before the end; END once, in the space kept for it
. "$SRC/test/lib/check.sh"
D='syscall::getppid:entry /pid == $target/ { printf("%d\n", n++); }'
run "$DTRACE" -q -b 1600 -x bufpolicy=fill -n "$D" -n 'END { printf("end %d\n", n); }' -c "taskset -c 0 $PROGS/spin 100000"
status 0
no_err drop
# 1600 bytes, 16 of them for END: an int.
awk '/^[0-9]+$/ { if ($1 != n) bad++; n++; if (ended) bad++ } /^end/ { ended++ } END { exit bad > 0 || n != 99 || ended != 1 }' \
	"$TMPDIR/out" || wrong "$(tail -3 "$TMPDIR/out")"
# It ended by itself, before the child did.
run "$DTRACE" -b 1600 -x bufpolicy=fill -x statusrate=50ms -n "$D" -c "$PROGS/spin 100000000"
status 0
no_err 'has exited'
# Nothing is shown while it is not full: 50 records of 256 that fit.
echo "$PROGS/spin 50; echo >$TMPDIR/called; exec sleep 1000" >"$TMPDIR/fifty"
"$DTRACE" -q -b 4k -x bufpolicy=fill -x switchrate=20ms -x statusrate=20ms -o "$TMPDIR/trace" \
	-n 'syscall::getppid:entry /progenyof($target) && pid != $target/ { printf("%d\n", n++); }' \
	-c "sh $TMPDIR/fifty" 2>"$TMPDIR/err" &
pid=$!
until [ -e "$TMPDIR/called" ] || ! kill -0 $pid 2>/dev/null; do
	sleep 0.05
done
sleep 0.2
[ -s "$TMPDIR/trace" ] && wrong "early: $(cat "$TMPDIR/trace")"
kill -TERM $pid
wait $pid
[ "$(grep -c . "$TMPDIR/trace")" = 50 ] || wrong "$(cat "$TMPDIR/trace" "$TMPDIR/err")"
# The imitation with a variable and exit() may drop.
run "$DTRACE" -b 1k -x switchrate=2s -x statusrate=50ms -n 'syscall::getppid:entry /pid == $target/ { n++; trace(timestamp); }
	syscall::getppid:entry /pid == $target/ { m++; } tick-20ms /m >= 1000/ { exit(0); }' -c "$PROGS/spin 100000"
has_err 'drops on CPU'
# END fires on one CPU, once, under every policy.
for policy in switch fill ring; do
	run "$DTRACE" -q -x bufpolicy=$policy -n 'BEGIN { exit(0); } END { printf("end\n"); }'
	out 'end
'
done
finish
