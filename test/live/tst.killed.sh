#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: after kill -9 in full load no program, link or map of ours is left
# @@needs: cmd:bpftool
# @@timeout: 120
. "$SRC/test/lib/left.sh"
. "$SRC/test/lib/await.sh"
taskset -c 0 "$PROGS/spin" $ENDLESS >/dev/null &
load=$!
"$DTRACE" -qn 'syscall:::entry { trace(timestamp); @[execname, probefunc] = count(); } profile-997 { @p = count(); }' \
	-x switchrate=1ms -o /dev/null 2>"$TMPDIR/err" &
dtrace=$!
armed $dtrace 2 || {
	kill $load $dtrace
	cat "$TMPDIR/err"
	exit 1
}
kill -9 $dtrace
wait $dtrace
kill $load
gone $dtrace
