#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: -h and -G: a program with probes of its own, built with every compiler here, seen by us and by other tools
# @@needs: uprobe cc
# @@timeout: 120
fault=0
cd "$TMPDIR" || exit 1
cat >prov.d <<'END'
typedef unsigned int my_id_t;
provider myapp {
	probe start();
	probe query__start(char *, int);
	probe query__done(my_id_t id, long rows, short s, unsigned char c, signed char sc);
	probe many(int, int, int, int, int, int, int, int, int, int);
};
#pragma D attributes Evolving/Evolving/Common provider myapp provider
END
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
	MYAPP_MANY(1, 2, 3, 4, 5, 6, 7, 8, 9, last);
	return enabled;
}
END
"$DTRACE" -h -s prov.d || { echo "-h: status $?"; exit 1; }
for cc in "cc -O0" "cc -O2" "cc -O2 -fPIE -pie -flto" "clang -O0" "clang -O2" "g++ -O2" "cc -O2 -DNO_DTRACE"; do
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
cc -O2 -c app.c -o app.o && cc -o app app.o prov.o
readelf -n app 2>/dev/null | grep -q 'Name: query__start' || { echo "readelf does not see it"; fault=1; }
if command -v bpftrace >/dev/null; then
	bpftrace -l "usdt:./app:*" 2>/dev/null | grep -q 'myapp:query__start' || { echo "bpftrace does not see it"; fault=1; }
fi
exit $fault
