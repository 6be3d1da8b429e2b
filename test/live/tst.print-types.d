/*
 * what: print() of structures, scalars and pointers
 * @@needs: root bpf
 * @@filter: s/^0xff[0-9a-f]\{14\}/ADDR/
 */
#pragma D option quiet

enum eh { FIRST, SECONDVAL };
struct in { int x; uint8_t y; };
struct test {
	int a;
	char b[5];
	union { uint8_t c; int d; } u;
	enum eh h;
	int zero;
	struct in in, arr[2];
	int v[3];
	unsigned f1:3;
	int f2:5;
	struct test *next;
	string s;
	char neg;
	void (*fn)(int);
};
struct test arr[2];

BEGIN
{
	arr[1].a = 1;
	arr[1].b[0] = 't'; arr[1].b[1] = 'e';
	arr[1].u.c = 21;
	arr[1].h = SECONDVAL;
	arr[1].in.y = 3;
	arr[1].arr[1].x = -4;
	arr[1].v[1] = 9;
	arr[1].f1 = 5; arr[1].f2 = -2;
	arr[1].s = "str\n";
	arr[1].neg = -1;
	arr[1].next = (struct test *)0x1234;
	print(arr[1]);
	print((struct test *)&arr[1]);
	print((struct test *)&arr[0]);
	print(&arr[1].a);
	print(5); print(-1); print((char)'x'); print((uint8_t)200);
	print(execname); print("lit");
	print(arr[1].h); print(arr[1].v); print(arr[1].b); print(arr[1].f2);
	print(curthread->pid == pid);
	exit(0);
}
