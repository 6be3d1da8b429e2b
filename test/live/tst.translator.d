/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: translated members have the values of the translator's expressions; operands are evaluated once
 * @@flags: -q
 * @@match: ^4 16 x 5 6$
 * @@match: ^n 7$
 */
struct out { int a; int b; string s; };
typedef struct out out_t;
translator out_t < int i > { a = i + 1; b = i * i; s = "x"; };
inline out_t *five = xlate <out_t *> (4);
inline out_t next[int k] = xlate <out_t> (k + 1);

BEGIN
{
	n = 3;
	m = 2;
	printf("%d %d %s %d %d\n", xlate <out_t> (n++).a, xlate <out_t *> (n++)->b,
	    xlate <out_t> (7).s, five->a, next[n - 1].a);
	printf("n %d\n", n + m);
	exit(0);
}
