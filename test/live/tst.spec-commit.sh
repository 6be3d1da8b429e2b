#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: what is committed stands at the place of the commit, in order, under every policy, with and without times and accounting
. "$SRC/test/lib/check.sh"
cat >"$TMPDIR/s.d" <<'D'
BEGIN { s = speculation(); printf("id %d\n", s); }
BEGIN { speculate(s); printf("1 %s %d\n", execname == "dtrace" ? "dtrace" : "other", 7); }
BEGIN { speculate(s); trace("literal"); }
BEGIN { printf("before\n"); }
BEGIN { commit(s); }
BEGIN { printf("after\n"); exit(0); }
D
for policy in switch fill ring; do
	for temporal in 0 1; do
		for accounting in 0 1; do
			run "$DTRACE" -q -x bufpolicy=$policy -x temporal=$temporal \
				-x accounting=$accounting -s "$TMPDIR/s.d"
			status 0
			out 'id 1
before
1 dtrace 7
literalafter
'
		done
	done
done

# A record that a fault ends in the middle, wherever it was being made, takes nothing else with it.
cat >"$TMPDIR/s.d" <<'D'
BEGIN { s = speculation(); printf("id %d\n", s); }
BEGIN { speculate(s); printf("first\n"); }
BEGIN { if (s) speculate(s); printf("%s %s\n", execname, stringof((char *)1)); }
BEGIN { speculate(s); printf("last\n"); }
BEGIN { commit(s); }
BEGIN { printf("after\n"); exit(0); }
D
for policy in switch fill ring; do
	for temporal in 0 1; do
		run "$DTRACE" -q -x bufpolicy=$policy -x temporal=$temporal -x accounting -s "$TMPDIR/s.d"
		status 0
		out 'id 1
first
last
after
'
		has_err 'invalid address \(0x1\) in action #3'
		balanced
	done
done
finish
