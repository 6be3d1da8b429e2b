#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: at a function's first instruction its caller is in the stack, whatever its frames
# @@needs: uprobe cc
. "$SRC/test/lib/stacks.sh"

cat >entry.c <<'END'
__attribute__((noinline)) int leaf(int x) { __asm__ volatile(""); return x + 1; }
__attribute__((noinline)) int mid(int x) { return leaf(x) + 1; }
__attribute__((noinline)) int top(int x) { return mid(x) + 1; }
int main(int argc, char **argv) { (void)argv; return top(argc) == 4 ? 0 : 1; }
END

check()
{
	what=$1
	shift
	${CC:-cc} -g "$@" -o entry entry.c || exit 1
	$DTRACE -q -c ./entry -n 'pid$target:a.out:leaf:entry { ustack(3); printf("%A\n", ucaller); }' \
		>out 2>err || fail "$what: status $?"
	sed -n 's/^ *entry`\([a-z]*\).*/\1/p' out >got
	[ "$(head -n 2 got | tr '\n' ' ')" = "leaf mid " ] || fail "$what: the caller is lost"
	grep -q '^entry`mid+0x' out || fail "$what: ucaller"
}

check "frame pointers" -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls
# Only the caller of the probe's own function can be told then.
check "no frame pointers" -O1 -fomit-frame-pointer -fno-optimize-sibling-calls
exit 0
