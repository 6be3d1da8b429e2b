#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: fill has the first calls of a program from its start on, as many as there is room for, without a gap
. "$SRC/test/lib/check.sh"
run "$DTRACE" -s "$SRC/doc/examples/firstcalls.d" -c "$PROGS/numbered $TMPDIR/number 20000"
status 0
no_err drop
sed -n 's/^\(getuid\|getgid\)(\([0-9]*\),.*/\1 \2/p
	s/^lseek([0-9]*, \([0-9]*\), 0)/lseek \1/p
	s/^fcntl([0-9]*, 1, \([0-9]*\))/fcntl \1/p' "$TMPDIR/out" |
	awk 'BEGIN { name[0] = "fcntl"; name[1] = "getuid"; name[2] = "lseek"; name[3] = "getgid" }
		$1 != name[$2 % 4] || $2 != NR { print NR ": " $0; bad++ }
		END { print NR " calls"; exit bad > 0 || NR > 2048 || NR < 1900 }' >"$TMPDIR/seen" || wrong "$(tail -20 "$TMPDIR/seen")"
finish
