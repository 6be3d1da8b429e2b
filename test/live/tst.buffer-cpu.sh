#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: buffers belong to CPUs: one that is full does not keep others from recording; -x cpu confines all to one
. "$SRC/test/lib/check.sh"
. "$SRC/test/lib/left.sh"
last=$(getconf _NPROCESSORS_ONLN)
[ "$last" -ge 2 ] || {
	echo "needs two CPUs"
	exit 77
}
last=$((last - 1))

# Others may run the same programs: ours has a name of its own.
cp "$PROGS/spin" "$TMPDIR/spin$$"
# 5000 calls on CPU 0 fill its buffer; the 10 on the last CPU are recorded all the same. The first switch comes at the start,
# perhaps late: the calls wait for what it prints.
run "$DTRACE" -qx bufsize=1600 -x switchrate=9s -n 'BEGIN { printf("begun\n"); }
	syscall::getppid:entry /execname == "'spin$$'"/ { printf("%d\n", cpu); }' \
	-c "$TESTDIR/two-cpus.sh $TMPDIR/spin$$ $last $TMPDIR/out"
[ "$(grep -c '^0$' "$TMPDIR/out")" = 100 ] || wrong "CPU 0: $(grep -c '^0$' "$TMPDIR/out")"
[ "$(grep -c "^$last\$" "$TMPDIR/out")" = 10 ] || wrong "CPU $last: $(grep -c "^$last\$" "$TMPDIR/out")"
has_err '^dtrace: 4900 drops on CPU 0$'
no_err "drops? on CPU $last"

# One CPU: its firings alone, two areas.
"$DTRACE" -q -x cpu=$last -b 1m -n 'syscall::getppid:entry /pid == -1/ { trace(cpu); }' 2>"$TMPDIR/err" >/dev/null &
pid=$!
armed $pid 1 || wrong "$(cat "$TMPDIR/err")"
areas=$(cat /proc/$pid/fdinfo/* 2>/dev/null | awk '/^value_size:/ { v = $2 } /^max_entries:/ && v == 1048576 { print $2 }')
[ "$areas" = 2 ] || wrong "areas of 1048576 bytes: '$areas'"
kill -TERM $pid
wait $pid
run "$DTRACE" -x cpu=$last -x switchrate=50ms -o "$TMPDIR/trace" -n 'syscall::getppid:entry /pid == $target/ { trace(cpu); }
	BEGIN { trace(cpu); } profile-997 { trace(cpu); } tick-5ms { trace(cpu); } END { trace(cpu); }' -c "$PROGS/syscalls 20000"
status 0
awk -v cpu=$last '$2 ~ /^[0-9]+$/ { if ($1 != cpu || $4 != cpu) bad++; n[$3]++ }
	END { exit bad > 0 || n["getppid:entry"] != 20000 || n[":BEGIN"] != 1 || n[":END"] != 1 || !n[":profile-997"] }' \
	"$TMPDIR/trace" || wrong "$(tail -3 "$TMPDIR/trace")"
# Aggregations too.
run "$DTRACE" -q -x cpu=0 -n 'syscall::getppid:entry /pid == $target/ { @[cpu] = count(); }' -c "$PROGS/syscalls 1000"
# The program prints a line for each CPU, the aggregation one.
[ "$(awk 'NF == 2 { n[$1]++ } END { for (c in n) if (n[c] != (c == 0 ? 2 : 1)) bad++; print bad + 0 }' "$TMPDIR/out")" = 0 ] ||
	wrong "$(cat "$TMPDIR/out")"
finish
