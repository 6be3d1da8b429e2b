/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Growing arrays: VEC(int) v = {0}; vec_push(&v, 3); v.v[0]; v.n; vec_free(&v).
 * Elements move when the array grows: keep indexes, not pointers, across a push.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define VEC(T)            \
	struct {          \
		T *v;     \
		size_t n; \
		size_t cap; \
	}

#define vec_reserve(vp, want)                                                      \
	do {                                                                       \
		if ((vp)->cap < (want)) {                                          \
			size_t cap_ = (vp)->cap ? (vp)->cap * 2 : 8;               \
			if (cap_ < (want))                                         \
				cap_ = (want);                                     \
			(vp)->v = mem_realloc((vp)->v, cap_ * sizeof(*(vp)->v));   \
			(vp)->cap = cap_;                                          \
		}                                                                  \
	} while (0)

#define vec_push(vp, elem)                          \
	do {                                        \
		vec_reserve((vp), (vp)->n + 1);     \
		(vp)->v[(vp)->n++] = (elem);        \
	} while (0)

/* Appends a zeroed element and gives its address, valid until the next push. */
#define vec_add(vp)                                                     \
	({                                                              \
		vec_reserve((vp), (vp)->n + 1);                         \
		memset(&(vp)->v[(vp)->n], 0, sizeof(*(vp)->v));         \
		&(vp)->v[(vp)->n++];                                    \
	})

#define vec_free(vp)               \
	do {                       \
		free((vp)->v);     \
		(vp)->v = NULL;    \
		(vp)->n = (vp)->cap = 0; \
	} while (0)

#endif
