/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by table.c, merge.c, pool.c, sort.c and dist.c. */
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

struct agg_pool { /* pool.c */
	struct pool_chunk *chunks;
	size_t chunk; /* bytes of the last */
	uint64_t *at; /* the free room of the last, in words */
	size_t room;
	void *freed[192]; /* lists of what was given back, by words */
};
void *agg_pool_get(struct agg_pool *p, size_t bytes); /* zeroed */
void agg_pool_put(struct agg_pool *p, void *e, size_t bytes);
void agg_pool_expect(struct agg_pool *p, size_t bytes); /* so much may be wanted soon */
void agg_pool_destroy(struct agg_pool *p); /* but not what is too large for the lists */

struct aggs {
	const struct ecbs *ecbs;
	const unsigned char *strtab;
	uint32_t strtab_size;
	uint64_t (*canon)(void *arg, enum func_id func, uint64_t pid, uint64_t addr);
	void *canon_arg;
	struct agg_entry **buckets; /* chains; a power of two */
	size_t nbuckets, n;
	struct agg_pool pool;
	VEC(struct agg_state) state; /* index id - 1 */
	VEC(uint64_t) seen;	     /* direct counters: shape * slots + slot */
	VEC(uint64_t) key;	     /* being put together */
	uint32_t nslots, slot;	     /* aggpercpu: slots, 0: not asked for; the one that is merged */
};

struct agg_state *agg_state(struct aggs *a, uint32_t agg);
uint64_t agg_key_hash(const uint64_t *key, uint32_t key_len);
size_t agg_bucket_of(const struct aggs *a, uint32_t agg, uint64_t hash);
void agg_reserve(struct aggs *a, size_t n); /* room for n entries without moving any again */
/* The entry of this key, made if need be. */
struct agg_entry *agg_entry_get(struct aggs *a, const struct aggdesc *d, const uint64_t *key,
				uint32_t key_len, uint64_t hash);
/* The table's form of a key that programs wrote, behind what is in a->key. -EINVAL: it makes no sense. */
int agg_key_make(struct aggs *a, const struct aggshape *s, const uint64_t *key, uint32_t nwords);
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
