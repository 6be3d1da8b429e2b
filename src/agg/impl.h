/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by table.c, sort.c and dist.c. */
#ifndef AGG_IMPL_H
#define AGG_IMPL_H

#include <stdio.h>

#include "agg/agg.h"
#include "base/mem.h"
#include "base/vec.h"

struct agg_state { /* of one aggregation */
	uint64_t normal;
	size_t n; /* keys */
	bool printed;
	uint64_t *flow; /* NULL, or see aggs_set_flow() */
};

struct aggs {
	const struct ecbs *ecbs;
	const unsigned char *strtab;
	uint32_t strtab_size;
	uint64_t (*canon)(void *arg, enum func_id func, uint64_t pid, uint64_t addr);
	void *canon_arg;
	struct agg_entry **buckets; /* chains; a power of two */
	size_t nbuckets, n;
	VEC(struct agg_state) state; /* index id - 1 */
	VEC(uint64_t) seen;	     /* direct counters: shape * slots + slot */
	VEC(uint64_t) key;	     /* being put together */
	uint32_t nslots, slot;	     /* aggpercpu: slots, 0: not asked for; the one that is merged */
};

struct agg_entry *agg_find(const struct aggs *a, uint32_t agg, const uint64_t *key,
			   uint32_t key_len, uint64_t hash);
/* The kind that a component has in the table: constants and probe names are strings. */
enum field_kind agg_key_kind(enum field_kind kind);
/* Parts of the first shape of the aggregation; they describe its keys. NULL: no key. */
const struct aggshape *agg_signature(const struct aggs *a, uint32_t agg);

void agg_value_merge(const struct aggdesc *d, uint64_t *to, const uint64_t *from);

/* What decides the order of two values. */
struct agg_rank {
	__int128 value;
	int64_t tie;
};
void agg_rank(const struct aggdesc *d, const uint64_t *value,
	      struct agg_rank *r); /* value NULL: zero */
int agg_rank_cmp(const struct agg_rank *x, const struct agg_rank *y);

#endif
