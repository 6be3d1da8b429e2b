#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: specsize and nspec: halved or refused, drops at the exact sizes, ids
# @@timeout: 120
. "$SRC/test/lib/check.sh"
# What is printed before the newline at the end.
prints()
{
	[ "$(cat "$TMPDIR/out")" = "$1" ] || wrong "printed $(cat "$TMPDIR/out")"
}
prog='BEGIN { s = speculation(); } BEGIN { speculate(s); trace(1); } BEGIN { commit(s); exit(0); }'
matched="dtrace: description 'BEGIN ' matched 3 probes"
run "$DTRACE" -x specsize=100t -x bufresize=manual -n "$prog"
status 1
out ''
err "$matched
dtrace: could not enable tracing: Not enough space"
run "$DTRACE" -x specsize=100t -n "$prog"
status 0
has_err '^dtrace: speculation size lowered to [0-9]+[kmg]$'
has_out ' +1$'
run "$DTRACE" -q -x specsize=100t -x quietresize -n "$prog"
err ''
for size in 0 7; do
	run "$DTRACE" -x specsize=$size -n "$prog"
	status 1
	err "$matched
dtrace: could not enable tracing: Enabling exceeds size of buffer"
done
run "$DTRACE" -x nspec=2147483648 -n "$prog"
status 1
err "$matched
dtrace: could not enable tracing: Not enough space"
run "$DTRACE" -q -x specsize=1000 -x nspec=3000 -n "$prog"
status 0
err ''
# A record of one 8-byte value has 16 bytes, of two 24.
for case in 8:2: 16:1:1 23:1:1 39:1:1 40:0:1,1,2 ; do
	size=${case%%:*} rest=${case#*:}
	drops=${rest%%:*} shown=${rest#*:}
	run "$DTRACE" -q -x specsize=$size -n '
		BEGIN { s = speculation(); x = (int64_t)1; }
		BEGIN { speculate(s); printf("%d", x); }
		BEGIN { speculate(s); printf(",%d,%d", x, x + 1); }
		BEGIN { commit(s); } BEGIN { exit(0); }'
	status 0
	prints "$shown"
	case $drops in
	0) err '' ;;
	1) err 'dtrace: 1 speculative drop' ;;
	*) err "dtrace: $drops speculative drops" ;;
	esac
done
# A string may need all of strsize.
run "$DTRACE" -q -x specsize=32 -x strsize=512 -x droptags -n '
	BEGIN { s = speculation(); } BEGIN { speculate(s); trace(execname); } BEGIN { commit(s); exit(0); }'
status 0
prints ''
err 'dtrace: [DTRACEDROP_SPEC] 1 speculative drop'
# Ids
ids='BEGIN { printf("%d ", speculation()); } BEGIN { printf("%d ", speculation()); }
	BEGIN { printf("%d ", speculation()); exit(0); }'
run "$DTRACE" -q -x nspec=2 -x droptags -n "$ids"
prints '1 2 0 '
err 'dtrace: [DTRACEDROP_SPECUNAVAIL] 1 failed speculation (no speculative buffer available)'
run "$DTRACE" -q -x nspec=0 -n "$ids"
prints '0 0 0 '
err 'dtrace: 3 failed speculations (no speculative buffer available)'

# More bytes than a loop of the kernel's has turns for words: 9000 records of 8 KB.
for what in '-x temporal commit recorded' '-x bufpolicy=ring commit recorded' '-x temporal discard discarded'; do
	set -- $what
	run "$DTRACE" -q -o "$TMPDIR/large" -x cpu=0 $1 $2 -x accounting -x nspec=1 -x specsize=75m -x bufsize=80m -n '
		BEGIN { s = speculation(); }
		syscall::getppid:entry /n < 9000/ { speculate(s); n++; tracemem(curthread, 8192, 1); }
		syscall::getppid:entry /n == 9000/ { n++; '$3'(s); exit(0); }' -c "taskset -c 0 $PROGS/syscalls 20000"
	status 0
	has_err "EPID 2 CPU 0 .* $4 9000 "
	balanced
done
finish
