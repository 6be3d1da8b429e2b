#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: a million distinct keys at default options: each is kept, or counted as a drop
# @@timeout: 120
"$DTRACE" -qn 'syscall::getppid:entry /pid == $target/ { @k[n++] = count(); @all = count(); }
	END { printa("all %@d\n", @all); printa("%d %@d\n", @k); }' \
	-c "$PROGS/spin 1000000" >"$TMPDIR/out" 2>"$TMPDIR/err" || exit 1
cat "$TMPDIR/err" >>"$TMPDIR/out"
awk '/^all/ { all = $2; next } /aggregation drop/ { drops += $2; next }
	NF == 2 { keys++; n += $2; if (seen[$1]++) twice++ }
	END { print "fired", all, "keys", keys, "counted", n, "dropped", drops + 0
		exit !(all == 1000000 && n == keys && keys + drops == all && !twice && keys > 100000) }' "$TMPDIR/out"
