#!/bin/sh
# what: string subroutines with made-up arguments against what they are defined to give
# @@needs: root bpf
# @@timeout: 180
fail() { echo "$*"; exit 1; }

for seed in $(seq 1 ${SEEDS:-10}); do
	python3 $TESTDIR/subr_gen.py $seed 60 $TMPDIR/p.d $TMPDIR/want || fail "no program"
	echo 'BEGIN { exit(0); }' >>$TMPDIR/p.d
	$DTRACE -qx strsize=512 -s $TMPDIR/p.d >$TMPDIR/out 2>$TMPDIR/err ||
		fail "seed $seed: $(cat $TMPDIR/err)"
	sed -i '$d' $TMPDIR/out
	cmp -s $TMPDIR/out $TMPDIR/want ||
		fail "seed $seed: $(diff $TMPDIR/out $TMPDIR/want; grep printf $TMPDIR/p.d | sed -n "$(cmp $TMPDIR/out $TMPDIR/want | sed 's/.*line //')p")"
done
