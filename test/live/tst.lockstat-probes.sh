#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: lockstat: waits of writers for a file's and a pipe's lock, by the addresses of these locks
# @@needs: btf cmd:python3 cpus:2
# @@timeout: 300
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

"$DTRACE" -l -P lockstat >list 2>/dev/null
grep -q rw-block list || { echo 'no tracepoints for waits for locks'; exit 77; }
for p in adaptive-acquire-error adaptive-block adaptive-spin rw-block rw-spin spin-spin; do
	grep -q " $p\$" list || wrong "not listed: $p"
done
run "$DTRACE" -lvn lockstat:::rw-block
has_out 'args\[0\]: struct rw_semaphore \*'
has_out 'args\[2\]: int'

# Four writers of one file, descriptor 9, and four of one pipe, descriptor 8, until dtrace has seen them wait.
cat >go.py <<'END2'
import os, sys
f = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR)
r, w = os.pipe()
os.dup2(r, 7)
os.dup2(w, 8)
os.dup2(f, 9)
for i in range(4):
    if os.fork() == 0:
        while True:
            os.pwrite(9, b"x" * (4 << 20), 0)
for i in range(4):
    if os.fork() == 0:
        while True:
            os.write(8, b"x" * 65536)
while True:
    os.read(7, 65536)
END2
# The group of the writers ends with dtrace.
python3 go.py data &
writers=$!
cat >lock.d <<'END2'
#pragma D option quiet
inline struct file *fd[int n] = curthread->files->fdt->fd[n];

syscall::pwrite64:entry /progenyof($1)/ { self->file = timestamp; }
syscall::pwrite64:return { self->file = 0; }
syscall::write:entry /progenyof($1) && arg0 == 8/ { self->pipe = timestamp; }
syscall::write:return { self->pipe = 0; }

lockstat:::rw-block /self->file && (uintptr_t)args[0] == (uintptr_t)&fd[9]->f_inode->i_rwsem/
{
	@file = count(); @file_time = min(args[1]); @long = sum(timestamp - self->file < args[1]);
	@kind = sum(args[2] != RW_WRITER);
	file_seen++;
}
lockstat:::adaptive-spin, lockstat:::adaptive-block
/self->pipe && (uintptr_t)args[0] == (uintptr_t)&((struct pipe_inode_info *)fd[8]->private_data)->mutex/
{
	@pipe = count(); @pipe_time = min(args[1]); @long = sum(timestamp - self->pipe < args[1]);
	pipe_seen++;
}
tick-100ms /file_seen >= 5 && pipe_seen >= 5/ { exit(0); }
END {
	printa("file %@d\n", @file); printa("pipe %@d\n", @pipe); printa("least %@d\n", @file_time);
	printa("least %@d\n", @pipe_time); printa("longer than the call %@d\n", @long); printa("other kind %@d\n", @kind);
}
END2
run "$DTRACE" -s lock.d $writers
kids=$(cat /proc/$writers/task/$writers/children)
kill -9 $writers $kids
status 0
has_out '^file [1-9]'
has_out '^pipe [1-9]'
has_out '^longer than the call 0$'
has_out '^other kind 0$'
grep -q '^least 0$' out && wrong "waits of no time: $(cat out)"
finish
