#!/bin/sh
# what: cwd and root of a process below another root; curcpu
# @@needs: root bpf
. "$SRC/test/lib/one-cpu.sh"
fail() { echo "$*"; exit 1; }

grep -q '^[^ ]* [^ ]* [^ ]* [^ ]* / ' /proc/self/mountinfo || {
	echo "this shell itself is below another root: nothing is mounted on /"
	exit 77
}
mkdir -p $TMPDIR/jail/a/b
cat >$TMPDIR/jail.py <<P
import os
os.kill(os.getpid(), 0)
os.chroot("$TMPDIR/jail")
os.chdir("/a/b")
os.kill(os.getpid(), 0)
P
got=$($DTRACE -qn 'syscall::kill:entry /pid == $target/ { printf("[%s] [%s]\n", root, cwd); }' \
	-c "python3 $TMPDIR/jail.py" | sed '/^$/d')
want="[/] [$(pwd -P)]
[$(readlink -f $TMPDIR)/jail] [/a/b]"
[ "$got" = "$want" ] || fail "got: $got"

got=$($DTRACE -qn 'BEGIN {
	printf("%d%d%d", curcpu->cpu_id == cpu, curcpu->cpu_chip == chip, curcpu->cpu_lgrp == lgrp);
	printf("%d", curcpu->cpu_pset == pset);
	exit(0);
}' | sed '/^$/d')
[ "$got" = 1111 ] || fail "curcpu: $got"
