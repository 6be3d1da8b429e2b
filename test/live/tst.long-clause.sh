#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: one clause of 6,000 statements and a record of 48 KB; one that is too long is refused in one line
# @@needs: root bpf
# @@timeout: 120
. "$SRC/test/lib/check.sh"

awk 'BEGIN {
	print "BEGIN { x = 1000;"
	for (i = 1; i <= 6000; i++)
		printf "\tprintf(\"%%d\\n\", x + %d);\n", i
	print "\texit(0);\n}"
}' >"$TMPDIR/long.d"
seq 1001 7000 >"$TMPDIR/seq"
run "$DTRACE" -qs "$TMPDIR/long.d"
status 0
err ''
grep . "$TMPDIR/out" | diff - "$TMPDIR/seq" >"$TMPDIR/differ" || wrong "$(head -5 "$TMPDIR/differ")"

awk 'BEGIN {
	print "syscall::getppid:entry {"
	for (i = 1; i <= 6000; i++)
		printf "\tx = arg0 > %d && arg1 > 2 || arg2 == %d;\n", i, i
	print "}"
}' >"$TMPDIR/long.d"
run "$DTRACE" -qs "$TMPDIR/long.d"
status 1
has_err '^dtrace: could not enable tracing: failed to load the program of syscall:vmlinux:getppid:entry: it is too large: the kernel '
[ "$(wc -l <"$TMPDIR/err")" = 1 ] || wrong "$(cat "$TMPDIR/err")"
finish
