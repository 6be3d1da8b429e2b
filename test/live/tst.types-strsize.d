/*
 * what: strings in structures and arrays keep the size that strsize was when they were declared
 * @@needs: root bpf
 */
#pragma D option quiet
#pragma D option strsize=16

struct small { string s; int after; };
struct small a, b[2];
string few[2];

#pragma D option strsize=64

struct large { string s; int after; };
struct large c;

BEGIN
{
	a.after = 1; b[0].after = 2; b[1].after = 3; c.after = 4;
	x = "0123456789abcdefghij";
	i = 1;
	a.s = x; b[0].s = x; b[i].s = x; c.s = x;
	few[0] = x; few[i] = strjoin("-", x);
	printf("%s %d\n%s %d %s %d\n%s %d\n%s %s\n", a.s, a.after, b[0].s, b[0].after, b[i].s,
	    b[1].after, c.s, c.after, few[0], few[1]);
	p = &b[1]; p->s = "pointer"; q = &few[1]; *q = "through";
	printf("%s %d %s %s\n", b[1].s, b[1].after, few[1], few[0]);
	exit(0);
}
