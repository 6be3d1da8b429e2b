#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: sysinfo, vminfo, mib: counts of a program against what it did and /proc says
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

cat >go.py <<'END'
import mmap, os, resource, socket, time

r = os.open("/dev/zero", os.O_RDONLY)
w = os.open("/dev/null", os.O_WRONLY)
for i in range(50):
    os.write(w, os.read(r, 1000 + i))
faults = resource.getrusage(resource.RUSAGE_SELF)
m = mmap.mmap(-1, 4096 * 300, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
try:
    m.madvise(mmap.MADV_NOHUGEPAGE)
except OSError:
    pass
for i in range(300):
    m[i * 4096] = 1
if os.fork() == 0:
    for i in range(300):
        m[i * 4096] = 2
    os._exit(0)
os.wait()
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(1)
c = socket.create_connection(server.getsockname())
server.accept()[0].close()
c.close()
port = server.getsockname()[1]
server.close()
try:
    socket.create_connection(("127.0.0.1", port))
except OSError:
    pass
a = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
a.bind(("127.0.0.1", 0))
b = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(9):
    b.sendto(b"x" * 77, a.getsockname())
    a.recv(100)
u = resource.getrusage(resource.RUSAGE_SELF)
print("faults", u.ru_minflt + u.ru_majflt)
END
run "$DTRACE" -qZn '
sysinfo:::readch /pid == $target && arg0 >= 1000 && arg0 < 1050/ { @r = sum(args[0]); }
sysinfo:::writech /pid == $target && arg0 >= 1000 && arg0 < 1050/ { @w = sum(args[0]); }
sysinfo:::sysread /pid == $target/ { @sr = sum(arg0); }
sysinfo:::syswrite /pid == $target/ { @sw = sum(arg0); }
sysinfo:::sysexec /pid == $target/ { @x = sum(arg0); }
sysinfo:::pswitch /pid == $target/ { @s = sum(arg0); }
sysinfo:::nthreads { @n = sum(arg0); }
syscall::read:entry, syscall::pread64:entry, syscall::readv:entry, syscall::preadv:entry /pid == $target/
{ @cr = count(); }
vminfo:::as_fault /pid == $target/ { @f = sum(arg0); }
vminfo:::cow_fault /progenyof($target) && pid != $target/ { @c = sum(arg0); }
vminfo:::prot_fault /progenyof($target) && pid != $target/ { @pf = sum(arg0); }
sysinfo:::trap /pid == $target/ { @trap = sum(arg0); }
mib:::udpOutDatagrams /pid == $target/ { @uo = sum(args[0]); }
mib:::udpInDatagrams { @ui = sum(args[0]); }
mib:::tcpOutSegs /pid == $target/ { @to = sum(args[0]); }
tcp:::send /pid == $target/ { @ts = count(); }
mib:::ipOutRequests /pid == $target/ { @io = sum(args[0]); }
ip:::send /pid == $target/ { @is = count(); }
mib:::tcpActiveOpens /pid == $target/ { @a = sum(args[0]); }
mib:::tcpPassiveOpens { @p = sum(args[0]); }
mib:::tcpAttemptFails { @t = sum(args[0]); }
mib:::tcpOutRsts { @o = sum(args[0]); }
END {
	printa("read %@d\n", @r); printa("written %@d\n", @w); printa("reads %@d\n", @sr);
	printa("calls %@d\n", @cr); printa("writes %@d\n", @sw); printa("faulted %@d\n", @f);
	printa("active %@d\n", @a); printa("passive %@d\n", @p); printa("failed %@d\n", @t);
	printa("resets %@d\n", @o); printa("traps %@d\n", @trap);
	printa("cow %@d\n", @c); printa("protection %@d\n", @pf);
	printa("uout %@d\n", @uo); printa("uin %@d\n", @ui);
	printa("tout %@d", @to); printa(" %@d\n", @ts); printa("iout %@d", @io); printa(" %@d\n", @is);
}' -c 'python3 go.py'
status 0
value() { awk -v k="$1" '$1 == k { print $2 }' out; }
[ "$(value read)" = 51225 ] || wrong "read: $(cat out)"
[ "$(value written)" = 51225 ] || wrong "written: $(cat out)"
[ "$(value reads)" = "$(value calls)" ] || wrong "reads $(value reads), calls $(value calls)"
[ "$(value writes)" -ge 50 ] || wrong "writes $(value writes)"
[ "$(value active)" = 2 ] || wrong "active opens: $(value active)"
[ "$(value passive)" -ge 1 ] || wrong "passive opens: $(value passive)"
[ "$(value failed)" -ge 1 ] || wrong "failed: $(value failed)"
# Kernels whose tracepoint gives no reason show only the resets of a connection.
"$DTRACE" -lvn rawtp:tcp::tcp_send_reset | grep -q 'args.2' && { [ "$(value resets)" -ge 1 ] || wrong "resets: $(value resets)"; }
[ "$(value uout)" = 9 ] || wrong "datagrams out: $(value uout)"
[ "$(value uin)" -ge 9 ] || wrong "datagrams in: $(value uin)"
for n in tout iout; do
	awk -v n=$n '$1 == n && $2 > 0 && $2 == $3 { good = 1 } END { exit !good }' out || wrong "$n: $(grep "^$n" out)"
done
# Without the tracepoint of this processor's faults there is nothing to compare.
"$DTRACE" -ln vminfo:::as_fault >/dev/null 2>&1 && [ "$(value faulted)" -lt 250 ] &&
	wrong "faults: $(value faulted), by its own count $(value faults)"
if "$DTRACE" -ln vminfo:::cow_fault >/dev/null 2>&1; then
	[ "$(value cow)" -ge 300 ] && [ "$(value cow)" -le "$(value protection)" ] ||
		wrong "copied on write: $(value cow), protection: $(value protection)"
fi
"$DTRACE" -ln sysinfo:::trap >/dev/null 2>&1 && [ "$(value traps)" -lt "$(value faulted)" ] &&
	wrong "traps $(value traps), faults $(value faulted)"
[ $fault = 0 ] || cat out

# The tick finds a program that computes in its own code, and one that has the kernel work in the kernel's; each tick is
# one of the two, and one of the scheduler's.
if "$DTRACE" -ln sysinfo:::cpu_ticks_user >/dev/null 2>&1; then
	cat >user.py <<'END'
import os
os.sched_yield() # from here on it counts
while True:
    pass
END
	cat >kernel.py <<'END'
import os
z = open("/dev/zero", "rb", buffering=0)
b = bytearray(16 << 20)
os.sched_yield()
while True:
    z.readinto(b)
END
	for who in user kernel; do
		run "$DTRACE" -qn 'long user, kernel;
syscall::sched_yield:entry /pid == $target/ { begun = 1; }
sched:::tick /begun && pid == $target && seen < 40/ { seen++; self->one = 1; }
sysinfo:::cpu_ticks_user /pid == $target && self->one/ { self->one = 0; user += arg0; }
sysinfo:::cpu_ticks_kernel /pid == $target && self->one/ { self->one = 0; kernel += arg0; }
sysinfo:::cpu_ticks_user, sysinfo:::cpu_ticks_kernel /curthread->pid == 0/ { idle++; }
tick-100ms /user + kernel >= 40/ { exit(0); }
END { printf("sum %d more %d idle %d\n", user + kernel, user > kernel, idle); printf("busy %d\n", $target); }' -c "python3 $who.py"
		status 0
		kill -9 "$(value busy)"
		has_out "^sum 40 more $([ $who = user ] && echo 1 || echo 0) idle 0\$"
	done
fi
finish
