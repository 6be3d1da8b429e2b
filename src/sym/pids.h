/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes that there are. */
#ifndef SYM_PIDS_H
#define SYM_PIDS_H

#include <sys/types.h>

#include "base/vec.h"

struct pids {
	VEC(pid_t) v;
};

/* Ascending, this one among them; none where /proc cannot be read. */
void pids_read(struct pids *out);
void pids_free(struct pids *p);

#endif
