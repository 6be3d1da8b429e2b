#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: "dtrace: 11 drops on CPU 0" with a small buffer; gone with a larger one or a faster switchrate
# @@needs: root bpf
# @@timeout: 60
. "$SRC/test/lib/seeds.sh"
"$PROGS/syscalls" 100000000 >/dev/null &
load=$!
interrupt 3 "dtrace -P syscall -b 4k -x switchrate=2s"
kill $load
status 0
has_err '^dtrace: [0-9]+ drops on CPU [0-9]+$'
! grep -E 'drop' err | grep -Evq '^dtrace: (1 drop|[0-9]+ drops) on CPU [0-9]+$' || wrong "$(cat err)"
# About a thousand records a second: too many for 4k in two seconds, not for 4m, nor for 4k a hundred times.
D='syscall::getppid:entry /pid == $target/ { trace(timestamp); }'
run dtrace -q -b 4k -x switchrate=9s -n "$D" -c "taskset -c 0 $PROGS/spin 2000"
has_err '^dtrace: 1744 drops on CPU [0-9]+$'
run dtrace -q -b 4m -x switchrate=9s -n "$D" -c "taskset -c 0 $PROGS/spin 2000"
no_err drop
run dtrace -q -b 4k -x switchrate=100hz -n "profile-1000 /pid != 0 || pid == 0/ { trace(timestamp); } tick-2s { exit(0); }"
no_err 'drops? on'
finish
