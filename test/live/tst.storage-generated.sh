#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: made-up programs that assign to variables of every class and to parts of them leave in them what a model says
# @@needs: root bpf
# @@timeout: 180
for seed in $(seq 1 "${SEEDS:-8}"); do
	python3 "$TESTDIR/storage_gen.py" "$seed" 12 "$TMPDIR/p.d" "$TMPDIR/want" || exit 1
	"$DTRACE" -qs "$TMPDIR/p.d" >"$TMPDIR/got" 2>"$TMPDIR/err"
	status=$?
	[ $status = 0 ] && [ ! -s "$TMPDIR/err" ] && cmp -s "$TMPDIR/want" "$TMPDIR/got" && continue
	echo "seed $seed: status $status"
	head -3 "$TMPDIR/err"
	diff "$TMPDIR/want" "$TMPDIR/got"
	exit 1
done
