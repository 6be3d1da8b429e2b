/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that processes have mapped: one for each inode and path, however many map it. */
#ifndef SYM_OBJECT_H
#define SYM_OBJECT_H

#include <stdint.h>
#include <sys/types.h>

#include "sym/elf.h"

struct objects;
struct object;

struct objects *objects_create(void);
void objects_destroy(struct objects *o); /* accepts NULL */
/* A mapping as /proc/PID/maps or the kernel's news describe it. */
struct object_mapped {
	const char *path;
	uint64_t ino, start, end;
	pid_t pid;
};
/*
 * Its object; NULL: anonymous memory. A file that cannot be found by its path from here, or has none any more, is
 * opened through the process at once, while that is there. Objects live as long as the table.
 */
struct object *object_get(struct objects *o, const struct object_mapped *m);
const char *object_name(const struct object *obj); /* base name */
/* Its symbols, read now if they have not been; NULL: it has none that can be had. */
const struct elfsyms *object_symbols(struct object *obj);

#endif
