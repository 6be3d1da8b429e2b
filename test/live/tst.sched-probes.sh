#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: sched: switches, sleeps, wake-ups and yields of a program against its own counts and /proc
# @@timeout: 300
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

# Between two calls of getpgid() it sleeps 20 times, yields 7 times, and a pipe wakes its child 10 times. It prints the
# kernel's count of its voluntary switches there. (Late, it may find that what it was to sleep for has happened.)
cat >go.py <<'END'
import os, resource, time

r, w = os.pipe()
back, done = os.pipe()
pid = os.fork()
if pid == 0:
    for i in range(10):
        os.read(r, 1)
        time.sleep(0.002)
        os.write(done, b"x")
    os._exit(0)
def state():
    return open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[0]
def switches():
    return resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
switches()
os.getpgid(0)
before = switches()
for i in range(10):
    # Only one that sleeps can be woken.
    time.sleep(0.002)
    while state() != "S":
        time.sleep(0.001)
    os.write(w, b"x")
    os.read(back, 1)
os.waitpid(pid, 0)
for i in range(20):
    time.sleep(0.001)
for i in range(7):
    os.sched_yield()
slept = switches() - before
os.getpgid(0)
print("child", pid, "slept", slept)
END
run "$DTRACE" -qn '
syscall::getpgid:entry /pid == $target/ { between++; }
sched:::surrender /between == 1 && pid == $target && args[0]->pr_lwpid == tid && args[1]->pr_pid == pid/ { @y = count(); }
sched:::sleep /between == 1 && pid == $target/ { @s = count(); }
sched:::off-cpu /between == 1 && pid == $target/ { @o = count(); }
sched:::off-cpu /between == 1 && pid == $target && args[0]->pr_lwpid == tid/ { @self = count(); }
sched:::wakeup /between == 1 && pid == $target && args[1]->pr_pid != pid && args[1]->pr_ppid == pid/ { @w = count(); }
sched:::dequeue /between == 1 && args[1]->pr_pid == $target/ { @d = count(); @cpu[args[2]->cpu_id == cpu] = count(); }
sched:::enqueue /between == 1 && args[1]->pr_pid == $target/ { @e = count(); }
END {
	printa("yielded %@d\n", @y); printa("slept %@d\n", @s); printa("off %@d\n", @o);
	printa("woke %@d\n", @w); printa("dequeued %@d\n", @d); printa("enqueued %@d\n", @e);
	printa("self %@d\n", @self); printa("cpu right: %d\n", @cpu);
}' -c 'python3 go.py'
status 0
err ''
value() { awk -v k="$1" '$1 == k { print $2 }' out; }
own=$(sed -n 's/^child.*slept \([0-9]*\)$/\1/p' out)
[ "${own:-0}" -ge 10 ] || wrong "$(cat out)"
[ "$(value yielded)" = 7 ] || wrong "yields: $(value yielded)"
# Between the calls and its looks at the count a page of its code may have to come from the disk.
[ "$(value slept)" -ge "$own" ] && [ "$(value slept)" -le $((own + 5)) ] || wrong "slept $(value slept), own $own"
[ "$(value dequeued)" = "$(value slept)" ] || wrong "dequeued $(value dequeued), slept $(value slept)"
# Most are woken by a timer, and some machines have no tracepoints in interrupts for some milliseconds now and then.
[ "$(value enqueued)" -ge $(($(value slept) / 2)) ] || wrong "enqueued $(value enqueued), slept $(value slept)"
[ "$(value woke)" -ge 10 ] || wrong "woke $(value woke)"
[ "$(value off)" -ge "$(value slept)" ] || wrong "off $(value off)"
[ -z "$(value self)" ] || wrong 'off-cpu names the thread itself as next'
has_out '^cpu right: 1$'
[ $fault = 0 ] || cat out

# Each thread that goes on a CPU is the current one there: after each time that it slept.
run "$DTRACE" -ln sched:::on-cpu
if [ "$got" = 0 ] && grep -q on-cpu out; then
	run "$DTRACE" -qn 'syscall::getpgid:entry /pid == $target/ { between++; }
sched:::on-cpu /between == 1 && pid == $target/ { @ = count(); } END { printa("on %@d\n", @); }' -c 'python3 go.py'
	status 0
	own=$(sed -n 's/^child.*slept \([0-9]*\)$/\1/p' out)
	[ "$(value on)" -ge "${own:-10}" ] || wrong "on $(cat out)"
fi

# The tick charges whoever runs: a program that does not wait, until it was seen 20 times.
run "$DTRACE" -ln sched:::tick
if [ "$got" = 0 ] && grep -q tick out; then
	echo 'while True: pass' >busy.py
	run "$DTRACE" -qn 'sched:::tick /pid == $target && args[0]->pr_lwpid == tid && args[1]->pr_pid == pid/ { n++; }
sched:::tick /pid == $target && n >= 20/ { exit(0); }
sched:::tick /curthread->pid == 0/ { @idle = count(); }
END { printf("ticks %d\n", n); printa("idle %@d\n", @idle); printf("busy %d\n", $target); }' -c 'python3 busy.py'
	status 0
	kill -9 "$(value busy)"
	has_out '^ticks 2[0-9]$'
	grep -q '^idle' out && wrong 'the idle thread is charged'
fi

# Each of 1000 calls of sched_yield() goes on with the thread or with another one.
run "$DTRACE" -ln sched:::remain-cpu
if [ "$got" = 0 ] && grep -q remain-cpu out; then
	cat >yield.py <<'END'
import os
for i in range(1000):
    os.sched_yield()
END
	run "$DTRACE" -qn 'syscall::sched_yield:entry /pid == $target/ { self->in = 1; }
syscall::sched_yield:return { self->in = 0; }
sched:::remain-cpu, sched:::off-cpu /self->in/ { @ = count(); } END { printa("decided %@d\n", @); }' -c 'python3 yield.py'
	status 0
	[ "$(value decided)" -ge 1000 ] || wrong "decisions: $(cat out)"
fi

# Two that compute share one CPU; one of them, until the kernel says that it was put off 20 times. Then it yields.
cat >share.py <<'END'
import ctypes, os, resource
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
def involuntary():
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
if os.fork() == 0:
    ctypes.CDLL(None).prctl(1, 9) # ends with its parent
    while True:
        pass
start = involuntary()
os.getpgid(0)
before = involuntary()
while involuntary() < before + 20:
    pass
os.getpgid(0)
print("put off", involuntary() - start)
for i in range(1000):
    os.sched_yield()
END
run "$DTRACE" -qn '
syscall::getpgid:entry /pid == $target/ { between++; }
sched:::preempt /pid == $target && between == 1/ { @p = count(); }
sysinfo:::inv_swtch /pid == $target && between == 1/ { @i = sum(arg0); }
syscall::sched_yield:entry /pid == $target/ { self->yields = 1; }
syscall::sched_yield:return { self->yields = 0; }
sched:::preempt /self->yields/ { @y = count(); }
sysinfo:::inv_swtch /self->yields/ { @yi = count(); }
END { printa("preempted %@d\n", @p); printa("involuntary %@d\n", @i); printa("yields %@d\n", @y); printa("given %@d\n", @yi); }' \
	-c 'python3 share.py'
status 0
own=$(sed -n 's/^put off //p' out)
[ "$(value preempted)" -ge 20 ] && [ "$(value preempted)" -le "$own" ] || wrong "preempted: $(cat out)"
[ "$(value involuntary)" = "$(value preempted)" ] || wrong "involuntary: $(cat out)"
[ -z "$(value yields)" ] || wrong "preempted in sched_yield(): $(cat out)"
[ "$(value given)" -ge 1 ] || wrong "never gave way: $(cat out)"

# A lock that lends priorities: the kernel gives its holder that of the thread that waits for it, ten times, and takes it back.
cat >lend.py <<'END'
import ctypes, os, threading
libc = ctypes.CDLL(None)
attr, lock = ctypes.create_string_buffer(64), ctypes.create_string_buffer(128)
libc.pthread_mutexattr_init(attr)
libc.pthread_mutexattr_setprotocol(attr, 1)
libc.pthread_mutex_init(lock, attr)
# As /proc shows them, less 100 for the scheduler's real-time priorities.
def priority(tid):
    return int(open("/proc/self/task/%d/stat" % tid).read().rsplit(")", 1)[1].split()[15])
holder = threading.get_native_id()
os.setpriority(os.PRIO_PROCESS, holder, 3)
own = priority(holder)
def wait(tid):
    tid.append(threading.get_native_id())
    os.setpriority(os.PRIO_PROCESS, tid[0], -7)
    tid.append(priority(tid[0]))
    libc.pthread_mutex_lock(lock)
    libc.pthread_mutex_unlock(lock)
for i in range(10):
    tid = []
    libc.pthread_mutex_lock(lock)
    t = threading.Thread(target=wait, args=(tid,))
    t.start()
    while len(tid) < 2 or open("/proc/self/task/%d/stat" % tid[0]).read().rsplit(")", 1)[1].split()[0] != "S":
        pass
    # Asleep, perhaps before it waits: it does when the other's priority has changed.
    while priority(holder) == own:
        pass
    libc.pthread_mutex_unlock(lock)
    t.join()
print("holder", holder, own + 100, tid[1] + 100)
END
run "$DTRACE" -qn 'sched:::change-pri /args[1]->pr_pid == $target/ { @[args[0]->pr_lwpid, args[2], args[0]->pr_lwpid == tid] = count(); }
END { printa("changed %d %d %d %@d\n", @); }' -c 'python3 lend.py'
status 0
sed -n 's/^holder //p' out | {
	read -r holder own lent
	[ -n "$lent" ] || wrong "$(cat out)"
	has_out "^changed $holder $lent 0 10\$"
	has_out "^changed $holder $own 1 10\$"
	exit $fault
} || fault=1
finish
