/* SPDX-License-Identifier: BSD-2-Clause */
/* How the clocks that D shows differ from those that a BPF program can read: constants of generated
 * code. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>

#include "codegen/cg_impl.h"

#define ROUNDS 8

/* CLOCK_TAI - CLOCK_REALTIME in ns: 0 unless a time service has told the kernel. */
int64_t clock_tai_offset(void)
{
	struct timex tx = { .modes = 0 };

	return adjtimex(&tx) < 0 ? 0 : (int64_t)tx.tai * 1000000000;
}

/* When the scheduler last booked the time of this thread, on its own clock, in ns; -1 if it does
 * not tell. */
static int64_t exec_start(void)
{
	FILE *f = fopen("/proc/thread-self/sched", "re");
	long long ms = -1, ns = 0;
	char line[256];

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "se.exec_start : %lld.%6lld", &ms, &ns) == 2)
			break;
	fclose(f);
	return ms < 0 ? -1 : ms * 1000000 + ns;
}

/*
 * CLOCK_MONOTONIC minus the scheduler's clock, in ns. Yielding makes the scheduler book the time;
 * the reading of ours just before it that comes closest is the best. 0 if the kernel does not tell.
 */
int64_t clock_sched_offset(void)
{
	int64_t best = INT64_MIN;

	for (int i = 0; i < ROUNDS; i++) {
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC, &now);
		sched_yield();
		int64_t start = exec_start();
		if (start < 0)
			return 0;
		int64_t diff = now.tv_sec * 1000000000ll + now.tv_nsec - start;
		if (diff > best)
			best = diff;
	}
	return best;
}
