#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: -l: header, columns, order, descriptions that match nothing; -v
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

header='   ID   PROVIDER            MODULE                          FUNCTION NAME'
begin='    1     dtrace                                                     BEGIN'
end='    2     dtrace                                                     END'
fault_probe='    3     dtrace                                                     ERROR'

run "$DTRACE" -l
status 0
err ''
[ "$(head -n 4 out)" = "$header
$begin
$end
$fault_probe" ] || wrong "$(head -n 4 out)"
awk 'NR > 1 { print $1 }' out | sort -cn || wrong 'not by id'
[ "$(grep -c ' syscall ' out)" -gt 600 ] || wrong 'too few system calls'

run "$DTRACE" -ln BEGIN
out "$header
$begin"
run "$DTRACE" -l -n 'END { nothing = 1; }' -i 1
out "$header
$end
$begin"
run "$DTRACE" -ln 'BEGIN, END, BEGIN {} BEGIN {}'
out "$header
$begin
$end"
run "$DTRACE" -l -P dtrace -n dtrace:::E*
out "$header
$begin
$end
$fault_probe
$end
$fault_probe"

run "$DTRACE" -ln 'syscall::read:return'
has_out '^ *[0-9]+    syscall           vmlinux                              read return$'

run "$DTRACE" -lf fight
status 0
out "$header"
err 'dtrace: failed to match ::fight:: No probe matches description'
run "$DTRACE" -l -n nosuch -n BEGIN -P none
status 0
out "$header
$begin"
err 'dtrace: failed to match :::nosuch: No probe matches description
dtrace: failed to match none:::: No probe matches description'
run "$DTRACE" -li 2-2
status 0
out "$header
$end"
err 'dtrace: failed to match :::-2: No probe matches description'

run "$DTRACE" -ln 'BEGIN { nosuch(); }'
status 1
err 'dtrace: invalid probe specifier BEGIN { nosuch(); }: in action list: undefined function name: nosuch'

run "$DTRACE" -lo file -n BEGIN
out ''
cp file out
out "$header
$begin"

run "$DTRACE" -lvn BEGIN
out "$header
$begin

	Probe Description Attributes
		Identifier Names: Private
		Data Semantics:   Private
		Dependency Class: Unknown

	Argument Attributes
		Identifier Names: Stable
		Data Semantics:   Stable
		Dependency Class: Common

	Argument Types
		None
"
run "$DTRACE" -lvn syscall::read:entry
has_out '^		args\[2\]: size_t$'
has_out '^		Dependency Class: ISA$'

run "$DTRACE" -evn 'BEGIN { trace(pid); }'
status 0
err ''
out '
Stability attributes for description BEGIN :

	Minimum Probe Description Attributes
		Identifier Names: Unstable
		Data Semantics:   Unstable
		Dependency Class: Common

	Minimum Statement Attributes
		Identifier Names: Stable
		Data Semantics:   Stable
		Dependency Class: Common

:::BEGIN

	Probe Description Attributes
		Identifier Names: Private
		Data Semantics:   Private
		Dependency Class: Unknown

	Argument Attributes
		Identifier Names: Stable
		Data Semantics:   Stable
		Dependency Class: Common

	Argument Types
		None
'
finish
