#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: tiny rings written by programs that interrupt each other: no record is torn, none out of order
# @@timeout: 300
. "$SRC/test/lib/check.sh"
. "$SRC/test/lib/left.sh"
. "$SRC/test/lib/await.sh"
# What was printed, from 60 snapshots on.
enough()
{
	kill -USR1 $pid
	i=$((i + 1))
	[ $i -gt 60 ] && lines "$TMPDIR/trace" 100
}
for size in 64 200 1k; do
	rm -f "$TMPDIR/trace"
	"$DTRACE" -q -x bufpolicy=ring -b $size -o "$TMPDIR/trace" -n '
		syscall::getppid:entry { printf("%d %d %d %d\n", cpu, timestamp, timestamp * 2, 1); }
		profile-'$OFTEN' { printf("%d %d %d %d\n", cpu, timestamp, timestamp * 2, 2); }' 2>"$TMPDIR/err" &
	pid=$!
	armed $pid 2 || wrong "not armed: $(cat "$TMPDIR/err")"
	"$PROGS/syscalls" $ENDLESS >/dev/null &
	load=$!
	i=0
	await enough || wrong "no 100 records"
	kill -TERM $pid
	wait $pid
	kill $load
	awk 'NF { n++; if (NF != 4 || $2 * 2 != $3) { print "torn: " $0; bad++ } } END { print n; exit bad > 0 || n < 100 }' \
		"$TMPDIR/trace" || wrong "$size: $(cat "$TMPDIR/err")"
	no_err 'impossible|does not fit'
done
finish
