#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: doc/buffering-requirements.md has B1 to B95, each once and with a test, or the reason why there is none
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
# A row without a test says why at some length.
grep '^| B' "$doc" | grep -vE '(unit|live|seeds|client)/' && bad=1
exit $bad
