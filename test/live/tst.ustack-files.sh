#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: names of user functions from every kind of file: PIE or not, stripped, with debug files; C++
# @@needs: cc cmd:objcopy cmd:strip cmd:nm cmd:setarch
# @@timeout: 300
. "$SRC/test/lib/stacks.sh"

cat >prog.c <<'END'
#include <unistd.h>
static __attribute__((noinline)) int inner(int x) { return (int)write(1, "", 0) + x; }
__attribute__((noinline)) int outer(int x) { return inner(x + 1) - 1; }
int main(void) { return outer(0); }
END
cflags="-g -O0 -fno-omit-frame-pointer"

# names PROGRAM "FRAMES" [FLAGS]: functions of the program in the stack of its write, in order
names()
{
	program=$1 want=$2
	shift 2
	$DTRACE -q "$@" -c "./$program" \
		-n 'syscall::write:entry /pid == $target && arg2 == 0/ { ustack(4); }' >out 2>err ||
		fail "$program: status $?"
	got=$(sed -n "s/^ *$program[\`:]\(0x\)*\([^+]*\).*/\2/p" out | tr '\n' ' ')
	case $want in
	unknown) echo "$got" | grep -Eq '^([0-9a-f]+ ){3}$' || fail "$program $*: $got" ;;
	*) [ "$got" = "$want " ] || fail "$program $*: '$got', not '$want'" ;;
	esac
}

${CC:-cc} $cflags -o pie -pie -fPIE prog.c && names pie "inner outer main" || exit 1
${CC:-cc} $cflags -o fixed -no-pie -fno-pie prog.c && names fixed "inner outer main" || exit 1
${CC:-cc} $cflags -o static -static prog.c 2>/dev/null && {
	$DTRACE -q -c ./static -n 'syscall::write:entry /pid == $target && arg2 == 0/ { ustack(4); }' \
		>out 2>err || fail "static: status $?"
	sed 's/[^`]*`\([a-z_]*\).*/\1/' out | tr '\n' ' ' | grep -q '[a-z] inner outer main ' || fail static
}

# Without any symbols; with those of the dynamic linker only.
strip -o bare pie && names bare unknown
${CC:-cc} $cflags -o dynamic.full -rdynamic prog.c && strip -o dynamic dynamic.full
$DTRACE -q -c ./dynamic -n 'syscall::write:entry /pid == $target && arg2 == 0/ { ustack(4); }' \
	>out 2>err || fail "dynamic: status $?"
sed -n 's/^ *dynamic`\([a-z]*\).*/\1/p' out | tr '\n' ' ' | grep -qx ' *outer main ' || fail "dynamic symbols"
# A separate file by .gnu_debuglink: beside the program and in .debug, checked by its sum or build id.
objcopy --only-keep-debug pie linked.debug
strip -o linked pie
objcopy --add-gnu-debuglink=linked.debug linked
names linked "inner outer main"
mkdir .debug
mv linked.debug .debug
names linked "inner outer main"
objcopy --only-keep-debug fixed .debug/linked.debug # of another program
names linked unknown
rm -r .debug
${CC:-cc} $cflags -Wl,--build-id=none -o noid.full prog.c
objcopy --only-keep-debug noid.full noid.debug
strip -o noid noid.full
objcopy --add-gnu-debuglink=noid.debug noid
names noid "inner outer main"
echo >>noid.debug
names noid unknown

# Mini debug information.
if command -v xz >/dev/null; then
	objcopy --only-keep-debug pie mini.debug
	objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbol=inner \
		--keep-symbol=outer --keep-symbol=main mini.debug mini.syms
	xz -f mini.syms
	strip -o mini.bare pie
	objcopy --add-section .gnu_debugdata=mini.syms.xz mini.bare mini
	names mini "inner outer main"
	# Not xz at all.
	echo nonsense >nonsense
	objcopy --add-section .gnu_debugdata=nonsense mini.bare broken
	chmod +x broken
	names broken unknown
fi

# Objects and offsets in them, as nm and addr2line take them.
names pie unknown -x noresolve
main=$(nm pie | sed -n 's/^0*\([0-9a-f]*\) T main$/\1/p')
last=$(grep 'pie:0x' out | tail -n 1 | sed 's/.*:0x//')
[ $((0x$last - 0x$main)) -gt 0 ] && [ $((0x$last - 0x$main)) -lt 64 ] || fail "noresolve: $last, main is $main"

# C++.
if command -v "${CXX:-c++}" >/dev/null; then
	cat >cxx.cc <<-'END'
	#include <unistd.h>
	namespace space {
	template <class T> struct box {
		__attribute__((noinline)) int put(T x) { return (int)write(1, "", 0) + (int)x; }
	};
	}
	int main() { space::box<long> b; return b.put(0); }
	END
	${CXX:-c++} $cflags -o cxx cxx.cc || exit 1
	$DTRACE -q -c ./cxx -n 'syscall::write:entry /pid == $target && arg2 == 0/ { usym(ucaller); ustack(); }' \
		>out 2>err || fail "C++: status $?"
	grep -q '^  cxx`space::box<long>::put(long) ' out || fail "C++ usym()"
	grep -q '^ \{14\}cxx`space::box<long>::put(long)+0x' out || fail "C++ stack"
	names cxx "_ZN5space3boxIlE3putEl main" -x nodemangle
fi
exit 0
