/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * News of all processes: what they map for execution, and that they fork, execute another program,
 * end. The kernel keeps them in a ring for each CPU until they are asked for, so that a process can
 * be gone when its addresses are looked up.
 *
 * A process may execute several programs one after the other. What probes record of it bears the
 * number of its last exec, task_struct.self_exec_id, which counts from what the process inherited
 * at its fork. A program on sched_process_exec puts that number into the same rings.
 */
#ifndef SYM_TRACK_H
#define SYM_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct track;

enum track_kind {
	TRACK_MMAP,    /* start, len, offset, dev, ino, path */
	TRACK_EXEC,    /* from here on it maps another program */
	TRACK_EXEC_ID, /* exec_id: number of the exec before */
	TRACK_FORK,    /* pid is the new process, parent the old one */
	TRACK_EXIT,
};

struct track_event {
	enum track_kind kind;
	uint64_t time; /* ns, CLOCK_MONOTONIC */
	uint32_t pid, parent;
	uint64_t start, len, offset;
	uint64_t ino;
	const char
		*path; /* "//anon", "[vdso]" or absolute as the process sees it; during the call */
	uint32_t exec_id;
};

/* From now on nothing is missed on any CPU that is online. 0 or negative errno. */
int track_open(struct track **out);
void track_close(struct track *t); /* accepts NULL */
/* Is there something to be drained? Costs nothing. */
bool track_pending(const struct track *t);
/* Calls f for everything that happened before this call, in order of time. */
void track_drain(struct track *t, void (*f)(void *arg, const struct track_event *e), void *arg);
/* Events that the kernel could not keep because they were not drained in time, so far. */
uint64_t track_lost(const struct track *t);
/* Descriptors that become readable when rings are getting full. */
size_t track_nfds(const struct track *t);
int track_fd(const struct track *t, size_t i);

#endif
