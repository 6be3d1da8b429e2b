#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: C++ functions, by the name of the symbol and by globs of the name in the source
# @@needs: uprobe cmd:g++
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1
cat >shape.cc <<'END'
namespace plane {
struct Shape {
	int side;
	explicit Shape(int n) : side(n) {}
	int __attribute__((noinline)) area() { __asm__ volatile("" : : : "memory"); return side * side; }
	int __attribute__((noinline)) grow(int n) { side += n; __asm__ volatile("" : : : "memory"); return side; }
	int __attribute__((noinline)) grow(long n) { side -= (int)n; __asm__ volatile("" : : : "memory"); return side; }
};
template <typename T> T __attribute__((noinline)) twice(T n) { __asm__ volatile("" : : : "memory"); return n + n; }
}
int main(int argc, char **)
{
	plane::Shape s(argc + 2);
	s.grow(2);
	s.grow(1L);
	return s.area() - plane::twice(8);
}
END
g++ -O1 -o shape shape.cc || exit 77
one() # PATTERN WANT
{
	run "$DTRACE" -qn "pid\$target:a.out:$1:return"' { @[probefunc, (int)arg1] = count(); } END { printa("%s %d %@d\n", @); }' -c ./shape
	status 0
	[ "$(LC_ALL=C sort out | grep -v '^$')" = "$2" ] || wrong "$1: $(cat out err)"
}
one 'plane??Shape??area??' '_ZN5plane5Shape4areaEv 16 1'
one '_ZN5plane5Shape4areaEv' '_ZN5plane5Shape4areaEv 16 1'
one '*Shape*area*' '_ZN5plane5Shape4areaEv 16 1'
one 'plane??Shape??grow?*' '_ZN5plane5Shape4growEi 5 1
_ZN5plane5Shape4growEl 4 1'
one 'plane??Shape??grow?long?' '_ZN5plane5Shape4growEl 4 1'
one '*plane??twice*' '_ZN5plane5twiceIiEET_S1_ 16 1'
finish
