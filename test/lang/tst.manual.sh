#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: the manual page has every flag and every option that is built, and no other
cd "$TMPDIR" || exit 1
status=0
page=$SRC/doc/dtrace.8

differ() { # what; expected in want, found in got
	diff want got >diff || {
		echo "$1 (< built, > in the page):"
		grep '^[<>]' diff
		status=1
	}
}

grep '^OPTION(' "$SRC/src/lib/options.def" | grep -v UNBUILT | sed 's/^[^"]*"\([^"]*\)".*/\1/' | sort >want
sed -n '/^\.It Em option/,/^\.El/s/^\.It \([a-z, ]*\) Ta.*/\1/p' "$page" | tr -d ' ' | tr , '\n' | sort >got
[ "$(wc -l <want)" -gt 60 ] || { echo 'options.def is not read'; status=1; }
differ options

# Those that are refused say so.
sed -n 's/^#define OPTIONS "\(.*\)"/\1/p' "$SRC/cmd/args.c" | sed 's/[+:]//g; s/./&\n/g' | grep . | sort >all
for flag in $(cat all); do
	case $flag in
	3) "$DTRACE" -32 -e -n BEGIN >err 2>&1 ;;
	a | A | B) "$DTRACE" -$flag -e -n BEGIN >err 2>&1 ;;
	*) : >err ;;
	esac
	grep -q 'not implemented' err || echo $flag
done >want
{
	sed -n '/^\.Sh OPTIONS/,/^\.Ss Tunables/s/^\.It Fl \([^A-Za-z0-9]*\)/\1/p' "$page" |
		sed 's/ Op .*//; s/ Ar .*//; s/ Cm .*//; s/ *, */\n/g; s/^64/6/' | grep .
} | sort >got
differ flags

# The synopsis and the usage are in step.
sed -n 's/^\.Op Fl \([A-Za-z]\{3,\}\)$/\1/p' "$page" >want
"$DTRACE" 2>&1 | sed -n 's/^Usage: .* \[-64\] \[-\([A-Za-z]*\)\].*/\1/p' >got
differ synopsis
exit $status
