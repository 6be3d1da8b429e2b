/*
 * what: structures, unions, arrays, bit-fields and strings in variables of every class
 * @@needs: root bpf
 */
#pragma D option quiet

struct in { int x, y; };
struct s {
	int a; char b; short c;
	struct in in;
	struct in arr[3];
	char buf[8];
	string str;
	unsigned int f1:3, f2:7;
	int f3:5;
	union { long whole; struct { int low, high; } half; } u;
};
struct s g, g2;
self struct s t;
this struct s l;
struct s assoc[int, string];
int arr[5], m[3][4], am[int][4];
string sa[3];
int n[struct in];
struct in k, *ip;
int *p;

/* Members at every depth, with constant and with computed indexes. */
BEGIN
{
	i = 2;
	g.a = 1; g.b = -2; g.c = 300;
	g.in.x = 5; g.in.y = 6;
	g.arr[i].y = 77; g.arr[1].x = 66;
	g.str = "hello";
	g.f1 = 9; g.f2 = 100; g.f3 = -3;
	g.u.half.low = 1; g.u.half.high = 2;
	printf("%d %d %d %d %d %d %d %s %d %d %d %x\n", g.a, g.b, g.c, g.in.x, g.in.y,
	    g.arr[2].y, g.arr[i - 1].x, g.str, g.f1, g.f2, g.f3, g.u.whole);
	g.f1++; g.f2 -= 1; g.f3 <<= 1; g.c *= 2; g.b--;
	printf("%d %d %d %d %d\n", g.f1, g.f2, g.f3, g.c, g.b);
}

/* Copies are copies. */
BEGIN
{
	g2 = g;
	g.arr[2].y = 0;
	printf("%d %s %d %d\n", g2.arr[2].y, g2.str, g2.f2, g.arr[2].y);
	self->t = g2;
	printf("%d %s\n", self->t.arr[i].y, self->t.str);
	self->t.in.x = 1234; self->t.in.x++; self->t.in.x += 5;
	self->t.arr[i].x = 8; self->t.str = "self";
	printf("%d %d %d %s\n", self->t.in.x, self->t.a, self->t.arr[2].x, self->t.str);
	this->l = self->t;
	this->l.c = 7;
	printf("%d %d %d\n", this->l.in.x, this->l.c, self->t.c);
	assoc[1, "a"] = this->l;
	printf("%d %s %d\n", assoc[1, "a"].in.x, assoc[1, "a"].str, assoc[2, "a"].in.x);
	assoc[1, "a"].arr[i].x = 42;
	printf("%d %d\n", assoc[1, "a"].arr[2].x, assoc[1, "a"].in.x);
	printf("%d %d\n", (i > 1 ? g : g2).in.x, (i < 1 ? g : g2).arr[2].y);
	g2 = g = assoc[1, "a"];
	printf("%d %d\n", g2.arr[2].x, g.c);
}

BEGIN
{
	arr[i] = 9; arr[i]++;
	m[1][i] = 8; m[i][1] = 7;
	am[7][i] = 6;
	printf("%d %d %d %d %d %d\n", arr[2], m[1][2], m[2][1], am[7][2], am[7][1], am[6][2]);
	sa[i] = "xyz"; sa[0] = sa[i]; sa[i] = strjoin(sa[0], "w");
	printf("%s %s [%s]\n", sa[2], sa[0], sa[1]);
}

/* Structures as keys. */
BEGIN
{
	k.x = 1; k.y = 2; n[k] = 5; @[k] = count();
	k.x = 3; n[k] = 6; @[k] = count(); @[k] = count();
	k.x = 1; printf("%d ", n[k]);
	k.x = 3; printf("%d ", n[k]);
	k.x = 4; printf("%d\n", n[k]);
}

/* Pointers into D's own memory. */
BEGIN
{
	p = &arr[2]; *p = 55; printf("%d %d\n", arr[2], *p);
	p[1] = 56; p++; (*p)++; printf("%d %d\n", arr[3], *p);
	p -= 1; *p |= 8; printf("%d\n", *p);
	ip = &g.arr[0]; ip[2].x = 99; ip->y = 98; printf("%d %d\n", g.arr[2].x, g.arr[0].y);
	*ip = k; printf("%d %d\n", g.arr[0].x, (*ip).y);
	printf("%d %d %d\n", *(arr + 2), (int)(&arr[4] - &arr[1]), &arr[1] < &arr[2]);
	printf("%d\n", ((struct in *)&g.arr[2])->x);
}

BEGIN
{
	st = "abcdef"; printf("%c%c%d\n", st[0], st[i], st[6]);
	st[1] = 'X'; st[i] = 'Y'; printf("%s\n", st);
	st[3] = 0; printf("%s %d\n", st, strlen(st));
	self->s = "abc"; self->s[0]++; printf("%s\n", self->s);
}

/* 0 frees. */
BEGIN
{
	self->t = 0; printf("%d [%s]\n", self->t.in.x, self->t.str);
	assoc[1, "a"] = 0; printf("%d\n", assoc[1, "a"].in.x);
	g = 0; printf("%d [%s]\n", g.in.x, g.str);
}

BEGIN { trace(g.u); trace(curthread->comm); exit(0); }
