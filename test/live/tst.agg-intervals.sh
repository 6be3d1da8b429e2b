#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: count() and sum() printed and cleared every 100 ms under load on all CPUs sum to the exact total, and agree on each line
# @@timeout: 300
for run in 1 2 3; do
	"$DTRACE" -qn 'syscall::getppid:entry /pid == $target/ { @n = count(); @s = sum(1); }
		tick-100ms { printa("%@d %@d\n", @n, @s); clear(@n); clear(@s); }
		END { printa("%@d %@d\n", @n, @s); }' -x aggrate=50ms -x switchrate=50ms \
		-c "$PROGS/spinmt 8 200000" >"$TMPDIR/out" 2>"$TMPDIR/err" || exit 1
	awk 'NF == 2 { n += $1; s += $2; if ($1 != $2) differ++; if ($1) lines++ }
		END { print "count", n, "sum", s, "lines that differ", differ + 0, "lines", lines
			exit !(n == 1600000 && s == 1600000 && !differ) }' "$TMPDIR/out" || exit 1
done
