#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: of 1,000,000 calls exactly the paths to the 100 that fail are shown, whole and nothing else
# @@timeout: 300
. "$SRC/test/lib/check.sh"
calls=${CALLS:-1000000}
run "$DTRACE" -q -x accounting -s "$SRC/doc/examples/rare-failure.d" \
	-c "$PROGS/rare $((calls / 4)) 100 $TMPDIR/failed"
status 0
no_err ' drop|failed'
balanced
[ "$(wc -l <"$TMPDIR/failed")" = 100 ] || wrong "the program: $(wc -l <"$TMPDIR/failed") failures"
while read -r n; do
	echo "getuid $n"
	echo "lseek $n"
	echo "getgid $n"
	echo "fcntl $n"
done <"$TMPDIR/failed" | sort >"$TMPDIR/want.calls"
sed -n 's/^\(getuid\|getgid\)(\([0-9]*\),.*/\1 \2/p
	s/^lseek([0-9]*, \([0-9]*\), 0)/lseek \1/p
	s/^fcntl(-1, 1, \([0-9]*\))/fcntl \1/p' "$TMPDIR/out" | sort >"$TMPDIR/got.calls"
diff "$TMPDIR/want.calls" "$TMPDIR/got.calls" >"$TMPDIR/diff" || wrong "other calls: $(head -20 "$TMPDIR/diff")"
errnos=$(grep -c '^fcntl: errno 9$' "$TMPDIR/out")
[ "$errnos" = 100 ] || wrong "errno shown $errnos times"
lines=$(grep -c . "$TMPDIR/out")
[ "$lines" = 500 ] || wrong "$lines lines, not 500"
finish
