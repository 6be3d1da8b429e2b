#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: drops: place in the output, singular and plural, tags; they do not change the status but with strictdrops
. "$SRC/test/lib/check.sh"

# Three records fit, and exit(); the report stands behind what that CPU recorded, also with -q.
D='BEGIN { trace(timestamp); } BEGIN { trace(timestamp); } BEGIN { trace(timestamp); } BEGIN { trace(timestamp); }'
run sh -c '"$DTRACE" -qb 56 -n "$1 BEGIN { exit(3); }" 2>&1' sh "$D"
status 3
[ "$(tail -n +1 "$TMPDIR/out" | grep -n drop | cut -c1-2)" = 1: ] || wrong "place: $(cat "$TMPDIR/out")"
grep -Eqx '[ 0-9]+dtrace: 1 drop on CPU [0-9]+' "$TMPDIR/out" || wrong "drop: $(cat "$TMPDIR/out")"
run "$DTRACE" -qb 56 -x droptags -n "$D $D BEGIN { exit(3); }"
status 3
has_err '^dtrace: \[DTRACEDROP_PRINCIPAL\] 5 drops on CPU [0-9]+$'
run "$DTRACE" -qb 56 -x strictdrops -n "$D BEGIN { exit(3); }"
status 4
run "$DTRACE" -qb 480 -x strictdrops -n "$D BEGIN { exit(3); }"
status 3
err ''
# In a script, and for other kinds.
cat >"$TMPDIR/s.d" <<'EOD'
#pragma D option strictdrops
#pragma D option dynvarsize=64
#pragma D option quiet
BEGIN { a[1] = 1; a[2] = 1; exit(0); }
EOD
run "$DTRACE" -s "$TMPDIR/s.d"
status 4
err 'dtrace: 1 dynamic variable drop'
# Several reports of one kind: each says what came since the last one, so that they add up. exit() may be dropped too.
run "$DTRACE" -qb 16 -x switchrate=20ms -x statusrate=20ms -n 'long n, t; tick-100ms /n < 30/ { printf("%d\n", t); }
	tick-100ms /n < 30/ { printf("%d\n", t); } tick-100ms { n++; } tick-100ms /n > 30/ { @exits = count(); }
	tick-100ms /n > 30/ { exit(0); }'
awk 'NR == FNR { if (/^0$/) shown++; else if (NF) exits = $1; next } / drops? on CPU / { drops += $2; reports++ }
	END { print shown, drops, exits, reports; exit shown + drops != 60 + exits - 1 || reports < 2 }' \
	"$TMPDIR/out" "$TMPDIR/err" >"$TMPDIR/sums" || wrong "not 60, or one report: $(cat "$TMPDIR/sums" "$TMPDIR/err")"
finish
