#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: rawtp and sdt: fields of trace events and arguments of prototypes against what the process did itself
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

# A process tells its number, changes its name and executes a program by a path that we know.
cp /bin/true ./prov-true
cat >go <<'END'
#!/bin/sh
echo $$ >pid
printf prov-name >/proc/self/comm
printf prov-name >/proc/$$/comm
exec ./prov-true
END
chmod +x go
run "$DTRACE" -qn '
sdt:task::task_rename
/pid == $target && pid == args[0] && stringof(args[2]) == "prov-name"/
{ printf("sdt %d %s %s %d\n", args[0], stringof(args[1]), stringof(args[2]), args[3]); }
rawtp:task::task_rename
/pid == $target && stringof(args[1]) == "prov-name"/
{ printf("raw %d %s %s\n", args[0]->tgid, args[0]->comm, stringof(args[1])); }
sdt:sched::sched_process_exec
/pid == $target && stringof(args[0]) == "./prov-true"/
{ printf("exec %s %d %d\n", stringof(args[0]), args[1], args[2]); }
rawtp:sched::sched_process_exec
/pid == $target && execname == "prov-true"/
{ printf("rawexec %d %s\n", arg1, stringof(args[2]->filename)); }
sdt:syscalls::sys_exit_write
/pid == $target && arg0 == 9/ { @ = count(); }
END { printa("writes %@d\n", @); }' -c ./go
status 0
err ''
pid=$(cat pid)
adj=$(cat /proc/self/oom_score_adj)
has_out "^sdt $pid go prov-name $adj\$"
has_out "^raw $pid go prov-name\$"
has_out "^exec ./prov-true $pid $pid\$"
has_out "^rawexec $pid ./prov-true\$"
has_out '^writes [12]$'

# Arguments behind the last one are 0; their types are those of the prototype and of the format.
run "$DTRACE" -qn 'rawtp:sched::sched_switch { printf("%d\n", arg9); exit(0); }'
has_out "^0\$"
run "$DTRACE" -lvn rawtp:sched::sched_process_fork
has_out 'args\[0\]: struct task_struct \*$'
has_out 'args\[1\]: struct task_struct \*$'
run "$DTRACE" -lvn sdt:task::task_rename
has_out 'args\[0\]: pid_t$'
has_out 'args\[1\]: char \*$'
has_out 'args\[3\]: short$'
run "$DTRACE" -n 'sdt:task::task_rename { trace(args[4]); }'
status 1
has_err "index 4 is out of range for sdt:task::task_rename args"
finish
