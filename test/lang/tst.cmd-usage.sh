#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: usage, modes that exclude each other, flags that are not built, the version
. "$SRC/test/lib/check.sh"

run "$DTRACE"
status 2
out ''
has_err '^Usage: dtrace '
has_err "predicate -> '/' D-expression '/'"
has_err "action -> '{' D-statements '}'"

run "$DTRACE" -9
status 2
has_err "^dtrace: invalid option -- '9'$"
has_err '^Usage: dtrace '
run "$DTRACE" -n
status 2
has_err "^dtrace: option requires an argument -- 'n'$"
run "$DTRACE" -33
status 2
has_err '^dtrace: illegal option -- 33$'
run "$DTRACE" -62
status 2
has_err '^dtrace: illegal option -- 62$'

for pair in -lV -Al -Gh -hl -AG -VG; do
	run "$DTRACE" $pair
	status 2
	err 'dtrace: only one of the [-AGhlV] options can be specified at a time'
done

run "$DTRACE" -V
status 0
out 'dtrace: Linux D 0.1'
err ''

for flag in A B; do
	run "$DTRACE" -$flag -n BEGIN
	status 1
	err "dtrace: -$flag is not implemented"
done
run "$DTRACE" -32
status 1
err 'dtrace: -32 is not implemented'
for flag in a; do
	run "$DTRACE" -$flag -n BEGIN
	status 1
	err "dtrace: failed to set -$flag: Option is not implemented"
done
run "$DTRACE" -64 -e
status 0
err ''
finish
