/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Built without frame pointers (chain) and with them (pointers): calls through all that makes stacks hard to
 * follow, down to write(1, "", 0). chain spins: runs for ever in a function. chain calls: calls it for ever.
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#define FUNC __attribute__((noinline)) int
#define KEEP(p) __asm__ volatile("" ::"r"(p) : "memory")

static volatile int stop;
FUNC in_sort(int x)
{
	char room[100];

	room[x] = 1;
	KEEP(room);
	return (int)write(1, "", 0) + room[1];
}
static int compare(const void *a, const void *b)
{
	static int once;

	if (!once++)
		in_sort(1);
	return *(const int *)a - *(const int *)b;
}
FUNC sorts(int x)
{
	int v[8];

	for (int i = 0; i < 8; i++)
		v[i] = x * i % 7;
	qsort(v, 8, sizeof(*v), compare);
	return v[3];
}
FUNC varies(int x) /* its frame is of no fixed size */
{
	char *p = __builtin_alloca(x * 16);

	p[0] = 1;
	KEEP(p);
	return sorts(x) + p[0];
}
FUNC in_signal(int x)
{
	return (int)write(1, "", 0) + x;
}
static void handler(int s)
{
	char room[64];

	room[s] = 1;
	KEEP(room);
	in_signal(s + room[2]);
}
FUNC raises(int x)
{
	char room[200];

	room[x] = 1;
	KEEP(room);
	raise(SIGUSR1);
	return room[3];
}
FUNC aligns(int x) /* with a stack pointer of its own making */
{
	char room[64] __attribute__((aligned(64)));

	room[x] = 1;
	KEEP(room);
	return raises(x) + room[5];
}
FUNC spins(int x)
{
	while (!stop)
		KEEP(x);
	return x + stop;
}
FUNC middle(int x)
{
	return spins(x) + 1;
}
FUNC calls(int x)
{
	while (!stop) {
		x += in_signal(x);
		usleep(1000);
	}
	return x;
}
static void ends(int s)
{
	stop = s;
}
int main(int argc, char **argv)
{
	signal(SIGUSR1, handler);
	signal(SIGTERM, ends);
	if (argc < 2)
		return varies(argc) + aligns(argc) == -99;
	return (*argv[1] == 's' ? middle(argc) : calls(argc)) == -99;
}
