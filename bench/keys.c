/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keys CPU CALLS KEYS [FILE]: pins itself to CPU, calls getppid CALLS times with 0 .. KEYS - 1 in
 * turn as its first argument, and writes the nanoseconds of processor time of one call to FILE. With
 * KEYS 0 it first waits for a line of its input.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct timespec a, b;
	cpu_set_t set;
	long calls, keys, k = 0;
	FILE *out = stdout;

	if (argc < 4)
		return 2;
	CPU_ZERO(&set);
	CPU_SET(atoi(argv[1]), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return 1;
	calls = atol(argv[2]);
	keys = atol(argv[3]);
	if (argc > 4 && !(out = fopen(argv[4], "a")))
		return 1;
	if (!keys && getchar() == EOF)
		return 1;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	for (long i = 0; i < calls; i++) {
		syscall(SYS_getppid, k);
		if (++k >= keys)
			k = 0;
	}
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	fprintf(out, "%.2f\n",
		((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / (calls ? calls : 1));
	return 0;
}
