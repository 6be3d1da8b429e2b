#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: an id can be used again at once where it was committed or discarded on its CPU; else after the cleaner, and is busy until then
# @@timeout: 120
. "$SRC/test/lib/check.sh"
run "$DTRACE" -q -n '
	BEGIN { s = speculation(); } BEGIN { speculate(s); printf("a%d ", s); } BEGIN { commit(s); }
	BEGIN { s = speculation(); } BEGIN { speculate(s); printf("b%d ", s); } BEGIN { discard(s); }
	BEGIN { s = speculation(); } BEGIN { speculate(s); printf("c%d ", s); } BEGIN { commit(s); commit(s); }
	BEGIN { exit(0); }'
out 'a1 c1 '
err ''
# discard() of what has no data, and the cleaner never comes: busy
run "$DTRACE" -q -x cleanrate=60s -x droptags -n '
	BEGIN { discard(speculation()); } BEGIN { printf("%d", speculation()); exit(0); }'
out 0
err 'dtrace: [DTRACEDROP_SPECBUSY] 1 failed speculation (available buffer(s) still busy)'
# it comes a hundred times a second
run "$DTRACE" -q -x statusrate=10ms -n '
	BEGIN { discard(speculation()); }
	tick-10ms { s = speculation(); n++; } tick-10ms /s || n == 500/ { printf("%d", s); exit(0); }'
out 1
# cleanrate out of its range
run "$DTRACE" -q -x cleanrate=100000hz -n 'BEGIN { exit(0); }'
err 'dtrace: cleaning rate reduced to 5000 hz'
run "$DTRACE" -q -x cleanrate=1h -n 'BEGIN { exit(0); }'
err 'dtrace: cleaning rate increased to once every 60 seconds'
finish
