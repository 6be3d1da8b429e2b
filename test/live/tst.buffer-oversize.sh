#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: a record larger than the buffer never appears, under any policy; exit() under each of them
. "$SRC/test/lib/check.sh"
D='BEGIN { trace(execname); } BEGIN { printf("small\n"); } tick-50ms { exit(3); }'
run "$DTRACE" -q -b 64 -x strsize=256 -n "$D"
status 3
out 'small
'
has_err '^dtrace: 1 drop on CPU [0-9]+$'
run "$DTRACE" -q -b 64 -x strsize=256 -x bufpolicy=ring -n "$D"
status 3
out 'small
'
has_err '^dtrace: 1 drop on CPU [0-9]+$'
# fill: that fills the buffer, which ends tracing; nothing after it, even what would fit; not a drop. That the buffer is full
# is seen at the next status check, and another CPU has a buffer of its own: exit() comes far behind.
run "$DTRACE" -q -b 64 -x strsize=256 -x bufpolicy=fill -n "${D%tick-50ms*}tick-30s { exit(3); }"
status 0
[ -z "$(cat "$TMPDIR/out")" ] || wrong "$(cat "$TMPDIR/out")"
err ''
run "$DTRACE" -q -b 320 -x strsize=256 -x bufpolicy=fill -n 'BEGIN { printf("1\n"); printf("2\n"); }
	BEGIN { trace(timestamp); printf("\n"); } BEGIN { trace(timestamp); printf("\n"); } BEGIN { trace(timestamp); printf("\n"); }
	BEGIN { printf("%s\n", execname); } BEGIN { printf("3\n"); } tick-1s { printf("4\n"); exit(9); } END { printf("end\n"); }'
status 0
[ "$(grep -c '^[0-9][0-9]*$' "$TMPDIR/out")" = 5 ] && grep -qx end "$TMPDIR/out" || wrong "$(cat "$TMPDIR/out")"
! grep -Eqx '3|4' "$TMPDIR/out" || wrong "after the full buffer: $(cat "$TMPDIR/out")"

# exit(): the first one wins, later clauses do not run, its own does; END follows.
for policy in switch fill ring; do
	run "$DTRACE" -q -x bufpolicy=$policy -n 'tick-20ms { exit(5); printf("rest\n"); } tick-20ms { exit(6); printf("no\n"); }
		tick-1s { printf("no\n"); } END { printf("end\n"); }' -x statusrate=200ms
	status 5
	out 'rest
end
'
	# BEGIN: nothing else fires.
	run "$DTRACE" -q -x bufpolicy=$policy -n 'BEGIN { exit(1); } BEGIN { printf("no\n"); } syscall:::entry { printf("no\n"); }
		END { printf("end\n"); exit(8); }'
	status 8
	out 'end
'
done
# No room for the exit record: switch tries again at the next firing, fill ends by being full.
run "$DTRACE" -q -b 16 -x cpu=0 -x switchrate=200ms -x statusrate=50ms -n 'tick-20ms { n++; }
	tick-20ms /n < 12/ { trace(timestamp); } tick-20ms { exit(4); }'
status 4
has_err 'drops? on CPU'
run "$DTRACE" -q -b 16 -x bufpolicy=fill -x cpu=0 -x statusrate=50ms -n 'BEGIN { trace(timestamp); } tick-20ms { exit(4); }'
status 0
err ''
finish
