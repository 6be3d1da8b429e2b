#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: a ring has the last calls of a process that was killed at a random moment, without a gap, each time
# @@timeout: 120
. "$SRC/test/lib/check.sh"
runs=${RUNS:-10} good=0 i=0
while [ $i -lt "$runs" ]; do
	i=$((i + 1))
	before=$fault
	fault=0
	us=$(($(od -An -N2 -tu2 /dev/urandom) * 3 / 2))
	rm -f "$TMPDIR/number"
	run "$DTRACE" -s "$SRC/doc/examples/lastcalls.d" -c "$PROGS/numbered $TMPDIR/number 1000000000 $us $((i % 2 * 20000))"
	status 0
	no_err drop
	# The number of the call that was about to be made, or made; what is shown must end with it, or the one before.
	n=$(od -An -tu8 "$TMPDIR/number")
	sed -n 's/.*  \(getuid\|getgid\)(\(0x[0-9a-f]*\),.*/\1 \2/p
		s/.*  lseek(0x[0-9a-f]*, \(0x[0-9a-f]*\), 0x0)/lseek \1/p
		s/.*  fcntl(0x[0-9a-f]*, 0x1, \(0x[0-9a-f]*\))/fcntl \1/p' "$TMPDIR/out" | tail -n 250 | xargs -r printf '%s %d\n' |
		awk -v last="$n" '
			BEGIN { name[0] = "fcntl"; name[1] = "getuid"; name[2] = "lseek"; name[3] = "getgid" }
			$1 != name[$2 % 4] || NR > 1 && $2 != before + 1 { print "behind " before ": " $0; bad++ }
			NR == 1 { first = $2 }
			{ before = $2 }
			END { print first + 0 " to " before + 0 " of " last
				exit bad > 0 || before + 0 < last - 1 || before + 0 > last || before && first > 1 && NR < 250 }' \
			>"$TMPDIR/seen" || wrong "killed after $us us: $(cat "$TMPDIR/seen")"
	[ $fault = 0 ] && good=$((good + 1))
	[ $before = 0 ] || fault=1
done
echo "the last calls of $good of $runs"
finish
