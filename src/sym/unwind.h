/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables by which user stacks are followed in probe context: abi/abi.h, "unwinding".
 *
 * Files get into them when a process that has them mapped is given, and when a program meets one that
 * it does not know. A file in the tables is kept mapped here, so that no other one gets its inode.
 */
#ifndef SYM_UNWIND_H
#define SYM_UNWIND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi/abi.h"

struct unwind;

/* Where things are in this kernel's structures. -ENOTSUP: its process memory maps cannot be read here. */
int unwind_conf(struct abi_unwind_conf *out);
/* size: bytes for rows. 0 or negative errno. */
int unwind_create(struct unwind **out, uint64_t size);
void unwind_destroy(struct unwind *u); /* accepts NULL */

enum unwind_map { UNWIND_FILES, UNWIND_ROWS, UNWIND_ASKS };
int unwind_fd(const struct unwind *u, enum unwind_map map);

/* The code that a process has mapped now. */
void unwind_add_process(struct unwind *u, pid_t pid);
struct unwind_bounds {
	uint64_t code; /* bytes that a file may have */
	uint64_t
		until; /* now_ns() of when it must end, now_cpu_ns() of when it must have done; 0: whenever */
	uint64_t cpu;
	bool program; /* the file alone that the process executes */
};
/*
 * The same of one that may never be met: within bounds, and no more than half of the tables' room, which is for what is
 * met. False: there was no time for all.
 */
bool unwind_add_ahead(struct unwind *u, pid_t pid, const struct unwind_bounds *b);
/* Has the program that the process executes been read? False also where it cannot be told. */
bool unwind_knows_program(const struct unwind *u, pid_t pid);
/* What nearly every process has mapped: libc, the dynamic linker, the kernel's page of code. */
void unwind_add_common(struct unwind *u);
/* Adds what programs have asked for. To be called when UNWIND_ASKS is readable. */
void unwind_poll(struct unwind *u);
/* Files that found no room. */
uint64_t unwind_unplaced(const struct unwind *u);

#endif
