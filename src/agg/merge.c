/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Snapshots: what programs wrote into the aggregation buffers is merged into the table, and the buffers are cleared.
 */
#include <errno.h>
#include <string.h>

#include "agg/impl.h"

static void value_add(struct aggs *a, const struct aggdesc *d, struct agg_entry *e,
		      const uint64_t *from)
{
	uint64_t *flow = agg_state(a, d->id)->flow;

	agg_value_merge(d, e->value, from);
	if (flow)
		agg_value_merge(d, flow, from);
	if (!a->nslots)
		return;
	if (!e->cpu)
		e->cpu = mem_alloc((size_t)a->nslots * d->value_words * sizeof(*e->cpu));
	agg_value_merge(d, e->cpu + (size_t)a->slot * d->value_words, from);
}

/* Aggregations without key: {touched, value} at fixed offsets. */
static void merge_fixed(struct aggs *a, const struct abi_conf *conf, unsigned char *half)
{
	size_t i;

	for (i = 0; i < a->ecbs->shapes.n; i++) {
		const struct aggshape *s = &a->ecbs->shapes.v[i];
		const struct aggdesc *d = aggs_desc(a, s->agg);
		uint64_t *p, bytes = 8 + 8ull * s->value_words;

		if (!s->fixed_offset || s->direct || !d || s->value_words != d->value_words ||
		    (s->fixed_offset & 7) || s->fixed_offset + bytes > conf->agg_heads)
			continue;
		p = (uint64_t *)(half + s->fixed_offset);
		if (!p[0])
			continue;
		value_add(a, d, agg_entry_get(a, d, NULL, 0, agg_key_hash(NULL, 0)), p + 1);
		memset(p, 0, bytes);
	}
}

/*
 * With many keys nothing of the table is in the processor's caches. So entries are merged in batches: while the
 * memory of one is fetched, the others of its batch are looked at.
 */
#define BATCH 32

struct pending { /* an entry of the half on its way into the table */
	const struct abi_aggent *ent;
	const struct aggdesc *d;
	const uint64_t *value;
	uint64_t hash;
	const uint64_t *plain; /* the key, if programs wrote it in the table's form */
	size_t key;	       /* else: index into a->key */
	uint32_t key_len;
};

static const uint64_t *pending_key(const struct aggs *a, const struct pending *p)
{
	return p->plain ? p->plain : a->key.v + p->key;
}

/* Numbers alone: there is nothing to be made of them. */
static bool is_plain(const struct aggshape *s, uint32_t nwords)
{
	for (size_t i = 0; i < s->nparts; i++)
		if (s->parts[i].kind != FIELD_INT)
			return false;
	return s->nparts == nwords;
}

static void batch_merge(struct aggs *a, const struct pending *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uintptr_t e = (uintptr_t)a->buckets[agg_bucket_of(a, v[i].d->id, v[i].hash)]; /* 0: a new key */

		__builtin_prefetch((const void *)e);
		__builtin_prefetch((const void *)(e + 64));
	}
	for (size_t i = 0; i < n; i++)
		value_add(a, v[i].d,
			  agg_entry_get(a, v[i].d, pending_key(a, &v[i]), v[i].key_len, v[i].hash),
			  v[i].value);
	a->key.n = 0;
}

/* The entry at p of the half, of which `room` bytes follow: its size, or -EINVAL. */
static int64_t pending_make(struct aggs *a, const unsigned char *p, uint32_t room,
			    struct pending *out)
{
	const struct abi_aggent *ent = (const struct abi_aggent *)p;
	const struct aggshape *s;
	uint64_t size;

	if (ent->shape >= a->ecbs->shapes.n)
		return -EINVAL;
	s = &a->ecbs->shapes.v[ent->shape];
	out->ent = ent;
	out->d = aggs_desc(a, s->agg);
	size = sizeof(*ent) + 8ull * ent->nwords + 8ull * s->value_words;
	if (!out->d || s->value_words != out->d->value_words || ent->nwords == 0 || size > room)
		return -EINVAL;
	out->value = ent->key + ent->nwords;
	out->key = a->key.n;
	out->plain = is_plain(s, ent->nwords) ? ent->key : NULL;
	if (!out->plain && agg_key_make(a, s, ent->key, ent->nwords))
		return -EINVAL;
	out->key_len = out->plain ? ent->nwords * 8 : (uint32_t)(a->key.n - out->key) * 8;
	out->hash = agg_key_hash(pending_key(a, out), out->key_len);
	__builtin_prefetch(&a->buckets[agg_bucket_of(a, out->d->id, out->hash)]);
	return (int64_t)size;
}

/* The bucket heads of a half: those of its entries are cleared while they are few, else all at once. */
struct heads {
	uint32_t *v;
	uint32_t n;
	bool each;
};

/* About n entries of `size` bytes, which may all be new: rather room for them now than moving others again and again. */
static void expect(struct aggs *a, struct heads *h, size_t n, size_t size)
{
	h->each = n <= h->n / 32;
	agg_reserve(a, n);
	if (n > a->n)
		agg_pool_expect(&a->pool, (n - a->n) * (size + sizeof(struct agg_entry)));
}

/* Takes n entries, which end at `end`, out of the half, while they are in the processor's caches. */
static void batch_take(struct aggs *a, const struct heads *h, const struct pending *v, size_t n,
		       unsigned char *end)
{
	unsigned char *start = n ? (unsigned char *)v[0].ent : end;

	batch_merge(a, v, n);
	for (size_t i = 0; h->each && i < n; i++)
		h->v[v[i].ent->hash & (h->n - 1)] = 0;
	memset(start, 0, (size_t)(end - start));
}

/* Entries stand one behind the other in order of creation. */
static int merge_entries(struct aggs *a, struct heads *h, unsigned char *half, uint32_t pos,
			 uint32_t used)
{
	struct pending v[BATCH];
	uint32_t start = pos;
	int64_t size = 0;
	size_t n = 0;

	a->key.n = 0;
	while (used - pos >= sizeof(struct abi_aggent)) {
		size = pending_make(a, half + pos, used - pos, &v[n]);
		if (size < 0)
			break;
		if (pos == start)
			expect(a, h, (used - pos) / size, size);
		pos += (uint32_t)size;
		if (++n == BATCH) {
			batch_take(a, h, v, n, half + pos);
			n = 0;
		}
	}
	batch_take(a, h, v, n, half + pos);
	memset(half + pos, 0, used - pos);
	return size < 0 ? (int)size : 0;
}

int aggs_merge(struct aggs *a, const struct abi_conf *conf, void *half, uint32_t used)
{
	struct heads h = { .v = (uint32_t *)((char *)half + conf->agg_heads),
			   .n = conf->agg_buckets };
	int err;

	merge_fixed(a, conf, half);
	memset(half, 0, sizeof(struct abi_agghalf));
	if (used <= conf->agg_start)
		return 0;
	err = merge_entries(a, &h, half, conf->agg_start, used);
	if (err || !h.each)
		memset(h.v, 0, h.n * sizeof(*h.v));
	return err;
}

/* Counters that are not switched: what came since the last time. */
static void merge_direct(struct aggs *a, struct buffers *b, uint32_t slot)
{
	const unsigned char *half = buffers_agg_first(b, slot);
	size_t i;

	for (i = 0; half && i < a->ecbs->shapes.n; i++) {
		const struct aggshape *s = &a->ecbs->shapes.v[i];
		size_t at = i * buffers_nslots(b) + slot;
		const struct aggdesc *d;
		uint64_t now, more;

		if (!s->direct)
			continue;
		while (a->seen.n <= at)
			vec_push(&a->seen, 0);
		now = __atomic_load_n((const uint64_t *)(half + s->fixed_offset + 8),
				      __ATOMIC_ACQUIRE);
		more = now - a->seen.v[at];
		if (!more)
			continue;
		a->seen.v[at] = now;
		d = aggs_desc(a, s->agg);
		value_add(a, d, agg_entry_get(a, d, NULL, 0, agg_key_hash(NULL, 0)), &more);
	}
}

int aggs_snapshot(struct aggs *a, struct buffers *b)
{
	uint32_t i, used;
	int err = 0, r;
	void *half;

	for (i = 0; i < buffers_nslots(b); i++) {
		a->slot = i;
		merge_direct(a, b, i);
		r = buffers_agg_switch(b, i, &half, &used);
		if (r == 1)
			r = aggs_merge(a, buffers_conf(b), half, used);
		if (r < 0)
			err = r;
	}
	return err;
}
