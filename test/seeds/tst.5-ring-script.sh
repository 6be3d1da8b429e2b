#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: the ring script: its errors, and what it shows of a program when a process exits
# @@needs: root bpf
. "$SRC/test/lib/seeds.sh"
cp "$TESTDIR/ring.d" "$TESTDIR/ring-line.d" .
run dtrace -s ring.d
status 1
err 'dtrace: failed to compile script ring.d: line 5: macro argument $1 is not defined'
run dtrace -s ring.d bash
status 1
err 'dtrace: failed to compile script ring.d: line 5: failed to resolve bash: Unknown variable name'
run dtrace -s ring-line.d '"bash"'
status 1
err 'dtrace: failed to compile script ring-line.d: line 1: superfluous arguments specified for #pragma option'

# Whatever process exits first ends it, so several are sent; others may exit on other CPUs at the same moment.
(
	while :; do
		sleep 0.1
	done
) &
load=$!
run dtrace -s ring.d '"sleep"'
kill $load
status 0
has_err "^dtrace: script 'ring.d' matched [0-9]+ probes$"
no_err drop
has_out 'rexit:entry *$'
awk 'NF == 4 { if ($4 + 0 <= last[$1] + 0) bad++; last[$1] = $4; n[$1]++ }
	$3 == "rexit:entry" { if (exits[$1]++ || NF != 3) bad++ }
	END { for (c in n) if (n[c] > 1024) bad++; exit bad > 0 || !length(exits) }' out || wrong "$(cat out)"
# Each call once: globs do not match the alias.
run dtrace -q -n 'syscall:::entry /pid == $target && probefunc == "exit_group"/ { n++; }
	syscall::rexit:entry /pid == $target/ { r++; } END { printf("%d %d\n", n, r); }' -c /bin/true
out '1 1
'
# With nothing of that name: the exit alone.
(
	while :; do
		sleep 0.1
	done
) &
load=$!
run dtrace -s ring.d '"no such program"'
kill $load
awk '/entry/ { if ($3 != "rexit:entry" || exits[$1]++) bad++ } END { exit bad > 0 || !length(exits) }' out || wrong "$(cat out)"
finish
