/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loop CPU N [FILE [TRACERS]]: pins itself to CPU, in real time if it may, calls getppid N times and writes the
 * nanoseconds of one call, the best of many equal parts, to FILE (default: standard output). The best part is the
 * one the least disturbed by the rest of the machine.
 *
 * The parts come in bursts of some milliseconds. In a burst the other CPUs do nothing but wait, if that is allowed:
 * a CPU that shares a core with this one would take part of its speed. Between bursts they are free, for longer than
 * the burst was.
 *
 * Whoever else traces system calls makes all of them slower. With TRACERS only those bursts count in which no more
 * than so many programs were attached to raw tracepoints of system calls; it waits some seconds for them and makes up to
 * 2 N calls. A second number tells how many of the 20 bursts were good.
 *
 * loop tracers: the least number of such programs that were attached in the last second.
 */
#include <bpf/bpf.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BURSTS 20
#define WAITS 1000 /* for the others to end */
#define PARTS 50   /* of a burst */

static atomic_bool burst, over;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void rest(double ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = ns < 900e6 ? ns : 900e6 }, NULL);
}

static int pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

static void relax(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

/* Keeps its CPU from everybody else while there is a burst. */
static void *keep_still(void *arg)
{
	if (pin((int)(long)arg) ||
	    sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 1 }))
		return NULL;
	while (!over) {
		if (!burst)
			rest(50e3);
		while (burst)
			relax();
	}
	return NULL;
}

/* Programs on the raw tracepoints of system calls. */
static int tracers(void)
{
	uint32_t id = 0;
	int n = 0;

	while (bpf_link_get_next_id(id, &id) == 0) {
		struct bpf_link_info info = { 0 };
		uint32_t len = sizeof(info);
		char name[32] = "";
		int fd = bpf_link_get_fd_by_id(id);

		if (fd < 0)
			continue;
		info.raw_tracepoint.tp_name = (uintptr_t)name;
		info.raw_tracepoint.tp_name_len = sizeof(name);
		if (bpf_obj_get_info_by_fd(fd, &info, &len) == 0 &&
		    info.type == BPF_LINK_TYPE_RAW_TRACEPOINT && !strncmp(name, "sys_", 4))
			n++;
		close(fd);
	}
	return n;
}

static int tracers_least(void)
{
	int least = tracers();

	for (int i = 0; i < 50 && least; i++) {
		int n;

		rest(20e6);
		n = tracers();
		if (n < least)
			least = n;
	}
	return least;
}

static double one_burst(long n)
{
	double best = 1e18, start, each;

	for (int part = 0; part < PARTS; part++) {
		start = now();
		for (long i = 0; i < n; i++)
			syscall(SYS_getppid);
		each = (now() - start) / n;
		if (each < best)
			best = each;
	}
	return best;
}

int main(int argc, char **argv)
{
	double best = 1e18, start, each;
	int cpu, most, good = 0, bursts = 0;
	FILE *out = stdout;
	pthread_t thread;
	cpu_set_t set;
	long n;

	if (argc == 2 && !strcmp(argv[1], "tracers"))
		return printf("%d\n", tracers_least()) < 0;
	if (argc < 3 || sched_getaffinity(0, sizeof(set), &set))
		return 2;
	cpu = atoi(argv[1]);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set) && i != cpu)
			pthread_create(&thread, NULL, keep_still, (void *)(long)i);
	if (pin(cpu))
		return 1;
	sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 1 });
	n = atol(argv[2]) / (BURSTS * PARTS);
	if (argc > 3 && !(out = fopen(argv[3], "a")))
		return 1;
	most = argc > 4 ? atoi(argv[4]) : -1;
	for (int i = 0; i < WAITS && bursts < 2 * BURSTS && good < BURSTS; i++) {
		if (most >= 0 && tracers() > most) {
			rest(5e6);
			continue;
		}
		bursts++;
		burst = true;
		rest(500e3);
		start = now();
		each = one_burst(n);
		burst = false;
		if (most < 0 || tracers() <= most) {
			good++;
			if (each < best)
				best = each;
		}
		rest((now() - start) * 2);
	}
	over = true;
	fprintf(out, "%.2f %d\n", best, good);
	return 0;
}
