#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: exit() behind commit() in one clause: allowed, and its record stands behind what was committed
. "$SRC/test/lib/check.sh"
for policy in switch fill ring; do
	run "$DTRACE" -x bufpolicy=$policy -b 256 -n '
		BEGIN { s = speculation(); }
		BEGIN { speculate(s); trace(1); }
		BEGIN { speculate(s); }
		BEGIN { commit(s); exit(3); }'
	status 3
	grep -v FUNCTION:NAME "$TMPDIR/out" | tr -s ' \n' ' ' | sed 's/ [0-9]* \([0-9]* :BEGIN\)/ \1/g' \
		>"$TMPDIR/flat"
	[ "$(cat "$TMPDIR/flat")" = ' 1 :BEGIN 1 1 :BEGIN 1 :BEGIN ' ] || wrong "$(cat "$TMPDIR/flat")"
done
finish
