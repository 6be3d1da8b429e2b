#!/bin/sh
# what: d_path() across mounts, and of the root
# @@needs: root bpf
. "$SRC/test/lib/one-cpu.sh"
fail() { echo "$*"; exit 1; }
unshare -m true 2>/dev/null || {
	echo "needs mounts of its own: unshare -m says: $(unshare -m true 2>&1)"
	exit 77
}

mkdir -p $TMPDIR/a/b $TMPDIR/mnt
cat >$TMPDIR/mount.sh <<S
mount --bind $TMPDIR/a $TMPDIR/mnt
cd $TMPDIR/mnt/b
kill -0 1
cd /
kill -0 1
S
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
