/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recurse DEPTH N THREADS [fork]: each thread calls, N times, down(DEPTH): DEPTH calls of it are under way when the last
 * calls bottom() once. All have returned at the end; every down() returns its depth.
 * fork: a child does the same at the same time.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

long down(long depth);
long bottom(long x);

static long depth, times;

long bottom(long x)
{
	return x;
}

long down(long left)
{
	return 1 + (left > 1 ? down(left - 1) : bottom(0));
}

static void *work(void *arg)
{
	for (long i = 0; i < times; i++)
		if (down(depth) != depth)
			abort();
	return arg;
}

int main(int argc, char **argv)
{
	int n = argc > 3 ? atoi(argv[3]) : 1;
	pthread_t thread[16];
	pid_t child = 0;

	if (argc < 3 || n < 1 || n > 16)
		return 2;
	depth = atol(argv[1]);
	times = atol(argv[2]);
	if (argc > 4)
		child = fork();
	for (int i = 0; i < n; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 1;
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	return child > 0 && waitpid(child, NULL, 0) != child;
}
