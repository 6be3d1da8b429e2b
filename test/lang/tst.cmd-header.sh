#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: -h and -G: names of files, what is refused
. ../lib/check.sh
cd "$TMPDIR" || exit 1
echo 'provider p { probe a(int); };' >p.d
echo 'provider p { probe a(int); };' >p.txt
echo 'provider q { probe b(struct { int x; }); };' >q.d
echo 'provider p { probe a(int); }; BEGIN { }' >clause.d

run "$DTRACE" -h
status 2
err "dtrace: -h requires one or more scripts or enabling options"
run "$DTRACE" -h -s p.d -s q.d
status 2
err "dtrace: -h requires an output file if multiple scripts are specified"
run "$DTRACE" -h -s p.txt
status 2
err "dtrace: -h requires an output file if no scripts are specified"
run "$DTRACE" -h -s p.d
status 0
out ''
err ''
run grep -c '^#define P_A(arg0)' p.h
out 2
run "$DTRACE" -h -s p.txt -o "$TMPDIR/other.h"
status 0
run grep -c _OTHER_H other.h
out 3
run "$DTRACE" -h -s q.d
status 1
has_err 'failed to create header file q.h: argument #1 of probe q:b is of type .*: only integers and pointers can be passed'

run "$DTRACE" -G
status 2
err "dtrace: -G requires one or more scripts or enabling options"
run "$DTRACE" -G -s p.d
status 0
run "$DTRACE" -G -s p.txt
status 0
run test -s p.o -a -s d.out
status 0
run "$DTRACE" -G -s p.d nosuch.o
status 1
err "dtrace: failed to link script p.d: failed to open nosuch.o: No such file or directory"
run "$DTRACE" -G -s p.d p.d
status 1
err "dtrace: failed to link script p.d: p.d is not an ELF object file"
run "$DTRACE" -G -s clause.d
status 1
err "dtrace: failed to link script clause.d: clauses in a program for an object are not implemented"
# A clause on the probes that the program itself provides; a header needs only these.
cat >own.d <<'END'
provider own { probe one(int); };
own*:::one { trace(arg0); }
END
run "$DTRACE" -G -s own.d
status 1
err "dtrace: failed to link script own.d: clauses in a program for an object are not implemented"
test -e own.o && wrong 'an object was written'
run "$DTRACE" -h -s own.d
status 0
grep -q 'OWN_ONE_ENABLED' own.h || wrong 'no header of a program with clauses'
finish
