/*
 * what: print() records printsize bytes; what lies behind is shown as cut
 * @@needs: root bpf
 * @@filter: s/^0xff[0-9a-f]\{14\}/ADDR/
 */
#pragma D option quiet
#pragma D option printsize=20

struct in { int x, y; };
struct test { int a; char b[5]; struct in in, in2; int v[3]; int last; };
struct test arr[2];

BEGIN
{
	arr[1].a = 1;
	arr[1].b[0] = 't';
	arr[1].in.y = 3; arr[1].in2.x = 4; arr[1].last = 5;
	print(arr[1]);
	print(&arr[1]);
	print(arr[1].v);
	exit(0);
}
