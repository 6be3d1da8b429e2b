#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: stacks through code without frame pointers: optimised functions, libc, signals, realigned stacks, return probes
# @@needs: uprobe
# @@timeout: 300
. "$SRC/test/lib/stacks.sh"
. "$SRC/test/lib/one-cpu.sh"

# frames WHAT PROGRAM "FUNCTIONS": the program's functions in the stacks of out, in order; libc's as -
frames()
{
	got=$(sed -n "s/^  *$2\`\([a-z_0-9]*\).*/\1/p; s/^  *lib[^ ]*\`.*/-/p" out | uniq | tr '\n' ' ')
	[ "$got" = "$3 " ] || fail "$1: '$got', not '$3'"
}

cp "$PROGS/chain" "$PROGS/pointers" . || exit 1

write='syscall::write:entry /pid == $target && arg2 == 0/'
for opt in "" "-x temporal" "-x bufpolicy=ring"; do
	$DTRACE -q $opt -c ./chain -n "$write"' { ustack(); }' >out 2>err || fail "records $opt: status $?"
	frames "records $opt" chain "- in_sort compare - sorts varies main - _start - in_signal handler - raises aligns main - _start"
done

# As keys: the same stack is the same key, to the end.
$DTRACE -q -c ./chain -n "$write"' { @[ustack()] = count(); @[ustack()] = count(); }' >out 2>err ||
	fail "keys: status $?"
[ "$(grep -c '^ *2$' out)" = 2 ] || fail "keys: two stacks, each twice"
[ "$(grep -c '`_start+0x' out)" = 2 ] || fail "keys: cut"

# Limits hold, and say so.
$DTRACE -q -x ustackframes=4 -c ./chain -n "$write"' { ustack(); }' >out 2>err || fail "limit: status $?"
[ "$(grep -c '\[ truncated \]' out)" = 2 ] || fail "limit: not marked"
$DTRACE -q -c ./chain -n "$write"' { ustack(3); }' >out 2>err || fail "ustack(3): status $?"
frames "ustack(3)" chain "- in_sort compare - in_signal handler"

# Of the probes of a process: at entry, at return, above functions whose return is being watched.
$DTRACE -q -c ./chain -n 'pid$target:chain:raises:entry { ustack(); printf("%A %d\n", ucaller, ustackdepth); }' \
	>out 2>err || fail "entry: status $?"
frames entry chain "raises aligns main - _start"
grep -q '^chain`aligns+0x[0-9a-f]* [1-9][0-9]*$' out || fail "entry: ucaller, ustackdepth"
$DTRACE -q -c ./chain -n 'pid$target:chain:raises:return, pid$target:chain:aligns:return,
	pid$target:chain:in_signal:return { @[probefunc] = count(); }
	pid$target:chain:in_signal:return { ustack(); }' >out 2>err || fail "return: status $?"
frames return chain "handler - raises aligns main - _start"

# Samples of a program that is in no system call.
$DTRACE -q -c './chain spins' -n 'profile-499 /pid == $target && arg1/ { @[ustack()] = count(); n++; }
	profile-499 /n >= 20/ { exit(0); }' >out 2>err || fail "samples: status $?"
sed -n 's/^ *chain`\([a-z_]*\).*/\1/p' out | tr '\n' ' ' | grep -q 'spins middle main _start' || fail samples

# What it is without.
$DTRACE -q -x ustackunwind=fp -c ./chain -n "$write"' { ustack(); }' >out 2>err || fail "fp: status $?"
grep -q '`_start+0x' out && fail "frame pointers went all the way: nothing is proven"
# With frame pointers both ways tell the same.
for how in cfi fp; do
	$DTRACE -q -x ustackunwind=$how -c ./pointers -n 'pid$target:pointers:raises:entry { ustack(3); }' >out 2>err ||
		fail "$how: status $?"
	frames "$how" pointers "raises aligns main"
done

# A process that nobody has told of: its code is read when it is met, and what comes next is known.
cp chain later
./later calls &
later=$!
trap 'kill $later 2>/dev/null' EXIT
$DTRACE -q -n 'syscall::write:entry /execname == "later" && arg2 == 0 && ustackdepth > 4/ { ustack(); exit(0); }' >out 2>err ||
	fail "later: status $?"
frames later later "- in_signal calls main - _start"

# More than any machine has: less is taken, and said.
$DTRACE -x unwindsize=100t -c ./chain -n "$write"' { ustack(); }' >out 2>err || fail "100t: status $?"
grep -Eq '^dtrace: unwinding size lowered to [0-9]+[kmg]$' err || fail "100t: not said"
grep -q '`_start+0x' out || fail "100t: no stack"

# No room for any table: it is said, and goes on by frame pointers.
$DTRACE -q -x unwindsize=1 -c ./chain -n "$write"' { ustack(); }' >out 2>err || fail "unwindsize: status $?"
grep -q 'found no room for unwinding' err || fail "unwindsize: not said"
grep -q 'chain`in_sort' out || fail "unwindsize: no stack"
exit 0
