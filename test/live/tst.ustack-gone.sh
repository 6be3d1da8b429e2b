#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: user stacks have names when the process is gone, and when it has executed another program
. "$SRC/test/lib/stacks.sh"
. "$SRC/test/lib/await.sh"

# frames OBJECT "NAME...": `out` has these functions of the object, in this order, and no others.
frames()
{
	got=$(grep -o " $1\`[a-z0-9_]*" out | sed 's/.*`//' | tr '\n' ' ')
	[ "$got" = "$2 " ] || fail "$1: $got, expected $2"
}

agg='syscall::write:entry /pid == $target && arg2 == 0/ { @[ustack()] = count(); @u[usym(ucaller)] = count(); }'
rec='syscall::write:entry /pid == $target && arg2 == 0/ { ustack(); usym(ucaller); }'

# Printed at the end, and as a record at the next switch, when the process is gone.
for script in "$agg" "$rec"; do
	$DTRACE -q -x switchrate=300ms -c "$PROGS/deep" -n "$script" >out 2>err || fail "status $?"
	frames deep "f3 f2 f1 main _start f3"
	grep -q '`write' out || fail "the function of libc"
done

# %A alone, of the target.
$DTRACE -q -x switchrate=300ms -c "$PROGS/deep" \
	-n 'syscall::write:entry /pid == $target && arg2 == 0/ { printf(" %A\n", ucaller); }' >out 2>err ||
	fail "status $?"
frames deep "f3"

# Both programs at the same addresses.
fixed=
setarch -R true 2>/dev/null && fixed="setarch -R "
$DTRACE -q -c "$fixed$PROGS/reexec $PROGS/reexec $PROGS/deep" -n "$agg" >out 2>err || fail "exec: status $?"
frames deep "f3 f2 f1 main _start f3"
# Two execs of one program are two programs.
[ "$(grep -o ' reexec`g1' out | wc -l)" = 2 ] || fail "frames of the first program"
[ "$(grep -o ' deep`f1' out | wc -l)" = 1 ] || fail "frames of the second program"

# A process that is forked, and that nobody has told of.
$DTRACE -q -n 'syscall::write:entry /execname == "deep" && arg2 == 0/ { ustack(); exit(0); }
	BEGIN { printf("ready\n"); }' >out 2>err &
dtrace=$!
await has out ready
sh -c "$PROGS/deep; true"
wait $dtrace
frames deep "f3 f2 f1 main _start"
exit 0
