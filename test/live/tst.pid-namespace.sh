#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: a process in pid and mount namespaces of its own, its program and debug file seen by it alone: probes, pid, stacks, forks
# @@needs: uprobe cmd:unshare cmd:objcopy cmd:strip
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1
unshare -pfm --mount-proc true 2>/dev/null || {
	echo 'no pid namespaces'
	exit 77
}

# Where the process has its own program others have another one.
mkdir there
cp "$PROGS/short" there/program
objcopy --only-keep-debug "$PROGS/family" family.debug
strip -o stripped "$PROGS/family"
objcopy --add-gnu-debuglink=family.debug stripped family
mkfifo in
# traced FORM: FORM becomes the program
traced()
{
	form=$1
	rm -f out
	cat >inside <<END
mount -t tmpfs none $TMPDIR/there || exit 1
cp $TMPDIR/family.debug there
cp $form there/program
exec $TMPDIR/there/program 10 5 hold
END
	unshare -pfm --mount-proc sh ./inside <in >inside.out &
	outer=$!
	exec 3>in
	for _ in $(seq 300); do
		pid=$(ps -o pid= --ppid $outer)
		[ -n "$pid" ] && [ "$(readlink "/proc/${pid##* }/exe")" = "$TMPDIR/there/program" ] && break
		sleep 0.1
	done
	pid=${pid##* }
	[ "$(sed -n 's/^NSpid:.*	//p' /proc/$pid/status)" = 1 ] || wrong "$pid is not the first in its namespace"

	"$DTRACE" -x fork=follow -p $pid -qn 'BEGIN { printf("ready\n"); }
		pid$target:a.out:go:entry { @e = count(); } pid$target:a.out:go:return { @r = sum(arg1); }
		fam$target:program:go:went { @w = count(); }
		pid$target:a.out:go:entry /arg0 == 0/ { printf("first %d %d\n", pid, ppid); @s[ustack(2)] = count(); }
		syscall::exit_group:entry /progenyof($target) && ppid == $target/ { @x = count(); }
		END { printa("%@d ", @e); printa("%@d ", @r); printa("%@d ", @w); printa("%@d\n", @x); printa("%k", @s); }' \
		>out 2>err 3>&- &
	dt=$!
	says ready out
	exec 3>&-
	wait $dt || wrong "status $?"
	wait $outer || wrong "inside: status $?"
	grep -q '^61$' inside.out || wrong "inside: $(cat inside.out)"
	has_out "^first $pid $outer\$"
	has_out '^61 360 61 10$'
}
traced "$PROGS/family"
has_out '^ *program`go(\+0x[0-9a-f]+)?$'
has_out '^ *program`main\+0x'
# Stripped, with a debug file beside it.
traced "$TMPDIR/family"
finish
