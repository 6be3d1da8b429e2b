#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: names from code made at run time, and from files that only the process can see
# @@needs: cmd:unshare
# @@timeout: 60
. "$SRC/test/lib/stacks.sh"
. "$SRC/test/lib/await.sh"

$DTRACE -q -c "$PROGS/jit keep" -n 'syscall::getpid:entry /pid == $target/ { printf("pid %d", pid); ustack(2); }' \
	>out 2>err || fail "jit: status $?"
pid=$(sed -n 's/^pid \([0-9]*\)$/\1/p' out | head -n 1)
rm -f "/tmp/perf-$pid.map"
grep -q "^ \{14\}perf-$pid.map\`made at run time+0x" out || fail "code made at run time"
grep -q '^ \{14\}jit`main+0x' out || fail "its caller"

# A file system of its own, over a folder of this one that holds another program of that name.
unshare -m true 2>/dev/null || {
	echo "no mount namespaces"
	exit 77
}
mkdir there
cp "$PROGS/short" there/program
cat >run <<END
#!/bin/sh
mount -t tmpfs none $TMPDIR/there || exit 1
cp $PROGS/spin $TMPDIR/there/program
$TMPDIR/there/program $ENDLESS
END
chmod +x run
$DTRACE -q -c "unshare -m ./run" -n 'syscall::getppid:entry /execname == "program"/ { @[ustack(2)] = count(); n++; }
	tick-1s /n/ { seconds++; } tick-1s /seconds > 3/ { exit(0); }' >out 2>err || fail "mount namespace: status $?"
grep -q '^ *program`main+0x' out || fail "a file that only the process could see"
exit 0
