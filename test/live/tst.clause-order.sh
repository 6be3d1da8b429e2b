#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: clauses of one probe fire in the order of the program, whatever the probe
# @@timeout: 120
. "$SRC/test/lib/check.sh"

# in_order PROBE PREDICATE COMMAND: only whole triples.
in_order()
{
	run "$DTRACE" -q -b 16m -n "$1 $2 { printf(\"1\"); } $1 $2 { printf(\"2\"); } $1 $2 { printf(\"3\\n\"); }
		tick-2s { exit(0); }" -c "$3"
	status 0
	err ''
	grep -v '^$' "$TMPDIR/out" | sort | uniq -c >"$TMPDIR/lines"
	[ "$(awk '{ print $2 }' "$TMPDIR/lines")" = 123 ] || wrong "not 123 alone: $(head -3 "$TMPDIR/lines")"
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
