#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: -x tree, -x ir, -x bpf and -S print the stages of a program, with -e and while it runs
# needs: root bpf

stages() { # want, flags
	want=$1
	shift
	got=$("$DTRACE" "$@" 2>&1 | sed -n 's/^Intermediate code of .*/ir/p; s/^BPF of .*/bpf/p; s/.*action exit.*/tree/p' |
		sort -u | tr '\n' ' ')
	[ "$got" = "$want" ] || { echo "$*: got $got, want $want"; exit 1; }
}
for e in -e -q; do
	for d in 'BEGIN { exit(0); }' 'profile-97 { @[pid] = count(); exit(0); }' \
	    'syscall:::entry { @[execname, probefunc] = count(); exit(0); }'; do
		stages 'bpf ir ' $e -S -n "$d"
		stages 'ir ' $e -x ir -n "$d"
		stages 'bpf ' $e -x bpf -n "$d"
		stages '' $e -n "$d"
	done
done
# every line of the BPF dump has its number
"$DTRACE" -e -x bpf -n 'BEGIN { exit(0); }' 2>&1 | grep -q '^ *0: ' || { echo "no instruction 0"; exit 1; }
