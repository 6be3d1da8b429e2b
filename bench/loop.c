/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loop CPU N [FILE]: pins itself to CPU, in real time if it may, calls getppid N times and writes the nanoseconds of
 * one call, the best of 100 equal parts, to FILE (default: standard output). The best part is the one the least
 * disturbed by the rest of the machine.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PARTS 100

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	double best = 1e18;
	FILE *out = stdout;
	cpu_set_t set;
	long n;

	if (argc < 3)
		return 2;
	CPU_ZERO(&set);
	CPU_SET(atoi(argv[1]), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return 1;
	sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 1 });
	n = atol(argv[2]) / PARTS;
	if (argc > 3 && !(out = fopen(argv[3], "a")))
		return 1;
	for (int part = 0; part < PARTS; part++) {
		double start = now();

		for (long i = 0; i < n; i++)
			syscall(SYS_getppid);
		double each = (now() - start) / n;

		if (each < best)
			best = each;
	}
	fprintf(out, "%.2f\n", best);
	return 0;
}
