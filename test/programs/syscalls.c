/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syscalls N: a thread pinned to each online CPU, all at once, calls getppid exactly N times.
 * At the end one line for each CPU, "CPU COUNT", COUNT being the calls made there. Fails if a
 * thread was not on its CPU all the time, or if a CPU had no thread.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct worker {
	pthread_t thread;
	int cpu;
	unsigned long made;
	int strayed;
};

static unsigned long calls;
static pthread_barrier_t start;

static void *work(void *arg)
{
	struct worker *w = arg;

	pthread_barrier_wait(&start);
	for (w->made = 0; w->made < calls; w->made++) {
		syscall(SYS_getppid);
		/* Answered by the vDSO, so no system call of its own. */
		if (sched_getcpu() != w->cpu)
			w->strayed = 1;
	}
	return NULL;
}

/* The numbers of the online CPUs, as the kernel lists them ("0-3,6"), into set; how many. */
static int cpus_online(cpu_set_t *set)
{
	FILE *f = fopen("/sys/devices/system/cpu/online", "r");
	unsigned int from, to;
	int c;

	CPU_ZERO(set);
	if (f == NULL)
		return 0;
	while (fscanf(f, "%u", &from) == 1) {
		to = from;
		c = fgetc(f);
		if (c == '-') {
			if (fscanf(f, "%u", &to) != 1)
				break;
			c = fgetc(f);
		}
		for (; from <= to; from++)
			CPU_SET(from, set);
		if (c != ',')
			break;
	}
	fclose(f);
	return CPU_COUNT(set);
}

static int worker_start(struct worker *w, int cpu)
{
	pthread_attr_t attr;
	cpu_set_t set;
	int err;

	w->cpu = cpu;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_attr_init(&attr);
	err = pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
	if (err == 0)
		err = pthread_create(&w->thread, &attr, work, w);
	pthread_attr_destroy(&attr);
	if (err != 0)
		fprintf(stderr, "syscalls: CPU %d: %s\n", cpu, strerror(err));
	return err;
}

int main(int argc, char **argv)
{
	struct worker *workers;
	cpu_set_t online;
	int i, cpu, count, status = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: syscalls N\n");
		return 2;
	}
	calls = strtoul(argv[1], NULL, 0);
	count = cpus_online(&online);
	workers = calloc((size_t)count + 1, sizeof(*workers));
	if (count == 0 || workers == NULL ||
	    pthread_barrier_init(&start, NULL, (unsigned int)count) != 0)
		return 1;
	for (i = 0, cpu = 0; i < count; cpu++) {
		if (CPU_ISSET(cpu, &online) && worker_start(&workers[i++], cpu) != 0)
			return 1;
	}
	for (i = 0; i < count; i++)
		pthread_join(workers[i].thread, NULL);
	for (i = 0; i < count; i++) {
		printf("%d %lu\n", workers[i].cpu, workers[i].made);
		if (workers[i].strayed) {
			fprintf(stderr, "syscalls: was moved from CPU %d\n", workers[i].cpu);
			status = 1;
		}
	}
	free(workers);
	return status;
}
