/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -x fork=follow: the processes that a target forks, and those that these fork, have its probes. A table in the kernel
 * holds the process and the target that it belongs to; small programs keep it where processes are forked, before the new
 * one runs, and where they end. Links of many probes then stand in every process, and programs ask the table.
 */
#ifndef PROVIDER_FOLLOW_H
#define PROVIDER_FOLLOW_H

#include <stdbool.h>
#include <sys/types.h>

#include "kern/insns.h"
#include "provider/provider.h"

struct follow;

/* NULL: no forks of any process are followed. */
struct follow *follow_create(const struct probes *t);
/* Forks that found no room: they and what they fork are not followed. f may be NULL. */
uint64_t follow_lost(const struct follow *f);
void follow_destroy(struct follow *f); /* accepts NULL */
/* The table, for CG_MAP_AUX of programs; negative: it could not be had. */
int follow_map(const struct follow *f);
/* From here on probes of the process fire in it, and in what it forks if that is followed. 0 or negative errno. */
int follow_add(struct follow *f, pid_t pid);
/* Are those of this process? f may be NULL. */
bool follow_forks(const struct follow *f, pid_t pid);
/* Does the process belong to the target, 0: to any, without being it? f may be NULL. Asks the kernel. */
bool follow_has(const struct follow *f, pid_t pid, pid_t target);
/*
 * Emits: unless this is the target process, or, with forks, one that belongs to it, goto out. The table is CG_MAP_AUX of the
 * program.
 */
void follow_check(struct cg *cg, bool forks, vreg target, label out);
/* The same by hand, f NULL: without forks. Changes registers 0 to 5; what it gives is to be landed. */
uint32_t follow_put_check(struct insns *c, const struct follow *f, int target);

#endif
