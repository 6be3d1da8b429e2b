#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: -C: C headers, the system's too: D takes their types, enumerators and macros, and passes over the rest
# @@timeout: 300
. "$SRC/test/lib/check.sh"

command -v cpp >/dev/null || { echo 'no cpp'; exit 77; }
cd "$TMPDIR"

# Everything that is no D, between what is.
cat >all.h <<'E2'
#pragma once
extern int plain(int a, char *const b[]), other(void);
extern void (*handler(int, void (*)(int)))(int);
int unnamed (void) __attribute__ ((__nothrow__ , __leaf__)) __asm__ ("" "x);");
extern char *const_member (const char *__restrict s) __attribute__ ((__pure__));
typedef __signed__ char small_t;
__extension__ typedef unsigned long long int wide_t;
typedef __builtin_va_list args_t;
typedef int (*callback_t) (const void *, args_t);
typedef __int128 huge_t;
typedef struct { __int128 x; } holds_huge_t;
static __inline wide_t twice (wide_t x) { if (x) { return '}' + 2 * x; } return "{("[0]; }
_Static_assert (sizeof (int) == 4, "no; \"int\"");
struct plain {
	int a;
	char pad[__alignof__ (void *)];
	callback_t f;
	wide_t (*g) (int);
} __attribute__ ((__aligned__ (8)));
enum bits { LOW = 1, HIGH = 1U << 31, AFTER = LOW + 1 };
enum { SOCK_STREAM = 1, SOCK_OTHER = 77 };
struct open_ended { int n; union { struct { struct { } none; int list[]; }; char zero[0]; }; };
#define PLAIN(p) ((p)->a)
E2
# D in a file that is included stays as it is; text in the script is never touched.
cat >more.d <<'E2'
inline int three = strlen("abc");
int (*pointer)(int);
int numbers[int];
BEGIN /strlen("{") == 1/ { trace(three); }
translator struct plain <int i> { a = strlen("x") + i; };
E2
cat >s.d <<'E2'
#include "all.h"
#include "more.d"
struct plain p;
BEGIN
{
	p.a = 4;
	trace(PLAIN(&((struct plain *)alloca(sizeof (p)))[0]));
	exit(sizeof (small_t) == 1 && sizeof (wide_t) == 8 && sizeof (args_t) == 8 && offsetof(struct plain, f) == 16 &&
	    AFTER == 2 && SOCK_OTHER == 77 && SOCK_STREAM == 1 && HIGH < 0 && sizeof (struct open_ended) == 4 ? 0 : 3);
}
BEGIN { extern_; }
E2
run "$DTRACE" -C -e -s s.d
status 1
err 'dtrace: failed to compile script s.d: "s.d", line 11: failed to resolve extern_: Unknown variable name'
sed -i '$d' s.d
run "$DTRACE" -C -e -s s.d
status 0
err ''

# The same in the script itself, or not for cpp, is refused as ever.
for text in 'int f(int);' 'struct x { int a; char b[]; };' 'struct x { char b[0]; };' 'enum x { A = 1U << 31 };' \
    'enum x { SOCK_STREAM = 1 };'; do
	printf '%s\nBEGIN { exit(0); }\n' "$text" >own.d
	run "$DTRACE" -C -e -s own.d
	status 1
	has_err 'failed to compile script own.d: "own.d", line 1: '
done

# Cut off anywhere it is refused or taken, no more.
n=$(wc -c <all.h)
for i in $(seq 40 97 "$n"); do
	head -c "$i" all.h >cut.h
	printf '#include "cut.h"\nBEGIN { exit(0); }\n' >cut.d
	"$DTRACE" -C -e -s cut.d 2>/dev/null
	[ $? -le 1 ] || { echo "$i bytes of all.h: status $?"; exit 1; }
done

# Those of the system, as scripts include them.
for h in sys/types.h sys/socket.h netinet/in.h arpa/inet.h sys/stat.h sys/file.h fcntl.h errno.h signal.h stdint.h stdio.h \
    stdlib.h string.h unistd.h sys/time.h time.h sys/resource.h sys/syscall.h sys/mman.h sys/un.h netdb.h pthread.h \
    sys/wait.h sys/ioctl.h limits.h sys/uio.h net/if.h netinet/ip.h netinet/tcp.h linux/types.h linux/in.h linux/fs.h; do
	printf '#include <%s>\n' "$h" >h.h
	cpp -U__GNUC__ h.h >/dev/null 2>&1 || continue # it is not there
	cat h.h - >h.d <<'E2'
BEGIN { exit(0); }
E2
	run "$DTRACE" -C -e -s h.d
	status 0
	err ''
done
finish
