#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: a count alone in its clause, and one beside others, are exact over all CPUs, also when cleared on a timer
# @@timeout: 120
"$DTRACE" -q -x aggrate=10ms -x switchrate=10ms -n '
	syscall::getppid:entry /pid == $target/ { @n = count(); }
	syscall::getppid:entry /pid == $target/ { @m = count(); @s = sum(1); }
	tick-50ms { printa("%@d %@d %@d\n", @n, @m, @s); clear(@n); clear(@m); clear(@s); }
	END { printa("%@d %@d %@d\n", @n, @m, @s); }' -c "$PROGS/syscalls 500000" >"$TMPDIR/out" 2>"$TMPDIR/err"
awk 'NF == 3 { n += $1; m += $2; s += $3; if ($2 != $3) differ++ }
	NF == 2 { made += $2 }
	END { print "calls", made, "count", n, "in company", m, s, "lines that differ", differ + 0
		exit !(made > 0 && n == made && m == made && s == made && !differ) }' "$TMPDIR/out"
