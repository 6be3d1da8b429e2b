#!/bin/sh
# what: progenyof(), execargs, uregs[], d_path(): of a child, across mounts, below another root
# @@needs: root bpf
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

mkdir -p $TMPDIR/a/b $TMPDIR/mnt
cat >$TMPDIR/mount.sh <<S
mount --bind $TMPDIR/a $TMPDIR/mnt
cd $TMPDIR/mnt/b
kill -0 1
cd /
kill -0 1
S
echo ': | kill -0 1' >$TMPDIR/pipe.sh
cat >$TMPDIR/path.d <<'D'
syscall::kill:entry
/progenyof($target)/
{
	printf("%s\n", d_path(&curthread->fs->pwd));
	printf("%s\n", d_path(&curthread->fs->root));
}
D
got=$($DTRACE -qs $TMPDIR/path.d -c "unshare -m sh $TMPDIR/mount.sh" | sed '/^$/d')
want="$(readlink -f $TMPDIR)/mnt/b
/
/
/"
[ "$got" = "$want" ] || fail "got: $got"

# The path of a pipe has no root; a bad address is a fault.
got=$($DTRACE -qn '
BEGIN { trace(d_path((struct path *)16)); }
syscall::kill:entry /progenyof($target)/ { trace(d_path(&curthread->files->fdt->fd[0]->f_path)); exit(0); }
ERROR { printf("fault %d %d ", arg4, arg5); }' -c "sh $TMPDIR/pipe.sh" 2>/dev/null)
[ "$got" = "fault 1 16 <unknown>
" ] || [ "$got" = "fault 1 16 <unknown>" ] || fail "got: $got"
