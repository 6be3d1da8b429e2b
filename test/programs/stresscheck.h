/* SPDX-License-Identifier: BSD-2-Clause */
/* What stresscheck.c keeps: the clauses of test/stress/stress.d, columns of -x accounting, all that is known of a CPU. */
#ifndef STRESSCHECK_H
#define STRESSCHECK_H

#include <stddef.h>
#include <stdint.h>

#define CPUS 256
#define NAMES 64
#define KEPT 4096 /* a ring or a fill buffer of 16k has fewer records of a kind */
#define BLOCK 6	  /* records of a speculation of one thread */

typedef uint64_t u64;

/* clang-format off */
/* The clauses of stress.d in their order: EPID 1 is the first. */
enum clause {
	GATE = 1, A, B, U, SPEC, S, COMMIT, DISCARD, M, MANY, F, E, H, P, I,
	CALLS, ALONE, PROBED, TIMERS, PROFILE, SOFTIRQS, END, NCLAUSES
};
static const char letters[] = "  ABU S  M FEHPI      Z";

enum column {
	FIRED, FALSE, RECORDED, NOROOM, BUSY, NOFRAME, FAULT, STOPPED, DONE, WRITTEN,
	SPECSKIP, SPECDROP, DISCARDED, SPECLOST, SPECLEFT, NCOLUMNS
};
static const char *const columns[] = {
	"fired", "false", "recorded", "noroom", "busy", "noframe", "fault", "stopped", "done", "written",
	"specskip", "specdrop", "discarded", "speclost", "specleft"
};

enum agg {
	AGG_WRITTEN, AGG_CALLS, AGG_SUM, AGG_MOST, AGG_ALONE, AGG_PROBED, AGG_TIMERS, AGG_PROFILE,
	AGG_SOFTIRQS, NAGGS
};
static const char *const aggs[] = {
	"written", "calls", "sum", "most", "alone", "probed", "timers", "profile", "softirqs"
};
/* clang-format on */

struct line {
	enum clause clause;
	int cpu;
	u64 n, time, more;
	const char *text;
};

struct cpu {
	/* of the load */
	int there;
	u64 calls, probed, timers, softirqs;
	/* of the lines */
	u64 lines[NCLAUSES], next[NCLAUSES], last_time[NCLAUSES];
	u64 task_next; /* place that follows the last one: see place_of() */
	u64 task_gaps, timer_gaps, softirq_gaps, blocks;
	u64 many[NAMES];
	u64 profile_timer;
	size_t nh, np;
	u64 h[KEPT], h_timer[KEPT], p[KEPT];
	/* of the messages */
	u64 acct[NCLAUSES][NCOLUMNS], drops, busy;
	u64 agg[NAGGS];
};

struct timer {
	int cpu;
	u64 address, count;
};

#endif
