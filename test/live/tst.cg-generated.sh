#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: made-up programs are taken by the compiler and by the kernel, and run to their end (see make fuzz)
# @@needs: root bpf
# @@timeout: 300
python3 $SRC/test/fuzz/cg_gen.py ${SEED:-1} ${COUNT:-80} 1 $($BUILD/test/fuzz/cgload -l) >$TMPDIR/programs || exit 1
$BUILD/test/fuzz/cgload -r -d $TMPDIR <$TMPDIR/programs >$TMPDIR/out && exit
cat $TMPDIR/out
for f in $TMPDIR/*.d; do
	test ! -f $f || { echo "== $f"; cat $f; }
done
exit 1
