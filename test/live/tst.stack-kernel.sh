#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: kernel stacks begin at the probe; caller, stackdepth, sym(), keys agree with them
. "$SRC/test/lib/await.sh"
set -u

fail()
{
	echo "FAIL: $1"
	cat out err
	exit 1
}

# Frames, numbered names on lines of their own, as the clause prints them.
script='
syscall::getppid:entry
/pid == $target && !n++/
{
	stack();
	printf("caller %a\ndepth %d\n", caller, stackdepth);
	stack(1);
	sym(caller);
	mod(caller);
	printf("\n");
	@[stack(2)] = count();
	@f[func(caller), mod(caller)] = count();
	printf("end\n");
}'

check()
{
	$DTRACE -q -c "$PROGS/spin 3" -n "$script" >out 2>err || fail "$1: status $?"
	# The first stack: from the probe to the entry from user mode, nothing of the tracing.
	sed -n '1,/^caller/p' out | sed -n 's/^ \{14\}\(.*\)/\1/p' >frames
	n=$(wc -l <frames)
	[ "$n" -ge 2 ] || fail "$1: $n frames"
	grep -Eq 'bpf|__traceiter|^0x' frames && fail "$1: the stack holds frames of the tracing, or unknown ones"
	grep -Eq '^vmlinux`entry_SYSCALL_64[a-z_]*\+0x[0-9a-f]+$' frames || fail "$1: no entry from user mode"
	second=$(sed -n 2p frames)
	grep -qx "caller $second" out || fail "$1: caller is not the second frame, $second"
	grep -qx "depth $n" out || fail "$1: stackdepth is not $n"
	[ "$(grep -c "^ \{14\}$(sed -n 1p frames)\$" out)" = 3 ] || fail "$1: stack(1) or the key differs from stack()"
	name=${second%+*}
	line=$(printf '  %-50s  %-50s' "$name" vmlinux)
	grep -Fxq "$line" out || fail "$1: sym() or mod() of the caller"
	grep -Fxq "$line                1" out || fail "$1: func() or mod() as a key"
}

cd "$TMPDIR" || exit 1
check alone
# Another tracer of the same tracepoint puts a function of the kernel's between.
$DTRACE -q -n 'syscall:::entry { @ = count(); } BEGIN { printf("ready\n"); }' >other 2>&1 &
other=$!
await has other ready
check together
kill -TERM $other
wait $other
exit 0
