/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Order of entries (options aggsort* of the manual page) and walks in that order.
 */
#include <stdlib.h>
#include <string.h>

#include "agg/impl.h"

/* What qsort() moves: an entry, or a row of a joined walk with n ranks and values. */
struct item {
	const struct agg_entry *e;
	int64_t first; /* the deciding rank, cut to 64 bits: spares most looks at `ranks` */
	size_t row;
};

/* A component of the key that stands at the same place in every key: its word decides alone. */
struct quick {
	bool is;
	uint32_t word;
	uint64_t mask;
};

struct order {
	const struct aggs *a;
	struct agg_sort sort;
	size_t n;		/* aggregations joined; 1 for a plain walk */
	struct agg_rank *ranks; /* [row * n + which] */
	size_t nkeys;
	struct quick *quick; /* [nkeys] */
};

/* Unsigned by width: -1 of an int sorts behind 2. */
static uint64_t value_mask(const struct agg_keypart *k)
{
	return k->kind != FIELD_INT || k->size >= 8 ? UINT64_MAX : (1ull << (k->size * 8)) - 1;
}

static int u64_cmp(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

static int part_cmp(const struct agg_keypart *x, const struct agg_keypart *y)
{
	int c;

	switch (x->kind) {
	case FIELD_STRING:
		if (x->is_null != y->is_null)
			return x->is_null ? -1 : 1;
		/* fall through */
	case FIELD_BYTES:
	case FIELD_STACK:
	case FIELD_USTACK:
		c = memcmp(x->data, y->data, MIN(x->size, y->size));
		return c ? c : u64_cmp(x->size, y->size);
	case FIELD_USYM: /* the upper half of the word only tells programs of one process apart */
		c = u64_cmp((uint32_t)x->pid, (uint32_t)y->pid);
		return c ? c : u64_cmp(x->value, y->value);
	default: return u64_cmp(x->value & value_mask(x), y->value & value_mask(y));
	}
}

/* Starts at the component that the option names and goes round. */
static int key_cmp(const struct order *o, const struct agg_entry *x, const struct agg_entry *y)
{
	size_t start = o->sort.key_pos >= 0 && (size_t)o->sort.key_pos < o->nkeys
			       ? (size_t)o->sort.key_pos
			       : 0,
	       i;

	for (i = 0; i < o->nkeys; i++) {
		size_t at = (start + i) % o->nkeys;
		const struct quick *k = &o->quick[at];
		struct agg_keypart p, q;
		int c;

		if (k->is) {
			c = u64_cmp(x->key[k->word] & k->mask, y->key[k->word] & k->mask);
		} else {
			agg_key_part(o->a, x, at, &p);
			agg_key_part(o->a, y, at, &q);
			c = part_cmp(&p, &q);
		}
		if (c)
			return c;
	}
	return 0;
}

static size_t first_agg(const struct order *o)
{
	return o->sort.agg_pos >= 0 && (size_t)o->sort.agg_pos < o->n ? (size_t)o->sort.agg_pos : 0;
}

static struct item item_make(const struct order *o, const struct agg_entry *e, size_t row)
{
	__int128 v = o->ranks[row * o->n + first_agg(o)].value;

	return (struct item){ e,
			      v > INT64_MAX   ? INT64_MAX
			      : v < INT64_MIN ? INT64_MIN
					      : (int64_t)v,
			      row };
}

static int rank_cmp(const struct order *o, const struct item *x, const struct item *y)
{
	size_t start = first_agg(o), i;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	for (i = 0; i < o->n; i++) {
		size_t at = (start + i) % o->n;
		int c = agg_rank_cmp(&o->ranks[x->row * o->n + at], &o->ranks[y->row * o->n + at]);

		if (c)
			return c;
	}
	return 0;
}

static int item_cmp(const void *x, const void *y, void *arg)
{
	const struct order *o = arg;
	const struct item *a = x, *b = y;
	int c = o->sort.by_key ? key_cmp(o, a->e, b->e) : rank_cmp(o, a, b);

	if (!c)
		c = o->sort.by_key ? rank_cmp(o, a, b) : key_cmp(o, a->e, b->e);
	return o->sort.reverse ? -c : c;
}

/* e: any entry of the aggregation. */
static void keys_find(struct order *o, const struct agg_entry *e)
{
	const struct aggshape *s = agg_signature(o->a, e->agg);
	uint32_t word = 0;
	bool fixed = true;
	size_t i;

	o->nkeys = s ? s->nparts : 0;
	o->quick = mem_alloc((o->nkeys + 1) * sizeof(*o->quick));
	for (i = 0; i < o->nkeys && fixed; i++) {
		struct agg_keypart k;

		agg_key_part(o->a, e, i, &k);
		fixed = k.kind == FIELD_INT || k.kind == FIELD_SYM || k.kind == FIELD_USYM;
		o->quick[i].is = k.kind == FIELD_INT || k.kind == FIELD_SYM;
		o->quick[i].word = word;
		o->quick[i].mask = value_mask(&k);
		word += k.kind == FIELD_USYM ? 2 : 1;
	}
}

static void order_free(struct order *o)
{
	free(o->ranks);
	free(o->quick);
}

static int walk_one(struct aggs *a, uint32_t agg, const struct agg_sort *sort, agg_walk_fn *f,
		    void *arg)
{
	struct order o = { .a = a, .sort = sort ? *sort : (struct agg_sort){ 0 }, .n = 1 };
	const struct aggdesc *d = aggs_desc(a, agg);
	size_t count = aggs_count(a, agg), n = 0, i;
	struct item *items;
	int r = 0;

	if (!d || !count)
		return 0;
	items = mem_alloc(count * sizeof(*items));
	o.ranks = mem_alloc(count * sizeof(*o.ranks));
	for (i = 0; i < a->nbuckets; i++) {
		const struct agg_entry *e;

		for (e = a->buckets[i]; e; e = e->next) {
			if (e->agg != agg)
				continue;
			agg_rank(d, e->value, &o.ranks[n]);
			items[n] = item_make(&o, e, n);
			n++;
		}
	}
	keys_find(&o, items[0].e);
	qsort_r(items, n, sizeof(*items), item_cmp, &o);
	for (i = 0; i < n && !r; i++)
		r = f(arg, items[i].e);
	order_free(&o);
	free(items);
	return r;
}

int aggs_walk(struct aggs *a, uint32_t agg, const struct agg_sort *sort, agg_walk_fn *f, void *arg)
{
	uint32_t id;
	int r = 0;

	if (agg)
		return walk_one(a, agg, sort, f, arg);
	for (id = 1; id <= a->ecbs->aggs.n && !r; id++)
		r = walk_one(a, id, sort, f, arg);
	return r;
}

/* ---- joined walk ---------------------------------------------------------------------------- */

struct join {
	struct order o;
	const uint32_t *ids;
	struct item *items;
	const uint64_t **values; /* [row * n + which] */
	size_t rows;
};

/* Adds the row of e's key unless an earlier aggregation of the list has that key, too. */
static void join_add(struct join *j, const struct agg_entry *e, size_t which)
{
	size_t n = j->o.n, i, row = j->rows;

	for (i = 0; i < n; i++) {
		const struct agg_entry *o =
			agg_find(j->o.a, j->ids[i], e->key, e->key_len, e->hash);

		if (o && i < which)
			return;
		j->values[row * n + i] = o ? o->value : NULL;
	}
	for (i = 0; i < n; i++)
		agg_rank(aggs_desc(j->o.a, j->ids[i]), j->values[row * n + i],
			 &j->o.ranks[row * n + i]);
	j->items[row] = item_make(&j->o, e, row);
	j->rows++;
}

int aggs_walk_joined(struct aggs *a, const uint32_t *ids, size_t n, const struct agg_sort *sort,
		     agg_join_fn *f, void *arg)
{
	struct join j = { .o = { .a = a, .sort = sort ? *sort : (struct agg_sort){ 0 }, .n = n },
			  .ids = ids };
	size_t total = 0, i, which;
	int r = 0;

	for (i = 0; i < n; i++) {
		if (!aggs_desc(a, ids[i]))
			return 0;
		total += aggs_count(a, ids[i]);
	}
	if (!total)
		return 0;
	j.items = mem_alloc(total * sizeof(*j.items));
	j.values = mem_alloc(total * n * sizeof(*j.values));
	j.o.ranks = mem_alloc(total * n * sizeof(*j.o.ranks));
	for (which = 0; which < n; which++) {
		const struct agg_entry *e;

		for (i = 0; i < a->nbuckets; i++)
			for (e = a->buckets[i]; e; e = e->next)
				if (e->agg == ids[which])
					join_add(&j, e, which);
	}
	keys_find(&j.o, j.items[0].e);
	qsort_r(j.items, j.rows, sizeof(*j.items), item_cmp, &j.o);
	for (i = 0; i < j.rows && !r; i++)
		r = f(arg, j.items[i].e, &j.values[j.items[i].row * n], n);
	order_free(&j.o);
	free(j.values);
	free(j.items);
	return r;
}
