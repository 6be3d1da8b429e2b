#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: vtimestamp goes on while a thread runs and stands still while it sleeps; ustackdepth counts frames
# needs: root bpf
. "$SRC/test/lib/check.sh"

run "$DTRACE" -qn '
syscall::clock_nanosleep:entry /pid == $target/ { self->v = vtimestamp; self->t = timestamp; }
syscall::clock_nanosleep:return /self->t/
{ printf("asleep %d\n", (timestamp - self->t) - (vtimestamp - self->v) >= 150000000); }' -c 'sleep .3'
out 'asleep 1
'

# The last call before compute() and the first after it: 50 million rounds take more than 10 ms of any processor.
run "$DTRACE" -qn '
unsigned long v, most, before;
syscall:::entry /pid == $target/ { v = vtimestamp; most = v - before > most ? v - before : most; before = v; }
syscall:::return /pid == $target/ { before = vtimestamp; }
END { printf("busy %d\n", most > 10000000); }' -c "$PROGS/hot 50"
out 'busy 1
'

run "$DTRACE" -qn 'syscall::write:entry /pid == $target && arg2 == 0/ { printf("depth %d", ustackdepth); ustack(); }' \
	-c "$PROGS/deep"
depth=$(sed -n 's/^depth //p' "$TMPDIR/out")
has_out '`f3\+'
# A function that is not exported may have no name.
[ "$(grep -c '^  .*[^ ]' "$TMPDIR/out")" = "$depth" ] || wrong "$(cat "$TMPDIR/out")"
finish
