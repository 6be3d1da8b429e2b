# SPDX-License-Identifier: BSD-2-Clause
# For the tests of doc/examples, on top of check.sh:
#	load <<END ... END	writes the shell script of the load, to be run as -c "$LOAD"; its name in probes is "loadsh"
#	named NAME PROGRAM	a copy of a program under a name that nobody else has: $TMPDIR/NAME
#	example NAME ARGS...	runs doc/examples/NAME.d as its first line says
#	rows AWK		what the awk program prints for its output
#	dist NAME		a distribution in it
# What other programs do at the same time only adds to what the scripts print.
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1
LOAD="$TMPDIR/loadsh load"

named()
{
	cp "$(command -v "$2")" "$TMPDIR/$1"
}

named loadsh sh

load()
{
	cat >load
}

example()
{
	script=$SRC/doc/examples/$1.d
	shift
	[ -x "$script" ] || wrong "$script cannot be executed"
	flags=$(sed -n '1s,^#!/usr/sbin/dtrace ,,p' "$script")
	[ -n "$flags" ] || wrong "$script does not name its interpreter"
	run "$DTRACE" "$flags" "$script" "$@"
	status 0
	no_err ' drops? on CPU| dynamic variable drop|^dtrace: failed|^dtrace: could not'
}

rows()
{
	awk "$1" "$TMPDIR/out"
}

# dist NAME: the rows of its distribution, as "value count". Names of others may have blanks in them.
dist()
{
	awk -v name="$1" 'NF && !/\|/ { if ($1 != "value") mine = $NF == name } mine && /\|/ { print $1, $NF }' "$TMPDIR/out"
}

# is WHAT GOT WANT: numbers, with a test of test(1) before WANT if it is not equality.
is()
{
	if [ $# = 3 ]; then
		[ "$2" = "$3" ] || wrong "$1: $2, not $3: $(head -c 4000 "$TMPDIR/out")"
	else
		[ "${2:-0}" "$3" "$4" ] || wrong "$1: $2, not $3 $4: $(head -c 4000 "$TMPDIR/out")"
	fi
}
