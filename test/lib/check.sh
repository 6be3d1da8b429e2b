# SPDX-License-Identifier: BSD-2-Clause
# For shell tests that run a command and look at what it printed:
#	run COMMAND...		then any of
#	status N		its exit status
#	out TEXT, err TEXT	all it printed, exactly (the final newline of TEXT is implied; '' is nothing at all)
#	has_out RE, has_err RE	a line that matches
#	no_err RE		no line that matches
#	balanced		its -x accounting adds up
# and	runs PID PATH		waits until what the shell forked has executed the program
#	says WORD FILE		waits until a line of the file is the word
# and `finish` at the end. Every fault is reported, not only the first.
# $OFTEN is a high rate of profile- probes; in emulation a higher one can be all that a CPU does.
fault=0
OFTEN=${EMULATED:+499}
OFTEN=${OFTEN:-4999}

run()
{
	ran="$*"
	got=0
	# Appended: cat copies within the kernel else, at a place in the file that dtrace has gone beyond by then.
	: >"$TMPDIR/out" >"$TMPDIR/err"
	"$@" >>"$TMPDIR/out" 2>>"$TMPDIR/err" || got=$?
}

wrong()
{
	echo "--- $ran"
	echo "$1"
	fault=1
}

runs()
{
	for _ in $(seq 300); do
		[ "$(readlink "/proc/$1/exe")" = "$(readlink -f "$2")" ] && return
		sleep 0.1
	done
	wrong "process $1 does not run $2"
}

says()
{
	for _ in $(seq 600); do
		grep -qsx -- "$1" "$2" && return
		sleep 0.1
	done
	wrong "no line '$1' in $2: $(cat "$2")"
}

status()
{
	[ "$got" = "$1" ] || wrong "status $got, not $1: $(cat "$TMPDIR/err")"
}

same()
{
	if [ -n "$2" ]; then
		printf '%s\n' "$2"
	fi >"$TMPDIR/want"
	diff -u "$TMPDIR/want" "$TMPDIR/$1" >"$TMPDIR/diff" || wrong "$1: $(cat "$TMPDIR/diff")"
}

out()
{
	same out "$1"
}

err()
{
	# Whether a CPU was taken away for a whole period is the machine's affair.
	sed -i '/ missed firings\{0,1\} of profile:::profile-/d' "$TMPDIR/err"
	same err "$1"
}

has_out()
{
	grep -Eq -- "$1" "$TMPDIR/out" || wrong "no '$1' in stdout: $(cat "$TMPDIR/out")"
}

has_err()
{
	grep -Eq -- "$1" "$TMPDIR/err" || wrong "no '$1' in stderr: $(cat "$TMPDIR/err")"
}

no_err()
{
	! grep -Eq -- "$1" "$TMPDIR/err" || wrong "'$1' in stderr: $(cat "$TMPDIR/err")"
}

# In every line of -x accounting: fired is the sum of all that became of it, and what was written was decoded or
# lost after that for a cause.
balanced()
{
	awk '$2 == "accounting:" {
		for (i = 8; i < NF; i += 2)
			v[$i] = $(i + 1)
		made = v["false"] + v["noroom"] + v["busy"] + v["noframe"] + v["fault"] + v["stopped"] + v["done"]
		made += v["written"] + v["specskip"] + v["specdrop"]
		shown = v["recorded"] + v["discarded"] + v["speclost"] + v["specleft"]
		if (NF < 27 || v["fired"] != made || v["written"] != shown) { print; bad = 1 }
		n++
	} END { exit bad || !n }' "$TMPDIR/err" >"$TMPDIR/sums" || wrong "not balanced: $(cat "$TMPDIR/sums" "$TMPDIR/err")"
}

finish()
{
	exit $fault
}
