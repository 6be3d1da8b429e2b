#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: programs and operands in any order, what their errors are called, scripts, macro arguments
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

bad() # bad TEXT FLAGS...
{
	text=$1
	shift
	run "$DTRACE" -e "$@"
	status 1
	out ''
	err "dtrace: $text"
}

bad 'failed to open wassup: No such file or directory' -s wassup
bad "invalid probe specifier 12: extraneous argument '10' (\$1 is not referenced)" -i 12 10 -i 23
bad "invalid probe specifier 1: extraneous argument '4' (\$3 is not referenced)" -i 1 2 3 4
bad 'invalid probe specifier 0: invalid probe identifier 0: Unknown probe identifier' -i 0
bad 'invalid probe specifier i23: probe description :::i23 does not match any probes' -i i23
bad 'invalid probe specifier nosuch: probe description ::nosuch: does not match any probes' -f nosuch
bad 'invalid probe specifier nosuch: probe description :nosuch:: does not match any probes' -m nosuch
bad 'invalid probe specifier nosuch: probe description :::nosuch does not match any probes' -n nosuch
bad 'invalid probe specifier nosuch: probe description nosuch::: does not match any probes' -P nosuch
bad 'invalid probe specifier nosuch:{printf("FOUND");}: probe description nosuch::: does not match any probes' \
	-m 'nosuch:{printf("FOUND");}'
bad 'invalid probe specifier dtrace:::: invalid probe description "dtrace:::": Overspecified probe description' -P dtrace:::
bad 'invalid probe specifier dtrace::::BEGIN: invalid probe description "dtrace::::BEGIN": Overspecified probe description' \
	-n dtrace::::BEGIN
bad 'invalid probe specifier 4: probe identifier 4 not permitted when specifying functions' -f 4
bad 'invalid probe specifier 4: probe identifier 4 not permitted when specifying modules' -m 4
bad 'invalid probe specifier 4: probe identifier 4 not permitted when specifying providers' -P 4

# The second of several is the one that is named.
bad 'invalid probe specifier nosuch: probe description :::nosuch does not match any probes' -n BEGIN -n nosuch

# A global of the first program is known in the second, not the other way round.
run "$DTRACE" -e -n 'int x; BEGIN {}' -n 'END { trace(x); }'
status 0
bad 'invalid probe specifier END { trace(x); }: in action list: failed to resolve x: Unknown variable name' \
	-n 'END { trace(x); }' -n 'int x; BEGIN {}'

# Operands stand anywhere; after -- all are operands.
run "$DTRACE" -e -n 'BEGIN { trace($1); trace($2); }' 1 -x zdefs 2
status 0
err ''
run "$DTRACE" -e -n 'BEGIN { trace($$1); trace($$2); }' -- -x zdefs
status 0
err ''
bad 'invalid probe specifier BEGIN { $1; }: macro argument $1 is not defined' -n 'BEGIN { $1; }'
run "$DTRACE" -e -xdefaultargs -n 'BEGIN { trace($1); trace($$2); }'
status 0
run "$DTRACE" -e -xargref -n BEGIN 1 2 3
status 0

# Scripts: the first line, several of one command, /dev/stdin.
printf '#!/usr/sbin/dtrace -s\nBEGIN\n{\n\ttrace($1);\n}\n' >one.d
printf '#!/usr/sbin/dtrace -qs\nBEGIN\n{\n\tnosuch();\n}\n' >two.d
bad 'failed to compile script one.d: line 4: macro argument $1 is not defined' -s one.d
run "$DTRACE" -e -s one.d 7
status 0
bad 'failed to compile script two.d: line 4: undefined function name: nosuch' -xargref -s one.d -s two.d 7
run sh -c '"$DTRACE" -e -s /dev/stdin <two.d'
status 1
err 'dtrace: failed to compile script /dev/stdin: line 4: undefined function name: nosuch'

# Processes come before programs; a command that cannot be run is one line.
if [ "$(id -u)" = 0 ]; then
	bad 'failed to execute /no/such: No such file or directory' -c '/no/such arg' -n 'BEGIN { nosuch(); }'
	bad 'failed to execute nosuchcommand: No such file or directory' -c nosuchcommand
	bad 'failed to execute /: Permission denied' -c /
	bad 'failed to execute  : No such file or directory' -c ' '
fi
for pid in xyz 12x '' -1 0 99999999999; do
	bad "invalid pid: $pid" -p "$pid"
done
bad 'failed to grab pid 484837947: No such process' -p 484837947

# -e: nothing is enabled and nothing said.
run "$DTRACE" -e -n 'BEGIN { printf("%d", 1); exit(3); }'
status 0
out ''
err ''

# The name in messages is that of the command.
ln -s "$DTRACE" other
run ./other -e -n nosuch
status 1
err 'other: invalid probe specifier nosuch: probe description :::nosuch does not match any probes'
finish
