#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: a ring has the newest records of a command, numbered without a gap up to the last; two string keys take little memory
. "$SRC/test/lib/check.sh"
. "$SRC/test/lib/left.sh"

# The command ends by itself: what is shown ends with its last call. A record has 24 bytes; 64 would be many.
cpu=$(taskset -pc $$ | sed 's/.*[:,-] *//')
cat >"$TMPDIR/ring.d" <<'D'
#pragma D option bufpolicy=ring
#pragma D option bufsize=16k
syscall::getppid:entry /pid == $target/ { printf("%d %s\n", n++, execname); }
D
run taskset -c "$cpu" "$DTRACE" -q -s "$TMPDIR/ring.d" -c "$PROGS/spin 100000"
status 0
err ''
awk 'NF { if (NF != 2 || $2 != "spin" || n && $1 != last + 1) bad++; last = $1; n++ }
	END { print n, "records up to", last; exit bad > 0 || last != 99999 || n < 16384 / 64 }' "$TMPDIR/out" >"$TMPDIR/seen" ||
	wrong "$(cat "$TMPDIR/seen"; head -3 "$TMPDIR/out")"

# All that a session has: what is resident, and the maps that it holds. Its size goes with the CPUs that are online, not with
# those that there might be.
"$DTRACE" -qn 'syscall:::entry { @sc[execname, probefunc] = count(); }' >"$TMPDIR/out" 2>"$TMPDIR/err" &
pid=$!
armed $pid 1 || wrong "$(cat "$TMPDIR/err")"
kib=$({ cat /proc/$pid/status /proc/$pid/fdinfo/* 2>/dev/null; } | awk '/^VmRSS:|^RssShmem:/ { kib += $2 } /^memlock:/ { kib += $2 / 1024 }
	END { print int(kib) }')
kill -TERM $pid
wait $pid
[ "$kib" -gt 1000 ] || wrong "$kib KiB"
[ "$kib" -lt 262144 ] || [ "$(getconf _NPROCESSORS_ONLN)" -gt 12 ] || wrong "$kib KiB"
echo "$kib KiB"
grep -Eq '^  [^ ].*  [a-z0-9_]+ +[0-9]+$' "$TMPDIR/out" || wrong "no keys: $(head -3 "$TMPDIR/out")"
finish
