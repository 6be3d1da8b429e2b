/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Placing the many probes of a group where the kernel may refuse some of them: those are left out and told to the
 * user in one line. Only if none is left it is an error.
 */
#ifndef PROVIDER_PLACE_H
#define PROVIDER_PLACE_H

#include "provider/provider.h"

#define PLACE_NAMED 3 /* refused probes that are named; the others are counted */

struct placing {
	struct probe_group *g;
	/* Links the n places from `from` on: a descriptor, or -errno. */
	int (*link)(void *arg, size_t from, size_t n);
	const struct probe *(*probe)(void *arg, size_t i);
	void *arg;
	size_t placed, refused;
	size_t gone; /* their process has ended */
	const struct probe *first[PLACE_NAMED];
	int error; /* of the first that was refused */
};

/* n places from `from` on by few links: of a link that is refused, halves are tried, down to the culprit. 0 or -errno. */
int place_many(struct placing *pl, size_t from, size_t n);
/* A link for each; descriptors are made room for. */
int place_each(struct placing *pl, size_t from, size_t n);
/* One that is known to be refused. */
void place_refuse(struct placing *pl, const struct probe *p, int error);
/* Tells what was refused. 0, or -errno with *why set if nothing could be placed. */
int place_end(const struct placing *pl, const struct attach_env *env, const char **why);

#endif
