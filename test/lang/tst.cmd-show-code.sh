#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: -S -e prints the generated code of every program without enabling it
"$DTRACE" -S -e -n 'BEGIN { trace(execname); } END { @[probename] = count(); }' >"$TMPDIR/out" 2>"$TMPDIR/err" || exit 1
[ -s "$TMPDIR/out" ] && { echo "something on stdout"; exit 1; }
for want in 'Intermediate code of dtrace_BEGIN' 'BPF of dtrace_BEGIN' 'BPF of dtrace_END' 'enter and reserve'; do
	grep -q "$want" "$TMPDIR/err" || { echo "no '$want' in:"; head -20 "$TMPDIR/err"; exit 1; }
done
