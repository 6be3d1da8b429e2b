#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: names from code made at run time, from files that only the process can see, from files that are gone, from memory
# @@needs: cmd:unshare
# @@timeout: 300
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

# A program whose file has been replaced or is gone, and one that never had a name. The process runs on.
cat >nameless.py <<'END'
import os, sys
fd = os.memfd_create('nameless')
os.write(fd, open(sys.argv[1], 'rb').read())
os.execve(fd, ['nameless', 'calls'], os.environ)
END
# names PID FILE: its functions have their names
names()
{
	$DTRACE -q -x switchrate=20hz -p "$1" -n 'syscall::write:entry /pid == $target && arg2 == 0/ { ustack(); n++; }
		syscall::write:entry /n/ { exit(0); }' >out 2>err || fail "$2: status $?"
	[ "$(sed -n "s/^ *$2\`\([a-z_]*\).*/\1/p" out | head -n 4 | tr '\n' ' ')" = "in_signal calls main _start " ] || fail "$2"
}
trap 'kill -9 $loads' EXIT
loads=
for what in gone replaced nameless; do
	if [ $what = nameless ]; then
		python3 nameless.py "$PROGS/chain" &
	else
		cp "$PROGS/chain" $what || exit 1
		./$what calls &
	fi
	pid=$!
	loads="$loads $pid"
	case $what in
	nameless) await has /proc/$pid/maps ' r-xp .*/memfd:nameless' || fail "$what: not started" ;;
	*) await has /proc/$pid/maps " r-xp .*/$what\$" || fail "$what: not started" ;;
	esac
	[ $what = nameless ] || rm $what
	[ $what = replaced ] && cp "$PROGS/short" $what
	case $what in
	nameless) names $pid 'memfd:nameless' ;;
	*) names $pid $what ;;
	esac
done
exit 0
