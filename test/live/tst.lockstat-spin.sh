#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: lockstat: interrupted waits for a terminal's lock, and spinning for the lock of the list of processes
# @@needs: btf cmd:python3 cpus:2
# @@timeout: 180
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1
"$DTRACE" -ln lockstat:::rw-spin >/dev/null 2>&1 || { echo 'no tracepoints for waits for locks'; exit 77; }

# All of these go on until they are killed, and their children with them.
cat >family.py <<'END'
import ctypes, os
os.register_at_fork(after_in_child=lambda: ctypes.CDLL(None).prctl(1, 9))
END
# Two read one terminal, descriptor 9. The second waits for the lock that the first one has, and signals end its wait.
cat >terminal.py <<'END'
import family, os, pty, signal
m, s = pty.openpty()
os.dup2(s, 9)
if os.fork() == 0:
    while True:
        os.read(9, 1)
signal.signal(signal.SIGUSR1, lambda *a: None) # before it can be sent
pid = os.fork()
if pid == 0:
    while True:
        os.read(9, 1)
import time
while True:
    time.sleep(0.01)
    os.kill(pid, signal.SIGUSR1)
END
python3 terminal.py &
load=$!
run "$DTRACE" -qn '
syscall::read:entry /progenyof($1) && arg0 == 9/ { self->in = timestamp; }
syscall::read:return { self->in = 0; }
lockstat:::adaptive-acquire-error /self->in && (uintptr_t)args[0] == (uintptr_t)&((struct n_tty_data *)
    ((struct tty_file_private *)curthread->files->fdt->fd[9]->private_data)->tty->disc_data)->atomic_read_lock/
{ @[args[1] == EINTR] = count(); seen++; }
sysinfo:::mutex_adenters /self->in/ { @waits = sum(arg0); }
tick-100ms /seen >= 10/ { exit(0); }
END { printa("interrupted: %d\n", @); printa("waits %@d\n", @waits); }' $load
kill -9 $load
status 0
has_out '^interrupted: 1$'
waits=$(sed -n 's/^waits //p' out)
[ "${waits:-0}" -ge 10 ] || wrong "waits for mutexes: $(cat out)"
grep -q '^interrupted: 0' out && wrong 'another error'

# One asks for the priority of its process group, which reads the list of processes, two change their group, which writes it.
# Behind the one that waits for the lock others wait for the lock within.
cat >processes.py <<'END'
import family, os
for i in range(2):
    if os.fork() == 0:
        os.setpgid(0, 0)
        while True:
            os.setpgid(0, 0)
while True:
    os.getpriority(os.PRIO_PGRP, 0)
END
python3 processes.py &
load=$!
run "$DTRACE" -qn '
#pragma D option dynvarsize=4m
syscall::getpriority:entry, syscall::setpgid:entry /progenyof($1)/ { self->in = timestamp; self->reads = probefunc == "getpriority"; }
syscall::getpriority:return, syscall::setpgid:return { self->in = 0; }
lockstat:::rw-spin /self->in && args[2] == (self->reads ? RW_READER : RW_WRITER)/
{ lock = (uintptr_t)args[0]; @right[self->reads] = count(); self->reads ? readers++ : writers++; }
lockstat:::rw-spin /self->in && args[2] != (self->reads ? RW_READER : RW_WRITER)/ { @wrong = count(); }
lockstat:::rw-spin /self->in/ { @locks[args[0]] = count(); @longer = sum(timestamp - self->in < args[1]); @least = min(args[1]); }
sysinfo:::rw_rdfails /self->in/ { @fails["reads", self->reads] = sum(arg0); }
sysinfo:::rw_wrfails /self->in/ { @fails["writes", self->reads] = sum(arg0); }
lockstat:::spin-spin /self->in && (uintptr_t)args[0] == lock + offsetof(struct qrwlock, wait_lock)/
{ @spins = count(); @longer = sum(timestamp - self->in < args[1]); @least = min(args[1]); spins++; }
tick-100ms /readers >= 10 && writers >= 10 && (spins >= 3 || readers + writers >= 2000)/ { exit(0); }
END {
	printa("spun %d %@d\n", @right); printa("wrong %@d\n", @wrong); printa("lock %@d\n", @locks);
	printa("longer %@d\n", @longer); printa("least %@d\n", @least); printa("within %@d\n", @spins);
	printa("failed %s %d %@d\n", @fails);
}' $load
kill -9 $load
status 0
has_out '^spun 0 [1-9]'
has_out '^spun 1 [1-9]'
has_out '^longer 0$'
has_out '^failed reads 1 [1-9]'
has_out '^failed writes 0 [1-9]'
grep -Eq '^failed (reads 0|writes 1)' out && wrong "waits of readers and writers: $(cat out)"
grep -q '^wrong' out && wrong "readers and writers: $(cat out)"
grep -q '^least 0$' out && wrong 'no time'
[ "$(grep -c '^lock' out)" = 1 ] || wrong "not one lock: $(cat out)"
# Where two waiting CPUs are not enough for the tracepoint (no guest of a hypervisor that helps with locks), nothing is seen.
grep -q '^within [1-9]' out || echo "spin-spin was not seen"
finish
