/* SPDX-License-Identifier: BSD-2-Clause */
/* Times in nanoseconds. */
#ifndef BASE_NOW_H
#define BASE_NOW_H

#include <stdint.h>
#include <time.h>

static inline uint64_t now_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

/* Without jumps: that of records and of the kernel's notes. */
static inline uint64_t now_ns(void)
{
	return now_of(CLOCK_MONOTONIC);
}

/* What this thread has used of a CPU. */
static inline uint64_t now_cpu_ns(void)
{
	return now_of(CLOCK_THREAD_CPUTIME_ID);
}

#endif
