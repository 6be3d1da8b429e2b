#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: system, freopen, ftruncate, setopt and printa take effect in the order of the records, on stdout and with -o
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

# One clause, then many: what a command prints stands where its record is.
run "$DTRACE" -wqn 'BEGIN { printf("one\n"); system("echo two %d %s", 2, "words"); printf("three\n");
	system("echo four >&2; cat"); printf("five\n"); exit(0); }'
status 0
err 'four'
out 'one
two 2 words
three
five
'
run "$DTRACE" -wq -x switchrate=50ms -n 'int n; tick-10ms { printf("%d ", n); system("echo %d", n); n++; }
	tick-10ms /n == 20/ { exit(0); }'
status 0
awk 'NF == 2 { if ($1 != $2 || $1 != n) bad = 1; n++ } END { exit bad || n < 20 }' out ||
	wrong "not in order: $(cat out)"

# The output goes to the file and comes back; it is appended to; a failure leaves it where it is.
printf 'old\n' >file
run "$DTRACE" -wqn 'BEGIN { printf("1\n"); freopen("%s%d", "file", 1); printf("2\n"); system("echo 3");
	freopen("file"); printf("4\n"); freopen("/no/such/dir"); printf("5\n");
	freopen(""); printf("6\n"); exit(0); }'
status 0
out '1
3
6
'
err "dtrace: error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): couldn't freopen() \"/no/such/dir\": No such file or directory"
[ "$(cat file1)" = 2 ] || wrong "file1: $(cat file1)"
[ "$(cat file)" = "$(printf 'old\n4\n5')" ] || wrong "file: $(cat file)"

# ftruncate() empties the file of -o, and only what came before it.
rm -f file
run "$DTRACE" -o file -qn 'BEGIN { printf("1\n"); ftruncate(); printf("2\n"); printf("3\n"); exit(0); }'
status 0
[ "$(cat file)" = "$(printf '2\n3')" ] || wrong "file: $(cat file)"
run sh -c '"$DTRACE" -qn "BEGIN { printf(\"1\n\"); ftruncate(); printf(\"2\n\"); exit(0); }" | cat'
out '1
2
'

# -o appends, and is where system's output does not go.
run "$DTRACE" -o file -wqn 'BEGIN { printf("4\n"); system("echo 5"); exit(0); }'
out '5'
[ "$(cat file)" = "$(printf '2\n3\n\n4')" ] || wrong "file: $(cat file)"

# Options from the next record on; unknown ones and those that cannot change are errors on the probe.
run "$DTRACE" -qn 'BEGIN { trace("a"); setopt("quiet", "no"); exit(0); } END { trace("b"); }'
status 0
has_out '^a$'
has_out 'FUNCTION:NAME'
has_out ':END   b  '
run "$DTRACE" -qn 'BEGIN { setopt("Nixon"); setopt("bufsize", "2m"); setopt(execname, "x"); exit(0); }'
status 0
err "dtrace: error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): couldn't set option \"Nixon\" to \"1\": Invalid option name
dtrace: error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): couldn't set option \"bufsize\" to \"2m\": Operation illegal when tracing is active
dtrace: error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): couldn't set option \"dtrace\" to \"x\": Invalid option name"

# printa shows what the operations before it have left, those behind it do not count.
run "$DTRACE" -q -x switchrate=50ms -x aggrate=10ms -n 'BEGIN { @["k"] = sum(8); normalize(@, 2); printa("%@d ", @);
	denormalize(@); printa("%@d ", @); clear(@); printa("%@d ", @); trunc(@); printa("%@d ", @);
	printf("end\n"); exit(0); }'
status 0
out '4 8 0 end
'

# Destructive actions need -w.
run "$DTRACE" -qn 'BEGIN { system("echo no"); exit(0); }'
status 1
err 'dtrace: could not enable tracing: Destructive actions not allowed'
run "$DTRACE" -qn 'BEGIN { freopen("no"); exit(0); }'
status 1
[ ! -e no ] || wrong "freopen() without -w"
finish
