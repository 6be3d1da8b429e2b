#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: "dtrace: 11 drops on CPU 0" with a small buffer; gone with a larger one or a faster switchrate
# @@needs: root bpf
. "$SRC/test/lib/seeds.sh"
"$PROGS/syscalls" $ENDLESS >/dev/null &
load=$!
interrupt 3 "dtrace -P syscall -b 4k -x switchrate=2s"
kill $load
status 0
has_err '^dtrace: [0-9]+ drops on CPU [0-9]+$'
! grep -E 'drop' err | grep -Evq '^dtrace: (1 drop|[0-9]+ drops) on CPU [0-9]+$' || wrong "$(cat err)"
# 2000 records are too many for 4k, not for 4m, nor for 4k that is read after each hundred. The first
# switch comes at the start, perhaps late: they wait for what it prints.
D='BEGIN { printf("begun\n"); } syscall::getppid:entry /pid == $target/ { trace(timestamp); }'
run dtrace -q -b 4k -x switchrate=9s -n "$D" -c "taskset -c 0 $PROGS/spin 2000 out"
has_err '^dtrace: 1744 drops on CPU [0-9]+$'
run dtrace -q -b 4m -x switchrate=9s -n "$D" -c "taskset -c 0 $PROGS/spin 2000 out"
no_err drop
cp "$PROGS/spin" spin$$ # others may run the same program
dtrace -q -b 4k -x switchrate=100hz -o paced -n 'syscall::getppid:entry /execname == "'spin$$'"/ { printf("%d\n", n++); }
	BEGIN { printf("armed\n"); }' 2>err &
job=$!
await lines paced 1 || wrong "not armed: $(cat err)"
i=0
while [ $i -lt 20 ]; do
	i=$((i + 1))
	taskset -c 0 ./spin$$ 100
	await lines paced $((i * 100 + 1)) || wrong "$(grep -c . paced) lines"
done
kill $job
wait $job
no_err 'drops? on'
finish
