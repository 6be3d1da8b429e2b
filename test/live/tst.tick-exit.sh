#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: tick-100ms { exit(0); } ends the script, idle and busy, every time
# @@timeout: 300
. "$SRC/test/lib/await.sh"
runs=${RUNS:-10}
tries()
{
	n=0
	while [ $n -lt "$runs" ]; do
		n=$((n + 1))
		timeout 60 "$DTRACE" -qn 'tick-100ms { printf("x"); exit(0); }' -x statusrate=100ms >"$TMPDIR/out" || {
			echo "$1, run $n: status $?"
			exit 1
		}
		[ "$(tr -d '\n' <"$TMPDIR/out")" = x ] || {
			echo "$1, run $n: $(cat "$TMPDIR/out")"
			exit 1
		}
	done
	echo "$1: $n of $runs"
}
tries idle
pids=
for cpu in $(awk '/^processor/ { print $3 }' /proc/cpuinfo); do
	taskset -c "$cpu" "$PROGS/spin" $ENDLESS >/dev/null &
	pids="$pids $!"
done
tries busy
kill $pids
