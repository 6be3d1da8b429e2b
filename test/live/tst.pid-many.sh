#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: 50,000 functions of one process: all are armed, each firing has its own name, all are gone afterwards
# @@needs: uprobe_multi cc
# @@timeout: 120
awk 'BEGIN {
	print ".text"
	for (i = 0; i < 50000; i++)
		printf ".globl fn%d\n.type fn%d, @function\nfn%d: nop\n\tret\n.size fn%d, . - fn%d\n", i, i, i, i, i
	print ".globl main\n.type main, @function\nmain: push %rbx"
	for (i = 0; i < 50000; i += 500)
		printf "\tcall fn%d\n", i
	print "\tcall fn49999\n\txor %eax, %eax\n\tpop %rbx\n\tret\n.size main, . - main"
	print ".section .note.GNU-stack,\"\",@progbits"
}' >"$TMPDIR/many.s"
${CC:-cc} -o "$TMPDIR/many" "$TMPDIR/many.s" || exit 1
"$DTRACE" -n 'pid$target:a.out:fn*:entry { @[probefunc] = count(); } END { printa("%s %@d\n", @); }' -q -c "$TMPDIR/many" \
	>"$TMPDIR/out" 2>&1 || { echo "status $?: $(head "$TMPDIR/out")"; exit 1; }
{ for i in $(seq 0 500 49999); do echo "fn$i 1"; done; echo "fn49999 1"; } | LC_ALL=C sort >"$TMPDIR/want"
grep -v '^$' "$TMPDIR/out" | LC_ALL=C sort | diff - "$TMPDIR/want"
