#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: pid: returns of calls too deep for the kernel are counted, exactly, and told; arg0 of a return is -1, arg1 the value
# @@needs: uprobe
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

prog='pid$target:a.out:down:entry { @in = count(); }
	pid$target:a.out:down:return { @out = count(); @sum = sum(arg1); @place = max(arg0); @least = min(arg0); }
	pid$target:a.out:bottom:return { @bottom = count(); }
	END { printa("%@d ", @in); printa("%@d ", @out); printa("%@d ", @sum); printa("%@d ", @place); printa("%@d ", @least);
		printa("%@d\n", @bottom); }'

# Nothing is missed, nothing is told.
run "$DTRACE" -qn "$prog" -c "$PROGS/recurse 64 2 2"
status 0
out '256 256 8320 -1 -1 '
has_err '^dtrace: 4 firings of pid_return missed by the kernel$'
run "$DTRACE" -qn "$prog" -c "$PROGS/recurse 63 2 2"
status 0
out '252 252 8064 -1 -1 4
'
err ''

# 200 deep, 10 times in each of 3 threads: the outermost 64 calls of each are seen.
run "$DTRACE" -qn "$prog" -c "$PROGS/recurse 200 10 3"
status 0
out "6000 1920 $((30 * (137 + 200) * 64 / 2)) -1 -1 "
has_err "^dtrace: $((6000 - 1920 + 30)) firings of pid_return missed by the kernel\$"
run "$DTRACE" -x accounting -qn "$prog" -c "$PROGS/recurse 200 10 3"
status 0
has_err 'down:return fired [0-9]+'
has_err '^dtrace: 4080 firings of pid[0-9]+:a.out:down:return missed by the kernel$'
has_err '^dtrace: 30 firings of pid[0-9]+:a.out:bottom:return missed by the kernel$'
no_err 'pid_return missed'

# One that is seen once, by a probe of its own: with the deeper ones that is all.
run "$DTRACE" -qn 'pid$target:a.out:down:return /arg1 <= 136/ { @ = count(); } END { printa("%@d\n", @); }' \
	-c "$PROGS/recurse 137 1 1"
out '63
'
has_err '^dtrace: 73 firings of pid_return missed by the kernel$'

# What comes after exit() is not missed.
run "$DTRACE" -qn 'pid$target:a.out:down:return { exit(0); }' -c "$PROGS/recurse 100 50 1"
status 0
has_err '^dtrace: 36 firings of pid_return missed by the kernel$'
finish
