#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: every probe of the system's providers is named by a live test, or doc/providers.md says why none provokes it
cd "$TMPDIR" || exit 1
status=0

find "$SRC/test/live" -name 'tst.*' | xargs sed '/^ *[*#]/d; s,/\*.*\*/,,' >run
{
	sed -n 's/^{ "\([a-z]*\)", "\([^"]*\)".*/\1 \2/p' "$SRC/src/provider/kevent.def"
	sed -n '/^} rows\[\]/,/^};/s/^	{ "\([^"]*\)".*/lockstat \1/p' "$SRC/src/provider/lockstat.c"
} >rows
# Rows of the tables: "| vminfo: name, name |", or names alone below the heading of their provider.
grep 'Not provoked by a test' "$SRC/doc/providers.md" | sed 's/^| \([^|]*\) |.*/\1/; s/.*: //; s/, /\n/g' >excused

while read -r provider name; do
	grep -Eq "(^|[^A-Za-z])$provider:[a-z]*::$name([^A-Za-z_-]|\$)" run || grep -qx -- "$name" excused ||
		{ echo "no live test names $provider:::$name"; status=1; }
done <rows
n=$(wc -l <rows)
[ "$n" -ge 100 ] || { echo "only $n rows found"; status=1; }
# An excuse that is none any more.
while read -r name; do
	grep -Eq ":::$name([^A-Za-z_-]|\$)" run && { echo "$name has a test, and doc/providers.md says that it has none"; status=1; }
done <excused
exit $status
