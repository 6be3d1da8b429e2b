#!/bin/sh
# what: progenyof(), execargs, uregs[], d_path(): of a child; what d_path() cannot name
# @@needs: root bpf
. "$SRC/test/lib/one-cpu.sh"
fail() { echo "$*"; exit 1; }

cat >$TMPDIR/child.sh <<'S'
sh -c 'kill -0 $$' two "three  four" ""
exit 0
S
got=$($DTRACE -qn '
syscall::kill:entry /progenyof($target)/
{
	printf("%d %d %d %d\n", pid == $target, progenyof(pid), progenyof(1), progenyof(2));
	printf("[%s]\n", execargs);
	printf("%d %d\n", uregs[14] == arg0, uregs[13] == arg1);
	exit(0);
}' -c "sh $TMPDIR/child.sh")
want='0 1 1 0
[sh -c kill -0 $$ two three  four ]
1 1'
[ "$(echo "$got" | sed '/^$/d')" = "$want" ] || fail "got: $got"

echo ': | kill -0 1' >$TMPDIR/pipe.sh
# The path of a pipe has no root; a bad address is a fault.
got=$($DTRACE -qn '
BEGIN { trace(d_path((struct path *)16)); }
syscall::kill:entry /progenyof($target)/ { trace(d_path(&curthread->files->fdt->fd[0]->f_path)); exit(0); }
ERROR { printf("fault %d %d ", arg4, arg5); }' -c "sh $TMPDIR/pipe.sh" 2>/dev/null)
[ "$got" = "fault 1 16 <unknown>
" ] || [ "$got" = "fault 1 16 <unknown>" ] || fail "got: $got"
