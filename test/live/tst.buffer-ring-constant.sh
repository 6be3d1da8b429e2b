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
# Resident kilobytes, and clock ticks of the processor.
look()
{
	awk '/^VmRSS/ { print $2 }' /proc/$pid/status
	sed 's/.*) //' /proc/$pid/stat | awk '{ print $12 + $13 }'
}
sleep 1
before=$(look)
sleep 4
after=$(look)
[ -s "$TMPDIR/trace" ] && wrong "output before the end"
kill $load
kill -TERM $pid
wait $pid
echo $before $after | awk '{ exit $3 > $1 + 64 || $4 - $2 > 20 }' || wrong "kilobytes and ticks: $before then $after"
awk 'NF { n++; if (NF != 2) bad++ } END { exit bad > 0 || n < 1000 }' "$TMPDIR/trace" ||
	wrong "$(tail -3 "$TMPDIR/trace")"
finish
