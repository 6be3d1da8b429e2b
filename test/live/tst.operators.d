/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: every operator on every group of types that it takes: integers, enumerators, bit-fields, pointers, strings, structs
 * @@needs: root bpf
 * Integers of all widths and signs against C: tst.arith-conformance.sh. What an operator does not take: err.D_OP_*.
 */
#pragma D option quiet

enum color { RED, GREEN = 5, BLUE };
struct bits { int low : 3; unsigned int high : 5; int rest; };
struct point { int x; char name[4]; };

struct bits b;
struct point p, q, qs[2];
int a[4];
int *i;
struct point *pp;
string s;
signed char c;
unsigned char u;

BEGIN
{
	/* integers: unary, in both places */
	n = 7;
	printf("%d %d %d %d %d\n", -n, +n, ~n, !n, !!n);
	printf("%d %d %d %d %d\n", n++, ++n, n--, --n, n);
	printf("%d %d %d %d %d\n", n * 3, n / 2, n % 4, n + 1, n - 10);
	printf("%d %d %d %d %d\n", n << 2, n >> 1, n & 3, n | 8, n ^ 5);
	printf("%d%d%d%d%d%d\n", n < 8, n <= 7, n > 7, n >= 7, n == 7, n != 7);
	printf("%d%d%d%d %d%d%d%d %d%d%d%d\n", 0 && 0, 0 && n, n && 0, n && n, 0 || 0, 0 || n, n || 0, n || n,
	    0 ^^ 0, 0 ^^ n, n ^^ 0, n ^^ n);
	printf("%d %d %d\n", n ? 1 : 2, !n ? 1 : 2, n == 7 ? n > 6 ? 3 : 4 : 5);
	n = 100; n += 5; n -= 1; n *= 3; n /= 2; n %= 100; n <<= 3; n >>= 1; n |= 1; n &= 0x7f; n ^= 3;
	printf("%d %d\n", n, (n = 1, n + 1));
	printf("%d %d %d\n", sizeof (n), (signed char)300, (unsigned short)-1);
}
BEGIN
{
	/* narrow ones: cut when stored */
	c = 127; c++; u = 0; u--;
	printf("%d %d ", c, u);
	c += 200; u *= 3;
	printf("%d %d %d\n", c, u, c < u);
}
BEGIN
{
	/* enumerators are ints */
	e = GREEN;
	printf("%d %d %d %d %d %d\n", RED, BLUE, GREEN + 1 == BLUE, e > RED, e << 1, e == GREEN ? BLUE : RED);
	printf("%d %d\n", sizeof (enum color), -BLUE);
}
BEGIN
{
	/* bit-fields */
	b.low = 3; b.high = 31; b.rest = -1;
	printf("%d %d %d ", b.low, b.high, b.rest);
	b.low++; b.high += 2; b.rest <<= 4;
	printf("%d %d %d %d\n", b.low, b.high, b.rest, b.low + b.rest);
}
BEGIN
{
	/* pointers: steps of their type, differences, comparisons, & * [] -> . */
	a[0] = 10; a[1] = 11; a[2] = 12; a[3] = 13;
	i = &a[1];
	printf("%d %d %d %d\n", *i, *(i + 2), *(i - 1), i[2]);
	printf("%d %d %d\n", *i++, *i, *--i);
	i += 2;
	printf("%d ", *i);
	i -= 3;
	printf("%d %d %d\n", *i, (i + 3) - i, (char *)(i + 3) - (char *)i);
	printf("%d%d%d%d%d%d %d%d %d\n", i < i + 1, i <= i, i > i + 1, i >= i, i == a, i != &a[0], !i, i && 1, i ? 1 : 0);
	printf("%d %d %d\n", i == NULL, (int *)0 == NULL, (uint64_t)(i + 1) - (uint64_t)i);
}
BEGIN
{
	/* structs: assigned whole, members in place */
	p.x = 4; p.name[0] = 'a'; p.name[1] = 0;
	q = p;
	q.x += 10;
	qs[1] = q;
	pp = &qs[1];
	printf("%d %d %d %s %d\n", p.x, q.x, pp->x, stringof(pp->name), (*pp).x);
	pp->x = 1;
	pp->name[0]++;
	printf("%d %s %d %d\n", qs[1].x, stringof(qs[1].name), sizeof (q), offsetof(struct point, name));
}
BEGIN
{
	/* strings: by their bytes; NULL is empty */
	s = "b";
	printf("%d%d%d%d%d%d ", s < "c", s <= "b", s > "b", s >= "b", s == "b", s != "b");
	printf("%d%d%d%d%d%d\n", s < "a", s <= "a", s > "ab", s >= "bb", s == "bb", s != "");
	printf("%s %s %d %d\n", s == "b" ? "yes" : "no", (string)p.name, stringof(p.name) == "a", sizeof ("abc"));
	t[s] = 1; t["x"] += 2; t["x"]++;
	self->z = s; this->y = self->z;
	printf("%d %d %d %s\n", t["b"], t["x"], t["none"], this->y);
}
BEGIN
{
	exit(0);
}
