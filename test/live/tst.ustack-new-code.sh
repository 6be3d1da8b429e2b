#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: the first stack through new code: after exec and dlopen of a command; of processes that ran before; code without tables, made at run time; marks where cut
# @@needs: uprobe
# @@timeout: 300
. "$SRC/test/lib/stacks.sh"
. "$SRC/test/lib/one-cpu.sh"
. "$SRC/test/lib/await.sh"

write='syscall::write:entry /pid == $target && arg2 == 0/'

# Below functions by tables: one that no table has, code of no file with a frame pointer, and without.
$DTRACE -q -c "$PROGS/mixed" -n "$write"' { ustack(); printf("depth %d\n", ustackdepth); }' >out 2>err || fail "mixed: status $?"
sed -n 's/^ *libc[^`]*`.*/-/p; s/^ *mixed`\([a-z_]*\).*/\1/p; s/^ *0x[0-9a-f]*$/made/p; s/^ *\(\[ truncated \]\)$/\1/p' out |
	uniq >frames
cat >want <<'END'
-
inner
bare
through_bare
main
-
_start
-
inner
made
through_made
main
-
_start
-
inner
made
[ truncated ]
made
through_made
main
-
_start
made
[ truncated ]
END
cmp -s want frames || fail "mixed: $(diff want frames)"
# The mark is no frame.
[ "$(sed -n 's/^depth //p' out | tail -n 1)" = 1 ] || fail "depth of a stack that was cut"

# whole WHAT COMMAND: the two stacks of a command that becomes ./newchain, a file that nobody has seen, go to the end.
whole()
{
	for i in 1 2 3 4 5; do
		rm -f newchain
		cp "$PROGS/chain" newchain || exit 1
		$DTRACE -q -c "$2" -n "$write"' { ustack(); }' >out 2>err || fail "$1: status $?"
		[ "$(sed -n 's/^ *newchain`\([a-z_]*\).*/\1/p' out | tr '\n' ' ')" = \
			"in_sort compare sorts varies main _start in_signal handler raises aligns main _start " ] || fail "$1"
		grep -q truncated out && fail "$1: a mark"
	done
}
printf '#!/bin/sh\nexec ./newchain\n' >becomes
chmod +x becomes
whole exec ./becomes

# What others execute takes only a part of the room.
printf '#!/bin/sh\nfor i in 1 2 3 4 5 6 7 8 9; do cp "%s" many$i; ./many$i -c :; done\nexec ./newchain\n' \
	"$(command -v bash)" >becomes
rm -f newchain
cp "$PROGS/chain" newchain || exit 1
$DTRACE -q -x unwindsize=1m -c ./becomes -n "$write"' { ustack(); }' >out 2>err || fail "many: status $?"
[ -s err ] && fail "many: no room"
[ "$(grep -c '`_start+0x' out)" = 2 ] || fail "many: not to the end"

# One that runs already is read before the first probe.
cp "$PROGS/chain" running || exit 1
./running calls &
pid=$!
trap 'kill $pid' EXIT
$DTRACE -q -p $pid -n "$write"' { ustack(); exit(0); }' >out 2>err || fail "-p: status $?"
[ "$(sed -n 's/^ *running`\([a-z_]*\).*/\1/p' out | head -n 4 | tr '\n' ' ')" = "in_signal calls main _start " ] || fail "-p"

# One that nobody has told of, which ran before: it is read while it does nothing, if not before the first probe then
# soon. Without that its first stack is marked, however long it has been waited for.
for pause in 0 0.2 0.5 1 2 4 8; do
	rm -f idle
	cp "$PROGS/chain" idle || exit 1
	./idle calls &
	idle=$!
	trap 'kill -9 $pid $idle' EXIT
	await has /proc/$idle/comm '^idle$' || fail "ahead: not started"
	kill -STOP $idle
	$DTRACE -q -x switchrate=20hz -n 'BEGIN { printf("ready\\n"); } syscall::write:entry /pid == $1 && arg2 == 0/ { ustack(); exit(0); }' \
		$idle >out 2>err &
	dtrace=$!
	await has out ready || fail "ahead: not begun"
	sleep $pause
	kill -CONT $idle
	wait $dtrace || fail "ahead: status $?"
	kill -9 $idle
	grep -q '`_start+0x' out && break
	grep -q truncated out || fail "ahead: not marked"
done
grep -q '`_start+0x' out || fail "ahead: not read"

# Another process is not stopped for it: its stacks go to the end, or are marked.
printf '#!/bin/sh\n./newchain\ntrue\n' >child
chmod +x child
for i in 1 2 3 4 5; do
	rm -f newchain
	cp "$PROGS/chain" newchain || exit 1
	$DTRACE -q -c ./child -n 'syscall::write:entry /execname == "newchain" && arg2 == 0/ { ustack(); }' >out 2>err ||
		fail "child: status $?"
	[ "$(grep -c '^$' out)" = 3 ] || fail "child: not two stacks"
	[ "$(grep -cE '`_start\+0x|\[ truncated \]$' out)" = 2 ] || fail "child: neither to the end nor marked"
done

# A library that a command maps while it runs.
command -v "${CC:-cc}" >/dev/null || exit 0
cat >lib.c <<'END'
#include <unistd.h>
__attribute__((noinline)) int lowest(int x) { char room[100]; __asm__ volatile("" ::"r"(room) : "memory"); return (int)write(1, "", 0) + x; }
int enters(int x) { char room[40]; __asm__ volatile("" ::"r"(room) : "memory"); return lowest(x) + 1; }
END
cat >opens.c <<'END'
#include <dlfcn.h>
int main(void)
{
	void *h = dlopen("./lib.so", RTLD_NOW);
	int (*f)(int) = h ? (int (*)(int))dlsym(h, "enters") : 0;
	return f ? f(1) == -99 : 1;
}
END
flags='-O2 -fomit-frame-pointer -fno-optimize-sibling-calls'
${CC:-cc} $flags -fPIC -shared -o lib.so lib.c && ${CC:-cc} $flags -o opens opens.c -ldl || fail "not compiled"
for i in 1 2 3; do
	cp lib.so new.so && mv new.so lib.so || exit 1
	$DTRACE -q -c ./opens -n "$write"' { ustack(); }' >out 2>err || fail "dlopen: status $?"
	[ "$(sed -n 's/^ *\(lib.so\|opens\)`\([a-z_]*\).*/\2/p' out | tr '\n' ' ')" = "lowest enters main _start " ] ||
		fail dlopen
done
exit 0
