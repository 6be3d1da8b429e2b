#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: pid probes on functions of stripped programs: from .gnu_debuglink files and .gnu_debugdata
# @@needs: uprobe cc cmd:objcopy cmd:strip cmd:xz
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

cat >prog.c <<'END'
static __attribute__((noinline)) int inner(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
__attribute__((noinline)) int outer(int x) { __asm__ volatile("" : "+r"(x)); return inner(x + 1) - 1; }
int main(void) { return outer(-1) - outer(-1); }
END
cc -O1 -o full prog.c || exit 1
strip -o bare full

# names PROGRAM: inner, which no other table has, is called twice
names()
{
	run "$DTRACE" -qn 'pid$target:a.out:inner:entry { @[probefunc, arg0] = count(); }
		pid$target:a.out:outer:return { @r[probefunc, arg1] = count(); }
		END { printa("%s %d %@d\n", @); printa("%s %d %@d\n", @r); }' -c "$1"
	status 0
	out 'inner 0 2
outer 0 2
'
}
names ./full
run "$DTRACE" -qn 'pid$target:a.out:inner:entry { }' -c ./bare
status 1
has_err 'does not match any probes'

objcopy --only-keep-debug full linked.debug
objcopy --add-gnu-debuglink=linked.debug bare linked
names ./linked
mkdir .debug
mv linked.debug .debug
names ./linked
# That of another program is not taken.
printf 'int other(void) { return 1; }\nint main(void) { return other(); }\n' >other.c
cc -O1 -o other other.c
objcopy --only-keep-debug other .debug/linked.debug
run "$DTRACE" -qn 'pid$target:a.out:inner:entry { }' -c ./linked
status 1
rm -r .debug

objcopy --only-keep-debug full mini.debug
objcopy -S --remove-section .comment --keep-symbol=inner --keep-symbol=outer --keep-symbol=main mini.debug mini.syms
xz -f mini.syms
objcopy --add-section .gnu_debugdata=mini.syms.xz bare mini
names ./mini
# Neither nonsense nor half of it is taken, and neither does harm.
echo nonsense >nonsense
head -c 200 mini.syms.xz >half
for section in nonsense half; do
	objcopy --add-section .gnu_debugdata=$section bare broken
	chmod +x broken
	run "$DTRACE" -qn 'pid$target:a.out:inner:entry { }' -c ./broken
	status 1
	has_err 'does not match any probes'
done
finish
