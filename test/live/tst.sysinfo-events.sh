#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: sysinfo: forks, execs, messages, semaphores, bytes, migrations, interrupts between CPUs: what a program did
# @@timeout: 300
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1
value() { awk -v k="$1" '$1 == k { print $2 }' out; }
listed() { "$DTRACE" -ln "$1" 2>/dev/null | grep -q sysinfo; }

# Each of these a number of times that the program knows.
run "$DTRACE" -qn '
syscall::sched_yield:entry /pid == $target/ { yields++; }
sysinfo:::sysfork /pid == $target/ { @["sysfork"] = sum(arg0); }
sysinfo:::sysvfork /pid == $target/ { @["sysvfork"] = sum(arg0); }
sysinfo:::nthreads /pid == $target/ { @["nthreads"] = sum(arg0); }
sysinfo:::sysexec /pid != $target && progenyof($target)/ { @["sysexec"] = sum(arg0); }
sysinfo:::msg /pid == $target/ { @["msg"] = sum(arg0); }
sysinfo:::sema /pid == $target/ { @["sema"] = sum(arg0); }
sysinfo:::sysread /pid == $target && yields == 1/ { @["sysread"] = sum(arg0); }
sysinfo:::syswrite /pid == $target && yields == 1/ { @["syswrite"] = sum(arg0); }
sysinfo:::readch /pid == $target && yields == 1/ { @["readch"] = sum(args[0]); }
sysinfo:::writech /pid == $target && yields == 1/ { @["writech"] = sum(args[0]); }
sysinfo:::cpumigrate { @["cpumigrate"] = sum(arg0); }
sysinfo:::pswitch /pid == $target/ { @["pswitch"] = sum(arg0); }
sysinfo:::idlethread { @["idlethread"] = sum(arg0); }
sched:::off-cpu /((struct task_struct *)args[0]->pr_addr)->pid == 0/ { @["toidle"] = sum(1); }
END { printa("%s %@d\n", @); }' -c "$PROGS/events"
status 0
for line in 'sysfork 5' 'sysvfork 4' 'nthreads 9' 'sysexec 3' 'msg 14' 'sema 6' 'sysread 11' 'syswrite 13' 'readch 1100' 'writech 1310'; do
	has_out "^$line\$"
done
# It moved itself, and waited for its children.
own() { sed -n "s/^own $1 //p" out; }
migrated=$(value cpumigrate)
[ "${migrated:-0}" -ge "$(own moved)" ] || wrong "migrations: $(cat out)"
[ "$(value pswitch)" -ge "$(own switched)" ] || wrong "switches: $(cat out)"
# Each CPU may be within a switch when tracing begins, and when it ends. On a busy machine there are none.
idle=$(value idlethread) to=$(value toidle)
differ=$((${idle:-0} - ${to:-0}))
[ "${differ#-}" -le $((2 * $(nproc))) ] || wrong "the idle thread: $(cat out)"

# The kernel makes other CPUs pass a barrier while a thread of the program runs there.
if listed sysinfo:::xcalls && [ "$(nproc)" -ge 2 ]; then
	calls() { awk '/^ *CAL:/ { for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i } END { print n }' /proc/interrupts; }
	"$PROGS/events" barriers &
	load=$!
	before=$(calls)
	run "$DTRACE" -qn '
syscall::membarrier:entry /pid == $1/ { self->in = 1; }
syscall::membarrier:return { self->in = 0; }
sysinfo:::xcalls /self->in/ { n++; @ = sum(arg0); }
tick-100ms /n >= 20/ { exit(0); }
END { printa("barriers %@d\n", @); }' "$load"
	after=$(calls)
	kill -9 "$load"
	status 0
	[ "$(value barriers)" -ge 20 ] && [ "$(value barriers)" -le $((after - before)) ] ||
		wrong "barriers, of $((after - before)) interrupts: $(cat out)"
fi
finish
