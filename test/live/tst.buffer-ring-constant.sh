#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: under ring the consumer's memory does not grow and it does next to nothing, whatever is recorded
. "$SRC/test/lib/check.sh"
. "$SRC/test/lib/left.sh"
. "$SRC/test/lib/await.sh"
"$DTRACE" -q -x bufpolicy=ring -b 64k -x switchrate=1ms -o "$TMPDIR/trace" \
	-n 'syscall::getppid:entry { printf("%d %s\n", timestamp, execname); }' 2>"$TMPDIR/err" &
pid=$!
armed $pid 1 || wrong "$(cat "$TMPDIR/err")"
"$PROGS/syscalls" $ENDLESS >/dev/null &
load=$!
# Kilobytes of its own, exactly (VmRSS is a sum of counters of CPUs that are added up now and then; pages of files may go and
# come back), and clock ticks of the processor.
look()
{
	awk '/^(Anonymous|Swap):/ { kib += $2 } /^AnonHugePages:/ { kib -= $2 } END { print kib + 0 }' /proc/$pid/smaps_rollup
	sed 's/.*) //' /proc/$pid/stat | awk '{ print $12 + $13 }'
}
# A machine that takes the CPU away while dtrace has it has that counted as its time, too.
sleep 1
for _ in 1 2 3; do
	before=$(look)
	sleep 4
	after=$(look)
	echo $before $after | awk '{ exit $4 - $2 > 20 }' && break
done
[ -s "$TMPDIR/trace" ] && wrong "output before the end"
kill $load
kill -TERM $pid
wait $pid
echo $before $after | awk '{ exit !$1 || $3 > $1 + 64 || $4 - $2 > 20 }' || wrong "kilobytes and ticks: $before then $after"
awk 'NF { n++; if (NF < 2 || $1 !~ /^[0-9]+$/) bad++ } END { exit bad > 0 || n < 1000 }' "$TMPDIR/trace" ||
	wrong "$(tail -3 "$TMPDIR/trace")"
finish
