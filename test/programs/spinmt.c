/* SPDX-License-Identifier: BSD-2-Clause */
/* spinmt T N: T threads at once, each calls getppid exactly N times. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned long calls;
static pthread_barrier_t start;

static void *spin(void *arg)
{
	unsigned long n;

	(void)arg;
	pthread_barrier_wait(&start);
	for (n = calls; n > 0; n--)
		syscall(SYS_getppid);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long i, count;
	pthread_t *threads;
	int err;

	count = argc == 3 ? strtoul(argv[1], NULL, 0) : 0;
	if (count == 0) {
		fprintf(stderr, "usage: spinmt THREADS N\n");
		return 2;
	}
	calls = strtoul(argv[2], NULL, 0);
	threads = calloc(count, sizeof(*threads));
	if (threads == NULL || pthread_barrier_init(&start, NULL, count) != 0)
		return 1;
	for (i = 0; i < count; i++) {
		err = pthread_create(&threads[i], NULL, spin, NULL);
		if (err != 0) {
			fprintf(stderr, "spinmt: thread: %s\n", strerror(err));
			return 1;
		}
	}
	for (i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return 0;
}
