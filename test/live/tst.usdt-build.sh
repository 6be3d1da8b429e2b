#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: -h and -G: a program with probes of its own, built with every compiler here, seen by us and by other tools
# @@needs: uprobe cc
# @@timeout: 300
fault=0
cd "$TMPDIR" || exit 1
cat >types.d <<'END'
typedef struct shown { int twice; string who; } shown_t;
translator shown_t < int n > { twice = n * 2; who = "me"; };
END
cat >prov.d <<'END'
typedef unsigned int my_id_t;
provider myapp {
	probe start();
	probe query__start(char *, int);
	probe query__done(my_id_t id, long rows, short s, unsigned char c, signed char sc);
	probe mapped(char *s, int n) : (int n, char *s);
	probe shown(int n) : (shown_t *n, int n);
	probe many(int, int, int, int, int, int, int, int, int, int);
};
#pragma D attributes Evolving/Evolving/Common provider myapp provider
END
cat types.d prov.d >all.d && mv all.d prov.d || exit 1
cat >app.c <<'END'
typedef unsigned int my_id_t;
#include "prov.h"
#include <string.h>
int last = 42, enabled;
static void query(int i)
{
	char text[16];

	strcpy(text, "select");
	MYAPP_QUERY_START(text, i);
	if (MYAPP_QUERY_DONE_ENABLED())
		enabled++;
	MYAPP_QUERY_DONE(4000000000u, -5L, -3, 200, -7);
}
int main(void)
{
	MYAPP_START();
	for (int i = 0; i < 2; i++)
		query(i);
	MYAPP_MAPPED((char *)"text", 7);
	MYAPP_SHOWN(21);
	MYAPP_MANY(1, 2, 3, 4, 5, 6, 7, 8, 9, last);
	return enabled;
}
END
"$DTRACE" -h -s prov.d || { echo "-h: status $?"; exit 1; }
for cc in "cc -O0" "cc -O2" "cc -O2 -fPIE -pie -flto" "clang -O0" "clang -O2" "g++ -O2" "clang++ -O2 -Wno-deprecated" "cc -O2 -DNO_DTRACE"; do
	command -v "${cc%% *}" >/dev/null || continue
	rm -f app app.o prov.o
	# shellcheck disable=SC2086
	$cc -Wall -Wextra -Werror -c app.c -o app.o || { echo "$cc: header not compiled"; fault=1; continue; }
	"$DTRACE" -G -s prov.d app.o && "$DTRACE" -G -s prov.d app.o || { echo "-G: status $?"; fault=1; continue; }
	# shellcheck disable=SC2086
	$cc -o app app.o prov.o || { echo "$cc: not linked"; fault=1; continue; }
	./app || { echo "$cc: status $? when nobody looks"; fault=1; }
	case $cc in *NO_DTRACE*) continue ;; esac
	"$DTRACE" -qn 'myapp$target:::query-start { printf("%s %d\n", copyinstr(arg0), arg1); }
		myapp$target:::query-done { printf("%d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4); }
		myapp$target:::many { printf("%d %d %d %d %d\n", arg0, arg1, arg5, arg6, arg9); }
		myapp$target:app:main:start { printf("start\n"); }' -c ./app >out 2>err || { echo "status $?"; fault=1; }
	want='1 2 6 7 42
4000000000 -5 -3 200 -7
4000000000 -5 -3 200 -7
select 0
select 1
start'
	[ "$(LC_ALL=C sort out | grep -v '^$')" = "$want" ] || { echo "$cc: got"; cat out err; fault=1; }
	grep -q 'exited with status 2' err || "$DTRACE" -n 'myapp$target:::query-done { }' -c ./app 2>&1 |
		grep -q 'exited with status 2' || { echo "$cc: the program was not told that it is looked at"; fault=1; }
done
# A program at a fixed address: operands that are addresses of symbols.
if cc -O1 -no-pie -I"$SRC/test/programs" -o fixed "$SRC/test/programs/usdtargs.c" 2>/dev/null; then
	sed 's/-8@symbol_pass(%%rip)/8@$symbol_table+4/; s/8+symbol_table(%%rip)/symbol_table(,%%rax,8)/;
		s/"m"(symbol_pass)/"a"(1L), "m"(symbol_pass)/' "$SRC/test/programs/usdtargs.c" >fixed.c
	cc -O1 -no-pie -I"$SRC/test/programs" -o fixed fixed.c || fault=1
	"$DTRACE" -qn 'tprov$target:::symbols { this->p = (int *)copyin(arg0, 4); printf("%d %d %d\n", *this->p, arg1, arg2); }' \
		-c ./fixed >out 2>err
	[ "$(xargs <out)" = '-21 -21 22' ] || { echo 'fixed:'; cat out err; fault=1; }
fi
cc -O2 -c app.c -o app.o && cc -o app app.o prov.o
# args[] are what the definition says: mapped, translated, with their types; also in a program without symbols.
cat >use.d <<'END'
#pragma D option quiet
myapp$target:::mapped { printf("%d %d %s\n", args[0], arg1, args[1] == (char *)arg0 ? "the same" : "other"); }
myapp$target:::shown { printf("%d %s %d\n", args[0]->twice, args[0]->who, args[1]); }
myapp$target:::query-done { printf("%d\n", args[2] == -3 && args[1] == -5); }
END
cat types.d use.d >all.d && strip app || exit 1
"$DTRACE" -s all.d -c ./app >out 2>err || { echo "status $?"; fault=1; }
[ "$(LC_ALL=C sort out | grep -v '^$' | xargs)" = '1 1 42 me 21 7 7 the same' ] || { echo 'declared:'; cat out err; fault=1; }
"$DTRACE" -lvn 'myapp$target:::mapped, myapp$target:::query-start' -c ./app 2>&1 | sed -n 's/.*\(args\[.*\)/\1/p' | xargs >out
[ "$(cat out)" = 'args[0]: int args[1]: char * args[0]: char * args[1]: int' ] || { echo 'types:'; cat out; fault=1; }
cc -o app app.o prov.o
readelf -n app 2>/dev/null | grep -q 'Name: query__start' || { echo "readelf does not see it"; fault=1; }
if command -v bpftrace >/dev/null; then
	bpftrace -l "usdt:./app:*" 2>/dev/null | grep -q 'myapp:query__start' || { echo "bpftrace does not see it"; fault=1; }
fi

# The program is told while it runs, of each consumer that comes and goes, also of one that is killed.
cat >watch.c <<'END'
typedef unsigned int my_id_t;
#include "prov.h"
#include <stdio.h>
int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	for (int before = -1;;) {
		int now = !!MYAPP_START_ENABLED();

		if (now != before)
			puts(now ? "on" : "off");
		before = now;
		if (now)
			MYAPP_START();
	}
}
END
cc -O2 -c watch.c -o watch.o && "$DTRACE" -G -s prov.d watch.o && cc -o watch watch.o prov.o || exit 1
./watch >states &
pid=$!
states()
{
	until [ "$(xargs <states)" = "$*" ]; do
		kill -0 $pid || return 1
		sleep 0.05
	done
}
states off
"$DTRACE" -qn "myapp$pid:::start { exit(0); }" >out 2>err || { echo "start: status $?"; cat out err; fault=1; }
states off on off
"$DTRACE" -qn "myapp$pid:::start { @ = count(); }" >out 2>err &
dt=$!
states off on off on
kill -9 $dt
states off on off on off
kill -9 $pid
exit $fault
