#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: aggregations that other tracers got wrong
# @@timeout: 120
. "$SRC/test/lib/check.sh"

# Printing adds nothing, and what was printed is not printed again at the end.
run "$DTRACE" -qn 'BEGIN { @a["x"] = count(); @a["x"] = count(); printa("%s %@d\n", @a);
	printa("%s %@d\n", @a); printa("%s %@d\n", @a); exit(0); }'
status 0
err ''
out 'x 2
x 2
x 2
'

# A cleared distribution keeps its key.
run "$DTRACE" -q -x aggrate=10ms -x switchrate=10ms -n '
	BEGIN { @d["k"] = llquantize(250, 10, 0, 6, 20); n = 0; }
	tick-200ms { printa(@d); clear(@d); n++; }
	tick-200ms /n == 2/ { exit(0); }'
status 0
err ''
grep -c '^  k  *$' "$TMPDIR/out" | grep -qx 2 || wrong "not two keys: $(cat "$TMPDIR/out")"
awk '$1 == 250 { n = $3 } /@/ { bars++ } END { exit n != 1 || bars != 1 }' "$TMPDIR/out" ||
	wrong "not one count at 250: $(cat "$TMPDIR/out")"

# A table that is full is never silent: printed keys and drops are all there was.
run "$DTRACE" -q -x aggsize=64k -n 'profile-'$OFTEN' { @k[cpu, timestamp] = count(); @all = count(); }
	tick-3s { exit(0); } END { printa("ALL %@d\n", @all); printa("key %d %d %@d\n", @k); }'
status 0
cat "$TMPDIR/err" >>"$TMPDIR/out"
awk '/^ALL/ { all = $2 } /^key/ { n += $4 } /aggregation drop/ { n += $2 }
	END { print "ALL", all, "keys and drops", n; exit !(all > 0 && all == n) }' "$TMPDIR/out" ||
	wrong "$(grep -v ^key "$TMPDIR/out")"

# min and max over CPUs are signed.
run "$DTRACE" -qn 'profile-997 { @lo = min(100 + cpu); @hi = max(-5 - cpu); @c[cpu] = count(); }
	tick-1s { exit(0); } END { printa("MINMAX %@d %@d\n", @lo, @hi); printa("%d %@d\n", @c); }'
status 0
awk '/^MINMAX/ { lo = $2; hi = $3; next } NF == 2 && (least == "" || $1 < least) { least = $1 }
	END { exit lo != 100 + least || hi != -5 - least }' "$TMPDIR/out" || wrong "$(cat "$TMPDIR/out")"

# quantize keeps negatives, 0 and 1 apart.
run "$DTRACE" -qn 'BEGIN { @q = quantize(-5); @q = quantize(0); @q = quantize(1); @q = quantize(8);
	@q = quantize(7); exit(0); }'
status 0
[ "$(awk '/\|/ { printf "%s=%s ", $1, $NF }' "$TMPDIR/out")" = \
	"-8=0 -4=1 -2=0 -1=0 0=1 1=1 2=0 4=1 8=1 16=0 " ] || wrong "$(cat "$TMPDIR/out")"

# One aggregation, one shape.
run "$DTRACE" -qn 'BEGIN { @x[0] = lquantize(1, 0, 100, 10); @x[1] = lquantize(1, 0, 100, 20); }'
status 1
has_err 'step \(argument #3\).*expected 10, found 20'
run "$DTRACE" -qn 'BEGIN { @x = count(); @x = sum(1); }'
status 1
has_err 'aggregation redefined: @x'

# Two string keys at defaults.
run "$DTRACE" -qn 'syscall:::entry { @sc[execname, probefunc] = count(); } tick-1s { exit(0); }'
status 0
err ''
has_out '^  .*  [a-z].* [0-9]+$'
finish
