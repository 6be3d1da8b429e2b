#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: every test that a page of doc/ names exists, and every case and layout in doc/TESTING.md has one
bad=0
tests=$(grep -ohE '(unit|live|seeds|client|runner|lang)/[A-Za-z0-9._-]+\.(sh|c|d)' "$SRC"/doc/*.md | sort -u)
[ "$(echo "$tests" | wc -l)" -gt 60 ] || {
	echo "few tests are named: $(echo "$tests" | wc -l)"
	bad=1
}
for t in $tests; do
	[ -f "$SRC/test/$t" ] || {
		echo "no test/$t"
		bad=1
	}
done
for case in 01 03 04 06 07 09 11 14 15 17 19 21 24 26 28 31 32; do
	[ "$(grep -cE "^\| B$case \| .* (live|lang)/" "$SRC/doc/TESTING.md")" = 1 ] || {
		echo "B$case: not one row with a test"
		bad=1
	}
done
sed -n '/^| layout | test/,/^$/p' "$SRC/doc/TESTING.md" | grep '^| ' | grep -vE '(unit|live|lang)/|layout' && bad=1
exit $bad
