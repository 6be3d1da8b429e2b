/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guard of a process that we stop now and then: a process that does nothing but wait for our end. When we are killed while
 * the other one is stopped, nobody else would let it go on.
 */
#ifndef SYM_GUARD_H
#define SYM_GUARD_H

#include <sys/types.h>

struct guard;

/* NULL: it cannot be made. It ends when the process ends, and soon after us. */
struct guard *guard_create(pid_t pid);
/* Accepts NULL. */
void guard_destroy(struct guard *g);
pid_t guard_pid(const struct guard *g); /* whom it guards */

#endif
