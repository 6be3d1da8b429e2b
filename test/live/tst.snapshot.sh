#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: SIGUSR1 and snapshot() print what a ring holds while it goes on; nothing is lost or torn by it
# @@timeout: 120
. "$SRC/test/lib/check.sh"
. "$SRC/test/lib/left.sh"
. "$SRC/test/lib/await.sh"

# Two CPUs record as fast as they can. In every part (a snapshot, or the end) the times of each CPU grow and there are
# as many as the ring holds, whole; but for those before the load was on every CPU and had filled the rings.
"$DTRACE" -x bufpolicy=ring -b 4k -n 'syscall::getppid:entry { printf("%d %d", timestamp, timestamp * 2); }' \
	-o "$TMPDIR/trace" 2>"$TMPDIR/err" &
pid=$!
armed $pid 1 || wrong "not armed: $(cat "$TMPDIR/err")"
"$PROGS/syscalls" $ENDLESS >/dev/null &
load=$!
look()
{
	awk -v cpus="$(getconf _NPROCESSORS_ONLN)" '
		function part() { few = n != cpus
			for (c in lines) if (lines[c] < 4096 / 24 - 1) few = 1
			if (!few) full++
			else if (full) { print "part " parts " is not full"; bad++ }
			n = 0; split("", lines); split("", last) }
		/^CPU/ { if (parts++) part(); next }
		NF == 5 {
			if (!lines[$1]++) n++
			if ($4 + 0 <= last[$1] + 0) { print "order: " $0; bad++ }
			last[$1] = $4
			if ($4 * 2 != $5) { print "torn: " $0; bad++ }
		}
		END { part(); print parts " parts, full " full; exit bad > 0 || full < 5 }' "$TMPDIR/trace"
}
six_full()
{
	kill -USR1 $pid
	[ "$(look | sed -n 's/.*full //p')" -ge 6 ]
}
await six_full
kill -TERM $pid
wait $pid
kill $load
look || wrong "snapshots: $(head -20 "$TMPDIR/trace")"

# The action; the consumer's actions are carried out once, at the end.
run "$DTRACE" -q -x bufpolicy=ring -x statusrate=20ms -b 1k -n '
	BEGIN { @["x"] = count(); printa("agg %s %@d\n", @); printf("b\n"); }
	tick-50ms { n++; printf("%d\n", n); } tick-50ms /n == 5/ { snapshot(); } tick-50ms /n == 45/ { exit(3); }'
status 3
# The consumer sees it a little after the fifth, or later.
awk '/^b$/ { part++; next } /^agg x 1$/ { aggs++; if (part != 1) bad++; next }
	NF { if ($1 != ++n[part]) bad++ }
	END { exit bad > 0 || part != 2 || aggs != 1 || n[1] < 5 || n[2] != 45 }' "$TMPDIR/out" || wrong "$(cat "$TMPDIR/out")"
# It wakes the consumer, which checks the status every 10 s only: many times in one check's time. A call in each firing is
# answered as often as the consumer can.
"$DTRACE" -q -x bufpolicy=ring -x statusrate=10s -b 1k -o "$TMPDIR/woken" -n '
	tick-20ms { n++; printf("%d\n", n); snapshot(); } syscall::getppid:entry { snapshot(); }' 2>"$TMPDIR/err" &
pid=$!
armed $pid 1 || wrong "not armed: $(cat "$TMPDIR/err")"
"$PROGS/syscalls" $ENDLESS >/dev/null &
load=$!
await lines "$TMPDIR/woken" 2000 || wrong "$(wc -l <"$TMPDIR/woken") lines"
kill -TERM $pid
wait $pid || wrong "status $?"
kill $load
[ ! -s "$TMPDIR/err" ] || wrong "$(cat "$TMPDIR/err")"
awk 'NF { if (n && $1 != n + 1) parts++; n = $1 } END { print parts " parts, up to " n
	exit !(parts > 10) }' "$TMPDIR/woken" || wrong "parts"

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
run "$DTRACE" -q -x bufpolicy=fill -x statusrate=20ms -n 'BEGIN { printf("b\n"); snapshot(); } tick-3s { exit(0); }'
out 'b
'
err 'dtrace: no snapshot: fill buffers are read when tracing has ended'
finish
