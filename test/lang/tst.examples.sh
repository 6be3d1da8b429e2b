#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: every script of doc/examples compiles, is listed, says how to run it, and is run by a test of its load
# needs: root btf
. "$SRC/test/lib/check.sh"

for script in "$SRC"/doc/examples/*.d; do
	name=$(basename "$script" .d)
	ran=$name
	[ -x "$script" ] || wrong 'cannot be executed'
	head -1 "$script" | grep -q '^#!/usr/sbin/dtrace -s$' || wrong 'does not name its interpreter'
	grep -q "^ \*	.*$name\.d" "$script" || wrong 'does not say how it is run'
	[ "$(grep -c "^| \`$name\.d\` |" "$SRC/doc/examples/README.md")" = 1 ] || wrong 'not a row of README.md'
	grep -Eq "^[[:blank:]]*example $name( |\$)|examples/$name\.d" "$SRC"/test/live/*.sh || wrong 'no test runs it'
	run "$DTRACE" -e -s "$script" -c /bin/true
	status 0
	err ''
done
for name in $(sed -n 's/^| `\(.*\)\.d` |.*/\1/p' "$SRC/doc/examples/README.md"); do
	[ -f "$SRC/doc/examples/$name.d" ] || wrong "$name.d is listed and not there"
done
finish
