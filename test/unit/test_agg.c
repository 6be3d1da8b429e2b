/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of src/agg: merging against a model, keys, order, operations, distributions as the
 * reference prints them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agg/agg.h"
#include "base/str.h"

/* ---- a made-up session ---------------------------------------------------------------------- */

#define HALF 65536

struct world {
	struct ecbs ecbs;
	struct aggs *aggs;
	struct abi_conf conf;
	union {
		unsigned char b[HALF];
		uint64_t w[HALF / 8];
	} half;
	struct {
		uint64_t len;
		char s[16];
	} strtab[4];
};

static void world_init(struct world *w)
{
	memset(w, 0, sizeof(*w));
	w->conf = (struct abi_conf){
		.aggsize = HALF, .agg_buckets = 64, .agg_heads = 8192, .agg_start = 8192 + 256
	};
	w->strtab[1].len = 4;
	memcpy(w->strtab[1].s, "read", 5);
	w->aggs = aggs_create(&w->ecbs, w->strtab, sizeof(w->strtab));
}

static void world_free(struct world *w)
{
	size_t i;

	aggs_destroy(w->aggs);
	for (i = 0; i < w->ecbs.shapes.n; i++)
		free(w->ecbs.shapes.v[i].parts);
	vec_free(&w->ecbs.shapes);
	vec_free(&w->ecbs.aggs);
}

static uint32_t agg_new(struct world *w, enum func_id func, size_t nkeys, uint32_t words)
{
	struct aggdesc *d = vec_add(&w->ecbs.aggs);

	d->id = (uint32_t)w->ecbs.aggs.n;
	d->name = "a";
	d->func = func;
	d->nkeys = nkeys;
	d->value_words = words;
	return d->id;
}

static uint32_t shape_new(struct world *w, uint32_t agg, size_t nparts,
			  const enum field_kind *kinds)
{
	struct aggshape *s = vec_add(&w->ecbs.shapes);
	size_t i;

	s->agg = agg;
	s->nparts = nparts;
	s->value_words = w->ecbs.aggs.v[agg - 1].value_words;
	s->parts = mem_alloc((nparts + 1) * sizeof(*s->parts));
	for (i = 0; i < nparts; i++)
		s->parts[i] = (struct keypart){ .kind = kinds[i],
						.words = kinds[i] == FIELD_USYM ? 2 : 1 };
	return (uint32_t)w->ecbs.shapes.n - 1;
}

/* A statement that updates an aggregation without key. */
static void fixed_new(struct world *w, uint32_t agg, uint32_t offset)
{
	uint32_t shape = shape_new(w, agg, 0, NULL);

	w->ecbs.shapes.v[shape].fixed_offset = offset;
}

/* A new entry in the half; its value. */
static uint64_t *entry_new(struct world *w, uint32_t shape, const uint64_t *key, uint32_t nwords)
{
	struct abi_agghalf *h = (struct abi_agghalf *)w->half.b;
	struct abi_aggent *e = (struct abi_aggent *)(w->half.b + w->conf.agg_start + h->used);
	uint32_t *head;

	e->shape = shape;
	e->nwords = nwords;
	e->hash = (uint32_t)(key[0] * 2654435761u);
	memcpy(e->key, key, nwords * 8);
	head = (uint32_t *)(w->half.b + w->conf.agg_heads) + (e->hash & 63);
	e->next = *head;
	*head = w->conf.agg_start + (uint32_t)h->used;
	h->used += sizeof(*e) + 8 * (nwords + w->ecbs.shapes.v[shape].value_words);
	assert_true(w->conf.agg_start + h->used <= HALF);
	return e->key + nwords;
}

static void merge(struct world *w)
{
	size_t i;

	assert_int_equal(
		aggs_merge(w->aggs, &w->conf, w->half.b,
			   w->conf.agg_start + (uint32_t)((struct abi_agghalf *)w->half.b)->used),
		0);
	for (i = 0; i < HALF / 8; i++)
		assert_int_equal(w->half.w[i], 0);
}

static void add_int(struct world *w, uint32_t shape, uint64_t key, uint64_t value)
{
	entry_new(w, shape, &key, 1)[0] = value;
}

struct seen {
	struct aggs *aggs;
	uint64_t keys[64];
	int64_t values[64];
	size_t n;
};

static int see(void *arg, const struct agg_entry *e)
{
	struct seen *s = arg;
	struct agg_keypart k;

	agg_key_part(s->aggs, e, 0, &k);
	s->keys[s->n] = k.value;
	s->values[s->n++] = agg_value_number(aggs_desc(s->aggs, e->agg), e->value,
					     aggs_normal(s->aggs, e->agg));
	return 0;
}

static void expect_order(struct world *w, uint32_t agg, const struct agg_sort *sort, size_t n,
			 const uint64_t *keys)
{
	struct seen s = { .aggs = w->aggs };
	size_t i;

	assert_int_equal(aggs_walk(w->aggs, agg, sort, see, &s), 0);
	assert_int_equal(s.n, n);
	for (i = 0; i < n; i++)
		assert_int_equal(s.keys[i], keys[i]);
}

/* ---- merging -------------------------------------------------------------------------------- */

struct model {
	int64_t n, sum, min, max;
	long double squares;
	int64_t q[127];
};

/* Bucket of quantize by looking for it, not by counting bits. */
static int model_bucket(int64_t v)
{
	int i;

	if (v == 0)
		return 63;
	for (i = 62; i > 0; i--) {
		__int128 edge = (__int128)1 << (i - 1);

		if (v > 0 && v >= edge)
			return 63 + i + (v >= edge * 2);
		if (v < 0 && v <= -edge)
			return 63 - i - (v <= -edge * 2);
	}
	return 63 + (v > 0 ? 1 : -1);
}

static void update(const struct aggdesc *d, uint64_t *p, int64_t v)
{
	unsigned __int128 sq;

	switch (d->func) {
	case FN_count: p[0]++; break;
	case FN_sum: p[0] += (uint64_t)v; break;
	case FN_avg:
		p[0]++;
		p[1] += (uint64_t)v;
		break;
	case FN_min:
		p[0]++;
		p[1] = MAX(p[1], (uint64_t)(v ^ INT64_MAX));
		break;
	case FN_max:
		p[0]++;
		p[1] = MAX(p[1], (uint64_t)(v ^ INT64_MIN));
		break;
	case FN_stddev:
		p[0]++;
		p[1] += (uint64_t)v;
		sq = ((unsigned __int128)p[3] << 64 | p[2]) + (unsigned __int128)((__int128)v * v);
		p[2] = (uint64_t)sq;
		p[3] = (uint64_t)(sq >> 64);
		break;
	default: p[model_bucket(v)]++; break;
	}
}

static void test_merge_model(void **state)
{
	static const struct {
		enum func_id func;
		uint32_t words;
	} funcs[] = { { FN_count, 1 }, { FN_sum, 1 },	 { FN_avg, 2 },	      { FN_min, 2 },
		      { FN_max, 2 },   { FN_stddev, 4 }, { FN_quantize, 127 } };
	static const enum field_kind integer[] = { FIELD_INT };
	size_t f, k, i;

	(void)state;
	srand(1);
	for (f = 0; f < ARRAY_SIZE(funcs); f++) {
		struct world *w = mem_alloc(sizeof(*w));
		struct model m[5];
		uint32_t agg, shape;
		int snap, cpu;

		world_init(w);
		memset(m, 0, sizeof(m));
		agg = agg_new(w, funcs[f].func, 1, funcs[f].words);
		shape = shape_new(w, agg, 1, integer);
		for (snap = 0; snap < 4; snap++)
			for (cpu = 0; cpu < 3; cpu++) {
				for (k = 0; k < 5; k++) {
					/* Two entries of one key: as after nesting. */
					uint64_t *p = entry_new(w, shape, &(uint64_t){ k }, 1);
					uint64_t *q = entry_new(w, shape, &(uint64_t){ k }, 1);

					for (i = 0; i < 20; i++) {
						int64_t v = ((int64_t)rand() << 20 ^ rand()) >>
							    (rand() % 50);

						v = rand() & 1 ? v : -v;
						update(aggs_desc(w->aggs, agg), i & 1 ? p : q, v);
						m[k].min = m[k].n && m[k].min < v ? m[k].min : v;
						m[k].max = m[k].n && m[k].max > v ? m[k].max : v;
						m[k].n++;
						m[k].sum += v;
						m[k].squares += (long double)v * v;
						m[k].q[model_bucket(v)]++;
					}
				}
				merge(w);
			}
		assert_int_equal(aggs_count(w->aggs, agg), 5);
		{
			struct seen s = { .aggs = w->aggs };

			aggs_walk(w->aggs, agg, NULL, see, &s);
			for (i = 0; i < s.n; i++) {
				const struct model *x = &m[s.keys[i]];
				long double mean = (long double)x->sum / x->n;
				long double var = x->squares / x->n - mean * mean, v = s.values[i];

				switch (funcs[f].func) {
				case FN_count: assert_int_equal(s.values[i], x->n); break;
				case FN_sum: assert_int_equal(s.values[i], x->sum); break;
				case FN_avg: assert_int_equal(s.values[i], x->sum / x->n); break;
				case FN_min: assert_int_equal(s.values[i], x->min); break;
				case FN_max: assert_int_equal(s.values[i], x->max); break;
				case FN_stddev: /* to the precision of the model */
					assert_true((v - 1) * (v - 1) * 0.999999999L <= var);
					assert_true((v + 2) * (v + 2) * 1.000000001L >= var);
					break;
				default: break;
				}
			}
		}
		world_free(w);
		free(w);
	}
}

static int see_buckets(void *arg, const struct agg_entry *e)
{
	memcpy(arg, e->value, 127 * 8);
	return 0;
}

static void test_merge_quantize_and_fixed(void **state)
{
	struct world *w = mem_alloc(sizeof(*w));
	uint64_t got[127] = { 0 }, *p;
	uint32_t q, c;

	(void)state;
	world_init(w);
	q = agg_new(w, FN_quantize, 0, 127);
	fixed_new(w, q, 64);
	c = agg_new(w, FN_count, 0, 1);
	fixed_new(w, c, 64 + 128 * 8);
	/* The same place named by two statements counts once. */
	fixed_new(w, c, 64 + 128 * 8);
	p = (uint64_t *)(w->half.b + 64);
	p[0] = 1;
	update(aggs_desc(w->aggs, q), p + 1, -9);
	update(aggs_desc(w->aggs, q), p + 1, 0);
	merge(w);
	assert_int_equal(aggs_count(w->aggs, c), 0); /* never updated: does not exist */
	p[0] = 1;
	update(aggs_desc(w->aggs, q), p + 1, INT64_MIN);
	update(aggs_desc(w->aggs, q), p + 1, INT64_MAX);
	p[128] = 1;
	p[129] = 5;
	merge(w);
	aggs_walk(w->aggs, q, NULL, see_buckets, got);
	assert_int_equal(got[63], 1);
	assert_int_equal(got[59], 1);
	assert_int_equal(got[0], 1);
	assert_int_equal(got[126], 1);
	assert_int_equal(aggs_count(w->aggs, c), 1);
	{
		struct seen s = { .aggs = w->aggs };

		aggs_walk(w->aggs, c, NULL, see, &s);
		assert_int_equal(s.values[0], 5);
	}
	world_free(w);
	free(w);
}

/* ---- keys ----------------------------------------------------------------------------------- */

static int see_text(void *arg, const struct agg_entry *e)
{
	struct world *w = ((void **)arg)[0];
	struct str *out = ((void **)arg)[1];
	struct agg_keypart k;
	size_t i;

	for (i = 0; i < aggs_desc(w->aggs, e->agg)->nkeys; i++) {
		agg_key_part(w->aggs, e, i, &k);
		if (k.kind == FIELD_STRING)
			str_printf(out, k.is_null ? "NULL," : "%.*s,", (int)k.size,
				   (const char *)k.data);
		else
			str_printf(out, "%lld,", (long long)k.value);
	}
	str_printf(out, "=%lld;",
		   (long long)agg_value_number(aggs_desc(w->aggs, e->agg), e->value, 1));
	return 0;
}

static void test_string_keys_meet(void **state)
{
	static const enum field_kind table[] = { FIELD_PROBE_STRING, FIELD_INT },
				     computed[] = { FIELD_STRING, FIELD_INT };
	static const enum field_kind two[] = { FIELD_STRING, FIELD_STRING };
	struct world *w = mem_alloc(sizeof(*w));
	struct str out = { 0 };
	void *arg[] = { w, &out };
	uint64_t key[8] = { 0 };
	uint32_t agg, s1, s2, s3;

	(void)state;
	world_init(w);
	agg = agg_new(w, FN_count, 2, 1);
	s1 = shape_new(w, agg, 2, table);
	s2 = shape_new(w, agg, 2, computed);
	key[0] = sizeof(w->strtab[0]); /* "read" */
	key[1] = 7;
	entry_new(w, s1, key, 2)[0] = 10;
	key[0] = 4;
	memcpy(&key[2], "read", 4);
	entry_new(w, s2, key, 3)[0] = 5;
	key[0] = 8;
	memcpy(&key[2], "abcdefgh", 8);
	entry_new(w, s2, key, 3)[0] = 1;
	key[0] = ABI_STR_NULL;
	entry_new(w, s2, key, 2)[0] = 2;
	key[0] = 0;
	entry_new(w, s2, key, 2)[0] = 3;
	merge(w);
	aggs_walk(w->aggs, agg, &(struct agg_sort){ .by_key = true }, see_text, arg);
	assert_string_equal(str_c(&out), "NULL,7,=2;,7,=3;abcdefgh,7,=1;read,7,=15;");
	str_free(&out);

	agg = agg_new(w, FN_count, 2, 1);
	s3 = shape_new(w, agg, 2, two);
	key[0] = 3;
	key[1] = 9;
	memset(&key[2], 0, 24);
	memcpy(&key[2], "abc", 3);
	memcpy(&key[3], "defghijkl", 9);
	entry_new(w, s3, key, 5)[0] = 1;
	merge(w);
	aggs_walk(w->aggs, agg, NULL, see_text, arg);
	assert_string_equal(str_c(&out), "abc,defghijkl,=1;");
	str_free(&out);
	world_free(w);
	free(w);
}

static void test_bad_entries(void **state)
{
	static const enum field_kind str[] = { FIELD_STRING }, integer[] = { FIELD_INT };
	int i;

	(void)state;
	for (i = 0; i < 5; i++) {
		struct world *w = mem_alloc(sizeof(*w));
		struct abi_aggent *e;
		uint32_t agg, shape;
		size_t k;

		world_init(w);
		agg = agg_new(w, FN_count, 1, 1);
		shape = shape_new(w, agg, 1, i == 4 ? str : integer);
		if (i < 4)
			add_int(w, shape, 1, 1);
		else
			entry_new(w, shape, &(uint64_t){ 1000 },
				  1); /* a string that is not there */
		e = (struct abi_aggent *)(w->half.b + w->conf.agg_start);
		if (i == 0)
			e->shape = 99;
		else if (i == 1)
			e->nwords = 0xffffffff;
		else if (i == 2)
			e->nwords = 0;
		else if (i == 3)
			((struct abi_agghalf *)w->half.b)->used -= 8;
		assert_int_equal(
			aggs_merge(w->aggs, &w->conf, w->half.b,
				   w->conf.agg_start +
					   (uint32_t)((struct abi_agghalf *)w->half.b)->used),
			-EINVAL);
		for (k = 0; i != 3 && k < HALF / 8; k++)
			assert_int_equal(w->half.w[k], 0);
		world_free(w);
		free(w);
	}
}

static uint64_t canon_page(void *arg, enum func_id func, uint64_t pid, uint64_t addr)
{
	(void)arg;
	(void)func;
	(void)pid;
	return addr & ~0xfffull;
}

static void test_symbol_keys(void **state)
{
	static const enum field_kind sym[] = { FIELD_SYM }, usym[] = { FIELD_USYM };
	struct world *w = mem_alloc(sizeof(*w));
	uint64_t key[2];
	uint32_t agg, shape;

	(void)state;
	world_init(w);
	aggs_set_canon(w->aggs, canon_page, NULL);
	agg = agg_new(w, FN_count, 1, 1);
	shape = shape_new(w, agg, 1, sym);
	add_int(w, shape, 0x1234, 1);
	add_int(w, shape, 0x1567, 2);
	merge(w);
	expect_order(w, agg, NULL, 1, (uint64_t[]){ 0x1000 });
	agg = agg_new(w, FN_count, 1, 1);
	shape = shape_new(w, agg, 1, usym);
	key[0] = 9;
	key[1] = 0x2001;
	entry_new(w, shape, key, 2)[0] = 1;
	key[0] = 8;
	key[1] = 0x3001;
	entry_new(w, shape, key, 2)[0] = 1;
	merge(w);
	expect_order(w, agg, NULL, 2, (uint64_t[]){ 0x3000, 0x2000 }); /* by pid first */
	world_free(w);
	free(w);
}

/* ---- order, operations ---------------------------------------------------------------------- */

static void test_sort_and_operations(void **state)
{
	static const enum field_kind integer[] = { FIELD_INT };
	struct type i32 = { .kind = TYPE_INT, .size = 4, .is_signed = true };
	struct type *keys[] = { &i32 };
	struct world *w = mem_alloc(sizeof(*w));
	uint32_t agg, shape;
	struct agg_sort by_key = { .by_key = true }, reverse = { .reverse = true };
	struct seen s = { 0 };

	(void)state;
	world_init(w);
	agg = agg_new(w, FN_sum, 1, 1);
	w->ecbs.aggs.v[0].keys = keys;
	shape = shape_new(w, agg, 1, integer);
	add_int(w, shape, 1, 100);
	add_int(w, shape, 2, 20);
	add_int(w, shape, 3, 3);
	add_int(w, shape, (uint64_t)-1, 20);
	add_int(w, shape, 5, (uint64_t)-7);
	merge(w);
	expect_order(w, agg, NULL, 5, (uint64_t[]){ 5, 3, 2, (uint64_t)-1, 1 });
	expect_order(w, agg, &reverse, 5, (uint64_t[]){ 1, (uint64_t)-1, 2, 3, 5 });
	expect_order(w, agg, &by_key, 5, (uint64_t[]){ 1, 2, 3, 5, (uint64_t)-1 });
	aggs_trunc(w->aggs, agg, 3);
	expect_order(w, agg, NULL, 3, (uint64_t[]){ 2, (uint64_t)-1, 1 });
	aggs_trunc(w->aggs, agg, -2);
	expect_order(w, agg, NULL, 2, (uint64_t[]){ 2, (uint64_t)-1 });
	aggs_trunc(w->aggs, agg, 9);
	aggs_trunc(w->aggs, agg, INT64_MIN);
	assert_int_equal(aggs_count(w->aggs, agg), 2);
	assert_int_equal(aggs_normalize(w->aggs, agg, 0), -EINVAL);
	assert_int_equal(aggs_normalize(w->aggs, agg, 7), 0);
	s.aggs = w->aggs;
	aggs_walk(w->aggs, agg, NULL, see, &s);
	assert_int_equal(s.values[0], 2);
	aggs_clear(w->aggs, agg);
	assert_int_equal(aggs_normal(w->aggs, agg), 7);
	s.n = 0;
	aggs_walk(w->aggs, agg, NULL, see, &s);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.values[0], 0);
	aggs_trunc(w->aggs, agg, 0);
	assert_int_equal(aggs_count(w->aggs, 0), 0);
	assert_false(aggs_printed(w->aggs, agg));
	aggs_set_printed(w->aggs, agg);
	assert_true(aggs_printed(w->aggs, agg));
	add_int(w, shape, 1, 1);
	merge(w);
	assert_int_equal(aggs_count(w->aggs, agg), 1);
	world_free(w);
	free(w);
}

static void test_clear_min_max(void **state)
{
	struct world *w = mem_alloc(sizeof(*w));
	struct seen s = { 0 };
	uint32_t agg;
	uint64_t *p;

	(void)state;
	world_init(w);
	agg = agg_new(w, FN_min, 0, 2);
	fixed_new(w, agg, 64);
	p = (uint64_t *)(w->half.b + 64);
	p[0] = 1;
	update(aggs_desc(w->aggs, agg), p + 1, 5);
	merge(w);
	aggs_clear(w->aggs, agg);
	s.aggs = w->aggs;
	aggs_walk(w->aggs, agg, NULL, see, &s);
	assert_int_equal(s.values[0], INT64_MAX);
	world_free(w);
	free(w);
}

static void test_many_keys(void **state)
{
	static const enum field_kind integer[] = { FIELD_INT };
	struct world *w = mem_alloc(sizeof(*w));
	uint32_t agg, shape;
	uint64_t k, n = 0;

	(void)state;
	world_init(w);
	agg = agg_new(w, FN_count, 1, 1);
	shape = shape_new(w, agg, 1, integer);
	while (n < 100000) {
		for (k = 0; k < 1000; k++, n++)
			add_int(w, shape, n * 0x10001, 1);
		merge(w);
	}
	assert_int_equal(aggs_count(w->aggs, agg), 100000);
	aggs_trunc(w->aggs, agg, 10);
	assert_int_equal(aggs_count(w->aggs, agg), 10);
	world_free(w);
	free(w);
}

struct joined {
	struct world *w;
	struct str out;
};

static int see_joined(void *arg, const struct agg_entry *key, const uint64_t *const *values,
		      size_t n)
{
	struct joined *j = arg;
	struct agg_keypart k;
	size_t i;

	agg_key_part(j->w->aggs, key, 0, &k);
	str_printf(&j->out, "%lld:", (long long)k.value);
	for (i = 0; i < n; i++)
		str_printf(&j->out, values[i] ? "%lld," : "-,",
			   values[i] ? (long long)values[i][0] : 0);
	str_puts(&j->out, ";");
	return 0;
}

static void test_join(void **state)
{
	static const enum field_kind integer[] = { FIELD_INT };
	struct world *w = mem_alloc(sizeof(*w));
	struct joined j = { .w = w };
	uint32_t a, b, sa, sb;

	(void)state;
	world_init(w);
	a = agg_new(w, FN_sum, 1, 1);
	b = agg_new(w, FN_sum, 1, 1);
	sa = shape_new(w, a, 1, integer);
	sb = shape_new(w, b, 1, integer);
	add_int(w, sa, 1, 5);
	add_int(w, sa, 2, 1);
	add_int(w, sb, 2, 9);
	add_int(w, sb, 3, 4);
	merge(w);
	aggs_walk_joined(w->aggs, (uint32_t[]){ a, b }, 2, NULL, see_joined, &j);
	assert_string_equal(str_c(&j.out), "3:-,4,;2:1,9,;1:5,-,;");
	str_free(&j.out);
	aggs_walk_joined(w->aggs, (uint32_t[]){ a, b }, 2, &(struct agg_sort){ .agg_pos = 1 },
			 see_joined, &j);
	assert_string_equal(str_c(&j.out), "1:5,-,;3:-,4,;2:1,9,;");
	str_free(&j.out);
	aggs_walk_joined(w->aggs, (uint32_t[]){ a, a }, 2, &(struct agg_sort){ .by_key = true },
			 see_joined, &j);
	assert_string_equal(str_c(&j.out), "1:5,5,;2:1,1,;");
	str_free(&j.out);
	world_free(w);
	free(w);
}

/* ---- distributions -------------------------------------------------------------------------- */

static const char *trimmed(struct str *s)
{
	char *p = s->s, *q = s->s;

	for (; *p; p++) {
		if (*p == '\n')
			while (q > s->s && q[-1] == ' ')
				q--;
		*q++ = *p;
	}
	*q = 0;
	return s->s;
}

static void expect_dist(const struct aggdesc *d, const uint64_t *v, uint64_t normal,
			const char *text)
{
	struct str s = { 0 };

	agg_value_print(&s, d, v, normal);
	assert_string_equal(trimmed(&s), text);
	str_free(&s);
}

#define HEAD "\n           value  ------------- Distribution ------------- count\n"

static void test_distributions(void **state)
{
	struct aggdesc q = { .func = FN_quantize, .value_words = 127 };
	struct aggdesc l = { .func = FN_lquantize, .params = { 0, 10, 2 }, .value_words = 7 };
	uint64_t v[127] = { 0 }, lv[7] = { 1, 1, 2, 0, 0, 0, 1 };
	int64_t seen[] = { 0, 1, 3, 3, 7, -5 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(seen); i++)
		update(&q, v, seen[i]);
	expect_dist(&q, v, 1,
		    HEAD "              -8 |                                         0\n"
			 "              -4 |@@@@@@@                                  1\n"
			 "              -2 |                                         0\n"
			 "              -1 |                                         0\n"
			 "               0 |@@@@@@@                                  1\n"
			 "               1 |@@@@@@@                                  1\n"
			 "               2 |@@@@@@@@@@@@@                            2\n"
			 "               4 |@@@@@@@                                  1\n"
			 "               8 |                                         0\n");
	expect_dist(&l, lv, 1,
		    HEAD "             < 0 |@@@@@@@@                                 1\n"
			 "               0 |@@@@@@@@                                 1\n"
			 "               2 |@@@@@@@@@@@@@@@@                         2\n"
			 "               4 |                                         0\n"
			 "               6 |                                         0\n"
			 "               8 |                                         0\n"
			 "           >= 10 |@@@@@@@@                                 1\n");
	memset(v, 0, sizeof(v));
	v[64] = 3;
	v[65] = (uint64_t)-1;
	expect_dist(&q, v, 1,
		    HEAD "               0                     |                     0\n"
			 "               1                     |@@@@@@@@@@@@@@@      3\n"
			 "               2                @@@@@|                     -1\n"
			 "               4                     |                     0\n");
	memset(v, 0, sizeof(v));
	v[64] = (uint64_t)-12;
	expect_dist(&q, v, 1,
		    HEAD "               0                                         | 0\n"
			 "               1 @@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@| -12\n"
			 "               2                                         | 0\n");
	expect_dist(&q, v, 4,
		    HEAD "               0                                         | 0\n"
			 "               1 @@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@| -3\n"
			 "               2                                         | 0\n");
	memset(v, 0, sizeof(v));
	expect_dist(&q, v, 1,
		    HEAD "              -1 |                                         0\n"
			 "               0 |                                         0\n"
			 "               1 |                                         0\n");
	expect_dist(&q, NULL, 1,
		    HEAD "              -1 |                                         0\n"
			 "               0 |                                         0\n"
			 "               1 |                                         0\n");
	memset(lv, 0, sizeof(lv));
	expect_dist(&l, lv, 1,
		    HEAD "             < 0 |                                         0\n"
			 "               0 |                                         0\n"
			 "               2 |                                         0\n");
	v[0] = 1;
	v[126] = 1;
	{
		struct str s = { 0 };

		agg_value_print(&s, &q, v, 1);
		assert_non_null(
			strstr(str_c(&s),
			       "-4611686018427387904 |@@@@@@@@@@@@@@@@@@@@                     1"));
		assert_non_null(strstr(
			str_c(&s),
			"\n4611686018427387904 |@@@@@@@@@@@@@@@@@@@@                     1"));
		str_free(&s);
	}
}

/* Labels of all rows of an llquantize with something in both ends. */
static char *ll_labels(int64_t factor, int64_t low, int64_t high, int64_t steps)
{
	struct aggdesc d = { .func = FN_llquantize, .params = { factor, low, high, steps } };
	uint64_t *v;
	struct str s = { 0 }, out = { 0 };
	char *line, *save;

	d.value_words = (uint32_t)ABI_AGG_LLQUANTIZE_WORDS(factor, low, high, steps);
	v = mem_alloc(d.value_words * 8);
	v[d.value_words / 2] = v[d.value_words - 1] = 1;
	agg_value_print(&s, &d, v, 1);
	free(v);
	line = strtok_r(s.s, "\n", &save);
	while ((line = strtok_r(NULL, "\n", &save))) {
		line[16] = 0;
		line += strspn(line, " ");
		str_printf(&out, "%s ", line);
	}
	str_free(&s);
	return out.s;
}

static void test_llquantize(void **state)
{
	struct aggdesc d = { .func = FN_llquantize, .params = { 10, 0, 6, 20 } };
	uint64_t v[256] = { 0 };
	char *s;

	(void)state;
	s = ll_labels(10, 0, 2, 20);
	assert_string_equal(
		s,
		"-1 0 1 2 3 4 5 6 7 8 9 10 15 20 25 30 35 40 45 50 55 60 65 70 75 80 85 90 95 "
		"100 150 200 250 300 350 400 450 500 550 600 650 700 750 800 850 900 950 >= 1000 ");
	free(s);
	s = ll_labels(3, 3, 3, 27);
	assert_string_equal(
		s, "-27 < 27 27 30 33 36 39 42 45 48 51 54 57 60 63 66 69 72 75 78 >= 81 ");
	free(s);
	s = ll_labels(4, 0, 1, 2);
	assert_string_equal(s, "-1 0 1 2 4 8 >= 16 ");
	free(s);
	d.value_words = (uint32_t)ABI_AGG_LLQUANTIZE_WORDS(10, 0, 6, 20);
	assert_int_equal(d.value_words, 2 * 126 + 3);
	v[126 + 2 + 2 * 18 + 3] = 1; /* 250 */
	expect_dist(&d, v, 1,
		    HEAD "             200 |                                         0\n"
			 "             250 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1\n"
			 "             300 |                                         0\n");
	v[126 - (2 * 18 + 3)] = 1; /* -250 */
	v[126 + 2 + 2 * 18 + 3] = 0;
	expect_dist(&d, v, 1,
		    HEAD "            -300 |                                         0\n"
			 "            -250 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1\n"
			 "            -200 |                                         0\n");
	memset(v, 0, sizeof(v));
	expect_dist(&d, v, 1,
		    HEAD "               0 |                                         0\n"
			 "               1 |                                         0\n"
			 "               2 |                                         0\n");
}

static void test_numbers(void **state)
{
	struct aggdesc avg = { .func = FN_avg, .value_words = 2 },
		       sd = { .func = FN_stddev, .value_words = 4 };
	struct aggdesc sum = { .func = FN_sum, .value_words = 1 };
	struct str s = { 0 };

	(void)state;
	assert_int_equal(agg_value_number(&avg, (uint64_t[]){ 2, (uint64_t)-7 }, 1), -3);
	assert_int_equal(agg_value_number(&avg, (uint64_t[]){ 0, 0 }, 1), 0);
	assert_int_equal(agg_value_number(&sum, (uint64_t[]){ (uint64_t)-10 }, 5), -2);
	assert_int_equal(agg_value_number(&sd, (uint64_t[]){ 2, 0, 200, 0 }, 1), 10);
	agg_value_print(&s, &sum, (uint64_t[]){ 42 }, 1);
	assert_string_equal(str_c(&s), "               42");
	str_free(&s);
	assert_true(agg_value_cmp(&sum, (uint64_t[]){ (uint64_t)-1 }, (uint64_t[]){ 1 }) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge_model),
		cmocka_unit_test(test_merge_quantize_and_fixed),
		cmocka_unit_test(test_string_keys_meet),
		cmocka_unit_test(test_bad_entries),
		cmocka_unit_test(test_symbol_keys),
		cmocka_unit_test(test_sort_and_operations),
		cmocka_unit_test(test_clear_min_max),
		cmocka_unit_test(test_many_keys),
		cmocka_unit_test(test_join),
		cmocka_unit_test(test_distributions),
		cmocka_unit_test(test_llquantize),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
