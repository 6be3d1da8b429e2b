/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: a translated structure within another is assigned with it
 * @@flags: -q
 * @@match: ^1 3 4 y 0$
 */
struct in { int x; string s; };
struct out { int a; struct in n; int gone; };
translator struct in < long l > { x = l + l * 0; s = "y"; };
translator struct out < int i > { a = i; n = xlate <struct in> ((long)(i + 2)); };

struct out whole;

BEGIN
{
	whole = xlate <struct out> (1);
	printf("%d %d %d %s %d\n", whole.a, whole.n.x, xlate <struct out> (2).n.x, whole.n.s, whole.gone);
	exit(0);
}
