#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: D libraries: loaded when a name in them is used, -L, order by depends_on, errors, nolibs
dir=$TMPDIR
fail=0

# expect WHAT STATUS PATTERN ARGS...: dtrace -e with the arguments
expect()
{
	what=$1 status=$2 pattern=$3
	shift 3
	out=$("$DTRACE" -xerrtags -e "$@" 2>&1)
	rc=$?
	if [ $rc -ne "$status" ] || ! printf '%s\n' "$out" | grep -q -e "$pattern"; then
		echo "$what: status $rc, expected $status and '$pattern':"
		printf '%s\n' "$out"
		fail=1
	fi
}

expect 'a constant of a library' 0 '' -n 'BEGIN { trace(SIGINT); }'
expect 'its type' 0 '' -n 'BEGIN { trace(sizeof(timestruc_t)); }'
expect 'not with nolibs' 1 'failed to resolve SIGINT' -xnolibs -n 'BEGIN { trace(SIGINT); }'
expect 'a library constant is no variable' 1 D_OP_LVAL -n 'BEGIN { SIGINT = 1; }'
expect 'nor may it be defined otherwise' 1 D_DECL_IDRED -n 'inline int SIGINT = 3; BEGIN { trace(SIGINT); }'
expect 'the same value is no harm' 0 '' -n 'inline int SIGINT = 2; BEGIN { trace(SIGINT); }'

# A broken library of the system is not noticed before it is needed.
mkdir "$dir/sys"
echo 'inline int SIGINT = ;' >"$dir/sys/signal.d"
expect 'not needed' 0 '' -xsyslibdir="$dir/sys" -n 'BEGIN { trace(ENOENT); }'
expect 'needed' 1 "\[D_SYNTAX\] \"$dir/sys/signal.d\", line 1: " -xsyslibdir="$dir/sys" -n 'BEGIN { trace(SIGINT); }'

mkdir "$dir/a" "$dir/b" "$dir/loop" "$dir/clause" "$dir/gone"
printf '#pragma D depends_on library two.d\ninline int ONE = TWO - 1;\n' >"$dir/a/one.d"
printf 'inline int TWO = 2;\n' >"$dir/a/two.d"
printf '#pragma D depends_on provider nosuch\ninline int THREE = 3;\n' >"$dir/a/unmet.d"
printf 'typedef int b_t;\n' >"$dir/b/b.d"
expect '-L' 0 '' -L "$dir/a" -n 'BEGIN { trace(ONE + TWO); }'
expect 'two of them' 0 '' -L "$dir/a" -L "$dir/b" -n 'BEGIN { trace(ONE + (b_t)2); }'
expect 'a missing provider takes the rest away' 1 'failed to resolve THREE' -L "$dir/a" -n 'BEGIN { trace(THREE); }'
expect 'nolibs again' 1 'failed to resolve ONE' -xnolibs -L "$dir/a" -n 'BEGIN { trace(ONE); }'
printf '#pragma D depends_on library y.d\n' >"$dir/loop/x.d"
printf '#pragma D depends_on library x.d\n' >"$dir/loop/y.d"
expect 'a circle' 1 'D_PRAGMA_DEPEND.*program requires library "x.d" which failed to load' \
	-L "$dir/loop" -n 'BEGIN { exit(0); }'
printf '\nBEGIN { exit(0); }\n' >"$dir/clause/c.d"
expect 'no clauses' 1 "\"$dir/clause/c.d\", line 2: " -L "$dir/clause" -n 'BEGIN { exit(0); }'
printf '#pragma D depends_on library none.d\n' >"$dir/gone/g.d"
expect 'a missing library' 1 'program requires library "none.d" which failed to load' -L "$dir/gone" -n BEGIN
expect 'programs depend on none' 1 'D_PRAGMA_DEPEND' -n '#pragma D depends_on library signal.d
BEGIN'
expect 'a directory that is not there' 0 '' -L "$dir/nosuch" -n BEGIN
exit $fail
