#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: dtrace itself in a pid namespace: -c, -p, $target, pid, tid, ppid, psinfo_t, progeny, forks, stacks by the numbers there; who has none has 0
# @@needs: uprobe cmd:unshare
# @@timeout: 120
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1
unshare -pfm --mount-proc true 2>/dev/null || {
	echo 'no pid namespaces'
	exit 77
}

# Numbers here that mean others outside: those of the first processes of the namespace are small.
mkfifo in
inside()
{
	cat >inside
	run unshare -pfm --mount-proc sh ./inside
}

inside <<END
exec "$DTRACE" -qn '
BEGIN { printf("%d %d %d %d\n", pid == \$pid, tid == \$pid, ppid == \$ppid, \$target < 20); }
BEGIN { printf("%d %d %d %d %d\n", curpsinfo->pr_pid == \$pid, curpsinfo->pr_ppid == \$ppid, curpsinfo->pr_pgid == \$pgid,
	curpsinfo->pr_sid == \$sid, curlwpsinfo->pr_lwpid == \$pid); }
syscall::getppid:entry /pid == \$target/ { @["pid"] = count(); }
syscall::getppid:entry /tid == \$target && ppid == \$pid/ { @["tid"] = count(); }
syscall::getppid:entry /progenyof(\$target) && progenyof(\$pid)/ { @["progeny"] = count(); }
syscall::getppid:return /curpsinfo->pr_pid == \$target/ { @["psinfo"] = count(); }
pid\$target:a.out:main:entry { @["main"] = count(); }
syscall::getppid:entry /pid == \$target/ { @s[ustack()] = count(); }
END { printa("%s %@d\n", @); }' -c "$PROGS/spin 100"
END
status 0
err ''
has_out '^1 1 1 1$'
has_out '^1 1 1 1 1$'
has_out '^main 1$'
for what in pid tid progeny psinfo; do
	has_out "^$what 100\$"
done
has_out '^ *spin`_start'

# Forks that are followed, and libraries that come late: the news are of the numbers here.
inside <<END
exec "$DTRACE" -x fork=follow -qn 'pid\$target:a.out:go:entry { @e = count(); } fam\$target:::went { @w = count(); }
	proc:::create /pid == \$target/ { @c = count(); }
	proc:::create /args[0]->pr_ppid == \$target/ { @n = count(); }
	END { printa("%@d ", @e); printa("%@d ", @w); printa("%@d ", @c); printa("%@d\n", @n); }' -c "$PROGS/family 20 5"
END
status 0
out '116
116 116 20 20
'

inside <<END
exec "$DTRACE" -Zqn 'pid\$target:a.out:g1:entry { @f = count(); } pid\$target:a.out:go:entry { @g = count(); }
	END { printa("%@d ", @f); printa("%@d\n", @g); }' -c "$PROGS/reexec $PROGS/family 20 5"
END
status 0
out '116
1 1
'

# One deeper has a number here as well; it is not its own.
inside <<END
exec "$DTRACE" -qn 'syscall::getppid:entry /execname == "spin" && progenyof(\$target)/ { @[pid > \$target, pid == tid] = count(); }
	END { printa("%d %d %@d\n", @); }' -c "unshare -pf $PROGS/spin 100"
END
status 0
out '1 1 100
'

# Of a process outside only what it does is seen.
cp /bin/sh outsider
# shellcheck disable=SC2016
./outsider -c 'while kill -0 $$; do :; done' &
outsider=$!
inside <<END
exec "$DTRACE" -qn 'syscall::kill:entry /execname == "outsider"/
	{ printf("%d %d %d %d %d\n", pid, tid, curpsinfo->pr_pid, curlwpsinfo->pr_lwpid, progenyof(\$pid)); exit(0); }'
END
kill $outsider
status 0
out '0 0 0 0 0
'

# -p: of what runs here, by its number here.
inside <<END
"$PROGS/family" 20 5 hold <in >count &
pid=\$!
exec 3>in
"$DTRACE" -p \$pid -x fork=follow -qn 'BEGIN { printf("ready %d\n", \$target < 20); }
	pid\$target:a.out:go:entry { @ = count(); }
	END { printa("%@d\n", @); }' 3>&- &
until grep -q ready "$TMPDIR/out"; do sleep 0.1; done
exec 3>&-
wait
END
status 0
[ "$(cat count)" = 116 ] || wrong "counted $(cat count)"
out 'ready 1
116
'
finish
