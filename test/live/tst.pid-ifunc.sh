#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: functions that choose an implementation at start: the chosen one fires under the function's name
# @@needs: uprobe cc
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1
cat >lib.c <<'END'
int chosen(int x);
static int __attribute__((noinline)) first(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
static int __attribute__((noinline)) second(int x) { __asm__ volatile("" : "+r"(x)); return x + 2; }
static void *choose(void) { return CHOICE ? (void *)first : (void *)second; }
int chosen(int x) __attribute__((ifunc("choose")));
END
cat >prog.c <<'END'
int chosen(int x);
int main(int argc, char **argv) { (void)argv; return chosen(argc) + chosen(argc + 1); }
END
${CC:-cc} -O1 -DCHOICE=0 -shared -fPIC -o libchoice.so lib.c || exit 1
${CC:-cc} -O1 -o shared -Wl,-z,now prog.c ./libchoice.so &&
	${CC:-cc} -O1 -o own -DCHOICE=0 prog.c lib.c && ${CC:-cc} -O1 -static -o static -DCHOICE=0 prog.c lib.c &&
	${CC:-cc} -O1 -o stripped -s -rdynamic -DCHOICE=0 prog.c lib.c || exit 1
for prog in shared own static stripped; do
	run "$DTRACE" -qn 'pid$target::chosen:entry { @["in", probefunc, arg0] = count(); }
		pid$target::chosen:return { @["out", probefunc, arg1] = count(); } END { printa("%s %s %d %@d\n", @); }' -c ./$prog
	status 0
	err ''
	[ "$(LC_ALL=C sort out | grep -v '^$')" = "in chosen 1 1
in chosen 2 1
out chosen 3 1
out chosen 4 1" ] || wrong "$prog: $(cat out)"
done
# One probe an address: a glob that means the implementation too.
run "$DTRACE" -qn 'pid$target:a.out:*o*:entry /probefunc == "second" || probefunc == "chosen"/ { @[probefunc] = count(); }
	END { printa("%s %@d\n", @); }' -c ./own
out 'second 2
'
finish
