#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: SIGUSR1 and snapshot() print what a ring holds while it goes on; nothing is lost or torn by it
# @@timeout: 60
. "$SRC/test/lib/check.sh"
. "$SRC/test/lib/left.sh"

# Two CPUs record as fast as they can. In every part (a snapshot, or the end) the times of each CPU grow and there are
# as many as the ring holds, whole.
"$DTRACE" -x bufpolicy=ring -b 4k -n 'syscall::getppid:entry { printf("%d %d", timestamp, timestamp * 2); }' \
	-o "$TMPDIR/trace" 2>"$TMPDIR/err" &
pid=$!
armed $pid 1 || wrong "not armed: $(cat "$TMPDIR/err")"
"$PROGS/syscalls" 100000000 >/dev/null &
load=$!
for i in 1 2 3 4 5 6 7 8; do
	sleep 0.1
	kill -USR1 $pid
done
sleep 0.1
kill -TERM $pid
wait $pid
kill $load
awk -v cpus="$(nproc)" '
	function part() { if (n != cpus) { print "part " parts ": CPUs " n; bad++ }
		for (c in lines) if (lines[c] < 4096 / 24 - 1) { print "part " parts " CPU " c ": " lines[c]; bad++ }
		n = 0; split("", lines); split("", last) }
	/^CPU/ { if (parts++) part(); next }
	NF == 5 {
		if (!lines[$1]++) n++
		if ($4 + 0 <= last[$1] + 0) { print "order: " $0; bad++ }
		last[$1] = $4
		if ($4 * 2 != $5) { print "torn: " $0; bad++ }
	}
	END { part(); print parts " parts"; exit bad > 0 || parts < 5 }' "$TMPDIR/trace" ||
	wrong "snapshots: $(head -20 "$TMPDIR/trace")"

# The action; the consumer's actions are carried out once, at the end.
run "$DTRACE" -q -x bufpolicy=ring -x statusrate=20ms -b 1k -n '
	BEGIN { @["x"] = count(); printa("agg %s %@d\n", @); printf("b\n"); }
	tick-50ms { n++; printf("%d\n", n); } tick-50ms /n == 5/ { snapshot(); } tick-50ms /n == 15/ { exit(3); }'
status 3
out 'b
1
2
3
4
5
agg x 1
b
1
2
3
4
5
6
7
8
9
10
11
12
13
14
15
'
# A clause of snapshot() alone records nothing; -F and the header begin anew each time.
run "$DTRACE" -x bufpolicy=ring -x statusrate=20ms -n 'BEGIN { snapshot(); } tick-200ms { exit(0); }'
has_out 'tick-200ms'
[ "$(grep -c BEGIN "$TMPDIR/out")" = 0 ] || wrong "BEGIN: $(cat "$TMPDIR/out")"

# switch: what there is, at once. fill: at the end only.
run "$DTRACE" -q -x switchrate=20s -x statusrate=20ms -n 'BEGIN { printf("b\n"); snapshot(); }
	tick-400ms { printf("t\n"); exit(0); }'
out 'b
t
'
run "$DTRACE" -q -x bufpolicy=fill -x statusrate=20ms -n 'BEGIN { printf("b\n"); snapshot(); } tick-200ms { exit(0); }'
out 'b
'
err 'dtrace: no snapshot: fill buffers are read when tracing has ended'
finish
