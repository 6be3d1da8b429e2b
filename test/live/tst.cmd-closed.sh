#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: a closed standard output is a write error, not a descriptor of ours that is written to
"$DTRACE" -qn 'BEGIN { trace(1); exit(0); }' 2>"$TMPDIR/err" >&-
status=$?
cat "$TMPDIR/err"
[ $status = 1 ] && grep -q 'failed to write to <stdout>: Bad file descriptor' "$TMPDIR/err"
