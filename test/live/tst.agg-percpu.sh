#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: -x aggpercpu: behind each total the value of every CPU, which add up to it
. "$SRC/test/lib/check.sh"
run "$DTRACE" -q -x aggpercpu -n 'profile-499 { @n = count(); @k["key"] = sum(2); @c = count(); @gone = sum(1); }
	tick-500ms { clear(@gone); } tick-1s { exit(0); } END { printa(@n); printa("by format %@d\n", @c); }'
status 0
[ "$(grep -c '\[CPU' "$TMPDIR/out")" = $((3 * $(getconf _NPROCESSORS_ONLN))) ] || wrong "not each CPU: $(cat "$TMPDIR/out")"
awk '/\[CPU/ { sum += $3; next } /^by/ { next } NF { if (seen++ && sum != total) bad = 1; total = $NF; sum = 0 }
	END { exit bad || sum != total || seen != 3 }' "$TMPDIR/out" || wrong "do not add up: $(cat "$TMPDIR/out")"
grep -Eq '^    \[CPU 0\] {1,16}[0-9]+$' "$TMPDIR/out" || wrong "layout: $(cat "$TMPDIR/out")"

run "$DTRACE" -q -x aggpercpu -n 'BEGIN { @q["k"] = quantize(3); exit(0); }'
status 0
has_out '^    \[CPU [0-9]+\]$'
[ "$(grep -c Distribution "$TMPDIR/out")" = $((1 + $(getconf _NPROCESSORS_ONLN))) ] || wrong "$(cat "$TMPDIR/out")"
finish
