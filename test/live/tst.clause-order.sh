#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: clauses of one probe fire in the order of the program, whatever the probe
# @@timeout: 120
. "$SRC/test/lib/check.sh"

# in_order PROBE PREDICATE COMMAND: only whole triples. A firing is told by its CPU and time, for a switch may fall between its
# clauses; so may the end of tracing, which cuts the last firing of a CPU.
in_order()
{
	run "$DTRACE" -q -b 16m -n "$1 $2 { printf(\"%d %d 1\\n\", cpu, timestamp); } $1 $2 { printf(\"%d %d 2\\n\", cpu, timestamp); }
		$1 $2 { printf(\"%d %d 3\\n\", cpu, timestamp); } tick-2s { exit(0); }" -c "$3"
	status 0
	err ''
	awk 'NF == 3 && $1 in at && $2 != at[$1] && n[$1] % 3 { print "cut: " $0; bad++ }
		NF == 3 { if ($2 != at[$1]) { at[$1] = $2; n[$1] = 0 } if ($3 != ++n[$1]) { print "order: " $0; bad++ } all++ }
		END { print all " records"; exit bad > 0 || all < 3 }' "$TMPDIR/out" >"$TMPDIR/seen" || wrong "$(tail -3 "$TMPDIR/seen")"
}

in_order tick-100ms '' 'sleep 1'
in_order profile-97 '' 'sleep 1'
in_order syscall::getppid:entry '/pid == $target/' "$PROGS/spin 1000"
in_order syscall::getppid:return '/pid == $target/' "$PROGS/spin 1000"
in_order 'pid$target:a.out:f:entry' '' "$PROGS/short"
in_order 'pid$target:a.out:f:return' '' "$PROGS/short"
# Where functions of the kernel can be traced.
if "$DTRACE" -ln fbt::do_nanosleep:return 2>/dev/null | grep -q do_nanosleep; then
	in_order fbt::do_nanosleep:return '' 'sleep 0.2'
fi
finish
