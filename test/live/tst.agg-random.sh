#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: random values in every aggregating function print as an independent model says
# @@timeout: 120
for run in 1 2 3 4 5 6 7 8; do
	seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
	python3 "$TESTDIR/agg_random.py" "$seed" "$TMPDIR/random.d" "$TMPDIR/want" || exit 1
	"$DTRACE" -s "$TMPDIR/random.d" >"$TMPDIR/got" || exit 1
	diff -u "$TMPDIR/want" "$TMPDIR/got" && continue
	echo "seed $seed"
	exit 1
done
