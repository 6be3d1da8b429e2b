#!/bin/sh
# what: copyout() and copyoutstr() write user memory, or say why they cannot
# @@needs: root bpf
fail() { echo "$*"; exit 1; }

cat >$TMPDIR/c.d <<'D'
/* The kernel has not read the name yet. */
syscall::mkdir:entry,
syscall::mkdirat:entry
/pid == $target/
{
	this->at = probefunc == "mkdir" ? arg0 : arg1;
	copyoutstr("XY", this->at + strlen(copyinstr(this->at)) - 5, 2);
	this->p = (char *)alloca(2);
	this->p[0] = 'Z';
	copyout(this->p, this->at + strlen(copyinstr(this->at)) - 1, 1);
}
BEGIN { copyout(curthread, 16, 8); }
BEGIN { copyoutstr("abc", 24, 8); }
D
$DTRACE -qws $TMPDIR/c.d -c "mkdir $TMPDIR/abcde" >$TMPDIR/out 2>&1
if grep -q 'lets no program write to user memory' $TMPDIR/out; then
	echo "this kernel lets no program write to user memory"
	exit 77
fi
[ -d $TMPDIR/XYcdZ ] || fail "$(ls $TMPDIR; cat $TMPDIR/out)"
grep -q 'invalid address (0x10) in action #1' $TMPDIR/out || fail "$(cat $TMPDIR/out)"
grep -q 'invalid address (0x18) in action #1' $TMPDIR/out || fail "$(cat $TMPDIR/out)"
