#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: doc/buffering-requirements.md has B1 to B95, and every test that it names exists
doc=$SRC/doc/buffering-requirements.md
bad=0
n=1
while [ $n -le 95 ]; do
	[ "$(grep -c "^| B$n |" "$doc")" = 1 ] || {
		echo "B$n: $(grep -c "^| B$n |" "$doc") rows"
		bad=1
	}
	n=$((n + 1))
done
tests=$(grep -oE '(unit|live|seeds|client|runner|lang)/[A-Za-z0-9._-]+\.(sh|c|d)' "$doc" | sort -u)
[ "$(echo "$tests" | wc -l)" -gt 20 ] || bad=1
for t in $tests; do
	[ -f "$SRC/test/$t" ] || {
		echo "no test/$t"
		bad=1
	}
done
# A row without a test says why at some length.
grep '^| B' "$doc" | grep -vE '(unit|live|seeds|client)/' && bad=1
exit $bad
