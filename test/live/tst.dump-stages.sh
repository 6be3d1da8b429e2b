#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: -x lex, tree, layout, ir, regs, bpf and -S print the stages of a program, with -e and while it runs
# needs: root bpf
# @@timeout: 300

cd "$TMPDIR" || exit 1
stages() { # want, flags
	want=$1
	shift
	got=$("$DTRACE" "$@" 2>&1 | sed -n 's/^Intermediate code of .*/ir/p; s/^BPF of .*/bpf/p; s/^Registers of .*/regs/p
		s/^Records:/layout/p; s/^    call exit <void>/tree/p; s/^1	T_IDENT *	exit/lex/p' |
		sort -u | tr '\n' ' ')
	[ "$got" = "$want" ] || { echo "$*: got $got, want $want"; exit 1; }
}
for e in -e -q; do
	for d in 'BEGIN { exit(0); }' 'profile-97 { @[pid] = count(); exit(0); }' \
	    'syscall:::entry { @[execname, probefunc] = count(); exit(0); }'; do
		stages 'bpf ir ' $e -S -n "$d"
		stages 'ir ' $e -x ir -n "$d"
		stages 'bpf ' $e -x bpf -n "$d"
		stages 'regs ' $e -x regs -n "$d"
		stages 'layout ' $e -x layout -n "$d"
		stages 'tree ' $e -x tree -n "$d"
		stages 'tree ' $e -x tree=1 -n "$d"
		stages 'lex ' $e -x lex -n "$d"
		stages 'bpf ir layout lex regs tree ' $e -x bpf -x ir -x layout -x lex -x regs -x tree -n "$d"
		stages '' $e -n "$d"
	done
done
# every line of the BPF dump has its number
"$DTRACE" -e -x bpf -n 'BEGIN { exit(0); }' 2>&1 | grep -q '^ *0: ' || { echo "no instruction 0"; exit 1; }

# What a record holds, and where each value lives.
"$DTRACE" -e -x layout -x regs -n 'BEGIN { printf("%d %s %s", pid, execname, probename); @[1] = count(); }' >out 2>&1
for want in '^EPID 1, dtrace:::BEGIN, clause 0: record of at most 272 bytes, 16 fixed, header of 8$' \
    '^	printf, action #1$' '^		integer <pid_t>, 4 bytes at 8$' '^		string <string>, 4 bytes at 12$' \
    '^		name of the probe <string>, not recorded$' '^	v[0-9]*	r[0-9]$'; do
	grep -q "$want" out || { echo "no $want in"; cat out; exit 1; }
done
