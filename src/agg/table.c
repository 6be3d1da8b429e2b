/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of keys, and the operations of D on aggregations. What programs wrote is merged into it in merge.c; order
 * and walks are in sort.c, values in dist.c.
 */
#include <errno.h>
#include <string.h>

#include "agg/impl.h"

/* ---- the table ------------------------------------------------------------------------------ */

static struct agg_entry **buckets_alloc(size_t n)
{
	size_t size = n * sizeof(struct agg_entry *);

	return size < MEM_HUGE / 2 ? mem_alloc(size) : mem_map(size);
}

static void buckets_free(struct agg_entry **buckets, size_t n)
{
	size_t size = n * sizeof(*buckets);

	if (size < MEM_HUGE / 2)
		free(buckets);
	else
		mem_unmap(buckets, size);
}

struct aggs *aggs_create(const struct ecbs *ecbs, const void *strtab, uint32_t strtab_size)
{
	struct aggs *a = mem_alloc(sizeof(*a));

	a->ecbs = ecbs;
	a->strtab = strtab;
	a->strtab_size = strtab_size;
	a->nbuckets = 256;
	a->buckets = buckets_alloc(a->nbuckets);
	return a;
}

void aggs_strtab(struct aggs *a, const void *strtab, uint32_t strtab_size)
{
	a->strtab = strtab;
	a->strtab_size = strtab_size;
}

static size_t entry_bytes(const struct aggdesc *d, uint32_t key_len)
{
	return sizeof(struct agg_entry) + key_len + d->value_words * sizeof(uint64_t);
}

static void entry_free(struct aggs *a, struct agg_entry *e)
{
	free(e->cpu);
	agg_pool_put(&a->pool, e, entry_bytes(aggs_desc(a, e->agg), e->key_len));
}

void aggs_destroy(struct aggs *a)
{
	struct agg_entry *e, *next;
	size_t i;

	if (!a)
		return;
	for (i = 0; i < a->nbuckets; i++)
		for (e = a->buckets[i]; e; e = next) {
			next = e->next;
			entry_free(a, e);
		}
	agg_pool_destroy(&a->pool);
	buckets_free(a->buckets, a->nbuckets);
	vec_free(&a->state);
	vec_free(&a->key);
	vec_free(&a->seen);
	free(a);
}

void aggs_set_canon(struct aggs *a, uint64_t (*canon)(void *, enum func_id, uint64_t, uint64_t),
		    void *arg)
{
	a->canon = canon;
	a->canon_arg = arg;
}

struct agg_state *agg_state(struct aggs *a, uint32_t agg)
{
	while (a->state.n < agg)
		vec_add(&a->state)->normal = 1;
	return &a->state.v[agg - 1];
}

uint64_t agg_key_hash(const uint64_t *key, uint32_t key_len)
{
	uint64_t h = key_len;
	uint32_t i;

	for (i = 0; i < key_len / 8; i++) {
		h = (h ^ key[i]) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 32;
	}
	return h;
}

size_t agg_bucket_of(const struct aggs *a, uint32_t agg, uint64_t hash)
{
	return (hash + agg * 0x9e3779b1u) & (a->nbuckets - 1);
}

struct agg_entry *agg_find(const struct aggs *a, uint32_t agg, const uint64_t *key,
			   uint32_t key_len, uint64_t hash)
{
	struct agg_entry *e = a->buckets[agg_bucket_of(a, agg, hash)];

	for (; e; e = e->next)
		if (e->hash == hash && e->agg == agg && e->key_len == key_len &&
		    (!key_len || !memcmp(e->key, key, key_len)))
			return e;
	return NULL;
}

void agg_reserve(struct aggs *a, size_t n)
{
	size_t i, old = a->nbuckets;
	struct agg_entry **from = a->buckets, *e, *next;

	if (n <= old)
		return;
	while (a->nbuckets < n)
		a->nbuckets *= 2;
	a->buckets = buckets_alloc(a->nbuckets);
	for (i = 0; i < old; i++)
		for (e = from[i]; e; e = next) {
			size_t to = agg_bucket_of(a, e->agg, e->hash);

			next = e->next;
			e->next = a->buckets[to];
			a->buckets[to] = e;
		}
	buckets_free(from, old);
}

struct agg_entry *agg_entry_get(struct aggs *a, const struct aggdesc *d, const uint64_t *key,
				uint32_t key_len, uint64_t hash)
{
	struct agg_entry *e = agg_find(a, d->id, key, key_len, hash);
	size_t b;

	if (e)
		return e;
	if (a->n >= a->nbuckets)
		agg_reserve(a, a->nbuckets * 4);
	e = agg_pool_get(&a->pool, entry_bytes(d, key_len));
	e->hash = hash;
	e->agg = d->id;
	e->key_len = key_len;
	e->key = e->value + d->value_words;
	if (key_len)
		memcpy(e->key, key, key_len);
	b = agg_bucket_of(a, d->id, hash);
	e->next = a->buckets[b];
	a->buckets[b] = e;
	a->n++;
	agg_state(a, d->id)->n++;
	return e;
}

const struct aggdesc *aggs_desc(const struct aggs *a, uint32_t agg)
{
	return agg > 0 && agg <= a->ecbs->aggs.n ? &a->ecbs->aggs.v[agg - 1] : NULL;
}

void aggs_set_percpu(struct aggs *a, uint32_t nslots)
{
	a->nslots = nslots;
}

void aggs_set_flow(struct aggs *a, uint32_t agg, uint64_t *words)
{
	agg_state(a, agg)->flow = words;
}

/* ---- keys ----------------------------------------------------------------------------------- */

enum field_kind agg_key_kind(enum field_kind kind)
{
	switch (kind) {
	case FIELD_PROBE_STRING:
	case FIELD_CONST_STRING: return FIELD_STRING;
	case FIELD_CONST_INT: return FIELD_INT;
	default: return kind;
	}
}

const struct aggshape *agg_signature(const struct aggs *a, uint32_t agg)
{
	size_t i;

	for (i = 0; i < a->ecbs->shapes.n; i++)
		if (a->ecbs->shapes.v[i].agg == agg)
			return &a->ecbs->shapes.v[i];
	return NULL;
}

static void key_add(struct aggs *a, uint64_t word)
{
	vec_push(&a->key, word);
}

/* Length word, bytes, zeros up to the next word. */
static void key_add_bytes(struct aggs *a, const void *p, uint64_t n)
{
	size_t words = ROUND_UP(n, 8) / 8, at = a->key.n + 1;

	key_add(a, n);
	vec_reserve(&a->key, at + words + 1);
	if (words)
		a->key.v[at + words - 1] = 0;
	if (n)
		memcpy(&a->key.v[at], p, n);
	a->key.n = at + words;
}

static int key_add_table_string(struct aggs *a, uint64_t off)
{
	const struct abi_str *s;

	if ((off & 7) || off + sizeof(*s) > a->strtab_size)
		return -EINVAL;
	s = (const struct abi_str *)(a->strtab + off);
	if (s->len == ABI_STR_NULL)
		key_add(a, ABI_STR_NULL);
	else if (s->len > a->strtab_size - off - sizeof(*s))
		return -EINVAL;
	else
		key_add_bytes(a, s->s, s->len);
	return 0;
}

static uint64_t canonical(const struct aggs *a, enum func_id func, uint64_t pid, uint64_t addr)
{
	return a->canon ? a->canon(a->canon_arg, func, pid, addr) : addr;
}

static uint32_t pcs_used(const uint64_t *w, uint32_t words, uint32_t first)
{
	uint32_t n = first;

	while (n < words && w[n])
		n++;
	return n;
}

/*
 * A stack of which `first` words come before the pcs, without its zero pcs. More pcs than are shown mean that it
 * goes on: one mark stands for them, so that what looks the same is the same key.
 */
static void key_add_stack(struct aggs *a, const struct keypart *p, const uint64_t *w,
			  const uint64_t *end, uint32_t first)
{
	uint32_t room = end - w < p->words ? (uint32_t)(end - w) : p->words;
	uint32_t n = pcs_used(w, room, first), shown = n;

	if (p->frames && n > first + p->frames)
		shown = first + p->frames;
	key_add(a, 8ull * (shown + (n > shown)));
	for (uint32_t i = 0; i < shown; i++)
		key_add(a, w[i]);
	if (n > shown)
		key_add(a, STACK_GOES_ON);
	if (first)
		canonical(a, p->func, w[0], 0);
}

/* One component; w are its fixed words, *strs the string bytes that follow the fixed part. */
static int part_add(struct aggs *a, const struct keypart *p, const uint64_t *w,
		    const uint64_t **strs, const uint64_t *end)
{
	uint64_t n;

	switch (p->kind) {
	case FIELD_STRING:
		if (w[0] == ABI_STR_NULL) {
			key_add(a, ABI_STR_NULL);
			return 0;
		}
		n = (w[0] & ~7ull) / 8 + ((w[0] & 7) != 0);
		if (n > (uint64_t)(end - *strs))
			return -EINVAL;
		key_add_bytes(a, *strs, w[0]);
		*strs += n;
		return 0;
	case FIELD_PROBE_STRING:
	case FIELD_CONST_STRING: return key_add_table_string(a, w[0]);
	case FIELD_SYM: key_add(a, canonical(a, p->func, 0, w[0])); return 0;
	case FIELD_USYM:
		key_add(a, w[0]);
		key_add(a, canonical(a, p->func, w[0], w[1]));
		return 0;
	case FIELD_STACK: key_add_stack(a, p, w, end, 0); return 0;
	case FIELD_USTACK: key_add_stack(a, p, w, end, 1); return 0;
	case FIELD_BYTES:
		n = p->words * 8ull;
		if (p->type && type_resolve(p->type)->size < n)
			n = type_resolve(p->type)->size;
		key_add_bytes(a, w, n);
		return 0;
	default: key_add(a, w[0]); return 0;
	}
}

/* The table's form of a key that programs wrote, behind what is in a->key. */
int agg_key_make(struct aggs *a, const struct aggshape *s, const uint64_t *key, uint32_t nwords)
{
	const uint64_t *strs, *w = key;
	const struct keypart *last = s->nparts ? &s->parts[s->nparts - 1] : NULL;
	uint32_t fixed = 0, least;
	size_t i;

	for (i = 0; i < s->nparts; i++)
		fixed += s->parts[i].words;
	least = fixed;
	if (last && (last->kind == FIELD_STACK || last->kind == FIELD_USTACK))
		least -= last->words - (last->kind == FIELD_USTACK);
	if (least > nwords)
		return -EINVAL;
	strs = key + MIN(fixed, nwords);
	for (i = 0; i < s->nparts; i++) {
		if (part_add(a, &s->parts[i], w, &strs, key + nwords))
			return -EINVAL;
		w += s->parts[i].words;
	}
	return 0;
}

void agg_key_part(const struct aggs *a, const struct agg_entry *e, size_t i,
		  struct agg_keypart *out)
{
	const struct aggshape *s = agg_signature(a, e->agg);
	const struct aggdesc *d = aggs_desc(a, e->agg);
	const uint64_t *w = e->key;
	size_t k;

	memset(out, 0, sizeof(*out));
	for (k = 0; s && k <= i && k < s->nparts; k++) {
		out->kind = agg_key_kind(s->parts[k].kind);
		switch (out->kind) {
		case FIELD_STRING:
		case FIELD_BYTES:
		case FIELD_STACK:
		case FIELD_USTACK:
			out->is_null = w[0] == ABI_STR_NULL;
			out->size = out->is_null ? 0 : (uint32_t)w[0];
			out->data = w + 1;
			w += 1 + ROUND_UP(out->size, 8) / 8;
			break;
		case FIELD_USYM:
			out->pid = w[0];
			out->value = w[1];
			w += 2;
			break;
		default: out->value = *w++; break;
		}
	}
	if (!s || i >= s->nparts)
		return;
	out->func = s->parts[i].func;
	out->type = d->keys && i < d->nkeys && d->keys[i] ? d->keys[i] : s->parts[i].type;
	if (out->kind == FIELD_INT) {
		struct type *t = out->type ? type_resolve(out->type) : NULL;

		out->size =
			t && (t->size == 1 || t->size == 2 || t->size == 4) ? (uint32_t)t->size : 8;
		out->is_signed = t && (t->kind == TYPE_INT || t->kind == TYPE_ENUM) && t->is_signed;
	}
}

/* ---- operations ----------------------------------------------------------------------------- */

size_t aggs_count(const struct aggs *a, uint32_t agg)
{
	if (!agg)
		return a->n;
	return agg <= a->state.n ? a->state.v[agg - 1].n : 0;
}

static void entry_clear(const struct aggs *a, const struct aggdesc *d, struct agg_entry *e)
{
	memset(e->value, 0, d->value_words * sizeof(uint64_t));
	if (e->cpu)
		memset(e->cpu, 0, (size_t)a->nslots * d->value_words * sizeof(uint64_t));
}

void aggs_clear_entry(struct aggs *a, const struct agg_entry *e)
{
	entry_clear(a, aggs_desc(a, e->agg), (struct agg_entry *)e);
}

void aggs_clear(struct aggs *a, uint32_t agg)
{
	const struct aggdesc *d = aggs_desc(a, agg);
	struct agg_entry *e;
	size_t i;

	for (i = 0; d && aggs_count(a, agg) && i < a->nbuckets; i++)
		for (e = a->buckets[i]; e; e = e->next)
			if (e->agg == agg)
				entry_clear(a, d, e);
}

struct select { /* the entries that trunc() keeps: from..to in ascending order */
	struct agg_entry **v;
	size_t n;
};

static int select_add(void *arg, const struct agg_entry *e)
{
	struct select *s = arg;

	s->v[s->n++] = (struct agg_entry *)e;
	return 0;
}

static void entry_remove(struct aggs *a, struct agg_entry *e)
{
	struct agg_entry **at = &a->buckets[agg_bucket_of(a, e->agg, e->hash)];

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	a->n--;
	agg_state(a, e->agg)->n--;
	entry_free(a, e);
}

static void remove_all(struct aggs *a, uint32_t agg)
{
	size_t i;

	for (i = 0; i < a->nbuckets; i++) {
		struct agg_entry **at = &a->buckets[i], *e;

		while ((e = *at)) {
			if (e->agg != agg) {
				at = &e->next;
				continue;
			}
			*at = e->next;
			entry_free(a, e);
		}
	}
	a->n -= agg_state(a, agg)->n;
	agg_state(a, agg)->n = 0;
}

void aggs_trunc(struct aggs *a, uint32_t agg, int64_t n)
{
	struct agg_sort plain = { 0 };
	struct select s = { 0 };
	size_t count = aggs_count(a, agg), keep, i;

	if (!count)
		return;
	keep = n == INT64_MIN ? count : (size_t)(n < 0 ? -n : n);
	if (!n)
		remove_all(a, agg);
	if (!n || keep >= count)
		return;
	s.v = mem_alloc(count * sizeof(*s.v));
	aggs_walk(a, agg, &plain, select_add, &s);
	for (i = 0; i < s.n; i++)
		if (n > 0 ? i < s.n - keep : i >= keep)
			entry_remove(a, s.v[i]);
	free(s.v);
}

int aggs_normalize(struct aggs *a, uint32_t agg, uint64_t normal)
{
	if (!normal)
		return -EINVAL;
	if (aggs_desc(a, agg))
		agg_state(a, agg)->normal = normal;
	return 0;
}

uint64_t aggs_normal(const struct aggs *a, uint32_t agg)
{
	return agg > 0 && agg <= a->state.n ? a->state.v[agg - 1].normal : 1;
}

void aggs_set_printed(struct aggs *a, uint32_t agg)
{
	if (aggs_desc(a, agg))
		agg_state(a, agg)->printed = true;
}

bool aggs_printed(const struct aggs *a, uint32_t agg)
{
	return agg > 0 && agg <= a->state.n && a->state.v[agg - 1].printed;
}
