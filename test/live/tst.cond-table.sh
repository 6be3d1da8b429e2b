#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: ?: as a table of 300 lines, of numbers and of strings; every line, also its end, is found
# needs: root bpf
. "$SRC/test/lib/check.sh"
table() # BEFORE AFTER: "n == 0 ? BEFORE 0 AFTER : n == 1 ? BEFORE 3 AFTER : ..."
{
	awk -v before="$1" -v after="$2" 'BEGIN {
		for (i = 0; i < 300; i++) printf "n == %d ? %s%d%s : ", i, before, i * 3, after }'
}
run "$DTRACE" -qn "int n;
	BEGIN { n = 299; trace($(table '' '')7); n = 0; trace(\" \"); }
	BEGIN { trace($(table '1 - ' '')7); n = 300; trace(\" \"); }
	BEGIN { trace($(table '' '')-7); exit(0); }"
status 0
out '897 1 -7'
run "$DTRACE" -qn "int n;
	BEGIN { n = 299; trace($(table '"s' '"')\"other\"); n = 0; trace(\" \"); }
	BEGIN { trace($(table '"s' '"')\"other\"); n = 300; trace(\" \"); }
	BEGIN { trace($(table '"s' '"')execname); exit(0); }"
status 0
out 's897 s0 dtrace'
# A condition behind the first may read what others do not.
run "$DTRACE" -qn 'int n; BEGIN { trace(n == 0 ? 1 : execname == "x" ? 2 : 3); trace(execname); exit(0); }'
status 0
out '1dtrace'
finish
