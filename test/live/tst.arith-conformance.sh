#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: thousands of generated expressions have in D the values that D's rules give them in C
# @@needs: root bpf
# @@timeout: 300
# ARITH_SEEDS: other seeds than these; the last one makes a program that is longer than a jump. A compiler is slow in
# emulation: one seed there.

CC=${CC:-cc}
total=0
cd "$TMPDIR" || exit 1
command -v "$CC" >/dev/null || { echo "no C compiler"; exit 77; }

one() {
	python3 "$TESTDIR/arith_gen.py" "$1" "$2" 25 x.d x.c || exit 1
	"$CC" -fwrapv -w -o x x.c && ./x >want || exit 1
	"$DTRACE" -s x.d >got 2>err || { echo "seed $1"; cat err; exit 1; }
	sed -i '$d' got # the empty line of the end
	if ! cmp -s got want; then
		echo "seed $1: value in D, value in C, statement"
		grep printf x.d | paste got want - | awk -F'\t' '$1 != $2' | head -5
		exit 1
	fi
	total=$((total + $(wc -l <got)))
}

seeds='1 2 3 4 5 6 7 8' least=4000
[ -z "${EMULATED-}" ] || seeds=1 least=1900
for seed in ${ARITH_SEEDS:-$seeds}; do
	one "$seed" 16
done
one 9 60
echo "$total values compared"
[ "$total" -ge $least ]
