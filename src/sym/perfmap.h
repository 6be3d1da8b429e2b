/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that a process has compiled at run time, as it tells in /tmp/perf-PID.map. */
#ifndef SYM_PERFMAP_H
#define SYM_PERFMAP_H

#include <stdint.h>
#include <sys/types.h>

struct perfmap;

/* The file is read when something is looked up, and again when it has grown. Never NULL. */
struct perfmap *perfmap_create(pid_t pid);
void perfmap_destroy(struct perfmap *m);	   /* accepts NULL */
const char *perfmap_name(const struct perfmap *m); /* "perf-PID.map" */
/* NULL: unknown. The name lives until the next call; *start: of the function. */
const char *perfmap_find(struct perfmap *m, uint64_t addr, uint64_t *start);

#endif
