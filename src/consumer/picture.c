/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -x oformat=folded, -x flamegraph, -x heatmap: what is traced goes into the tables of fold.h
 * beside being printed, and is written when tracing has ended.
 *
 * A record with a stack counts once. Aggregations with a stack among their keys count their
 * values: those that printa() prints when it prints them, the others at the end. Distributions are
 * followed as they are read, each aggrate a column.
 */
#include <errno.h>
#include <string.h>

#include "base/now.h"
#include "consumer/fold.h"
#include "consumer/impl.h"

struct heat_of { /* one distribution */
	uint32_t agg;
	struct heat *heat;
	uint64_t *counts; /* since the last column */
	uint32_t n;
};

struct heats {
	VEC(struct heat_of) v;
	uint32_t known; /* aggregations looked at */
	uint64_t last;	/* ns */
};

void picture_open(struct consumer *c)
{
	const struct consumer_options *o = c->cfg.opt;

	if (o->oformat == FORMAT_FOLDED || o->flamegraph)
		c->fold = fold_create();
	if (o->heatmap)
		c->heats = mem_alloc(sizeof(*c->heats));
}

void picture_close(struct consumer *c)
{
	fold_destroy(c->fold);
	for (size_t i = 0; c->heats && i < c->heats->v.n; i++) {
		aggs_set_flow(c->aggs, c->heats->v.v[i].agg, NULL);
		heat_destroy(c->heats->v.v[i].heat);
		free(c->heats->v.v[i].counts);
	}
	if (c->heats)
		vec_free(&c->heats->v);
	free(c->heats);
}

/* ---- stacks --------------------------------------------------------------------------------- */

/* setopt() may have asked for it since. */
static void fold_wanted(struct consumer *c)
{
	if (!c->fold && c->cfg.opt->oformat == FORMAT_FOLDED)
		c->fold = fold_create();
}

void picture_record_begin(struct consumer *c)
{
	fold_wanted(c);
	if (c->fold)
		fold_begin(c->fold);
}

void picture_record_end(struct consumer *c)
{
	if (c->fold)
		fold_end(c->fold, 1);
}

static int64_t entry_count(const struct aggdesc *d, const uint64_t *value)
{
	int64_t sum = 0;

	if (!agg_is_distribution(d))
		return agg_value_number(d, value, 1);
	for (uint32_t i = 0; i < agg_buckets(d); i++)
		sum += (int64_t)value[i];
	return sum;
}

static int entry_fold(void *arg, const struct agg_entry *e)
{
	struct consumer *c = arg;
	const struct aggdesc *d = aggs_desc(c->aggs, e->agg);
	struct print_value v;
	struct agg_keypart k;

	fold_begin(c->fold);
	for (size_t i = 0; i < d->nkeys; i++) {
		agg_key_part(c->aggs, e, i, &k);
		print_value_key(&v, &k);
		fold_value(c->fold, &c->print, &v);
	}
	fold_end(c->fold, entry_count(d, e->value));
	return 0;
}

void picture_aggregation(struct consumer *c, uint32_t agg)
{
	fold_wanted(c);
	if (c->fold)
		aggs_walk(c->aggs, agg, NULL, entry_fold, c);
}

void picture_action(struct consumer *c, const struct action *a, const struct print_value *args,
		    size_t nargs)
{
	if (!c->fold)
		return;
	for (size_t i = 0; i < nargs; i++) {
		if (a->func != FN_printa) {
			fold_value(c->fold, &c->print, &args[i]);
		} else if (a->fields[i].kind == FIELD_AGG) {
			picture_aggregation(c, (uint32_t)a->fields[i].value);
			if (aggs_count(c->aggs, (uint32_t)a->fields[i].value))
				aggs_set_printed(c->aggs, (uint32_t)a->fields[i].value);
			fold_begin(
				c->fold); /* what this record had before is no stack of its own */
		}
	}
}

/* ---- distributions -------------------------------------------------------------------------- */

static char *bucket_text(const struct agg_bucket *b)
{
	if (!b->has_min)
		return mem_printf("<= %lld", (long long)b->max);
	if (!b->has_max)
		return mem_printf(">= %lld", (long long)b->min);
	if (b->min == b->max)
		return mem_printf("%lld", (long long)b->min);
	return mem_printf("%lld .. %lld", (long long)b->min, (long long)b->max);
}

static void heat_begin(struct consumer *c, const struct aggdesc *d)
{
	struct heat_of *h = vec_add(&c->heats->v);
	struct heat_row *rows;
	char *title = mem_printf("@%s = %s()", d->name, func_get(d->func)->name);

	h->agg = d->id;
	h->n = agg_buckets(d);
	h->counts = mem_alloc((h->n + 1) * sizeof(*h->counts));
	rows = mem_alloc((h->n + 1) * sizeof(*rows));
	for (uint32_t i = 0; i < h->n; i++) {
		struct agg_bucket b;

		rows[i].real = agg_bucket_get(d, i, &b);
		rows[i].label = bucket_text(&b);
	}
	h->heat = heat_create(title, rows, h->n);
	for (uint32_t i = 0; i < h->n; i++)
		free(rows[i].label);
	free(rows);
	free(title);
	aggs_set_flow(c->aggs, d->id, h->counts);
}

/*
 * Before the first reading, so that nothing is missed; what the programs have written by then is
 * in its column.
 */
static void heats_look(struct consumer *c)
{
	const struct aggdesc *d;

	for (; c->heats->known < c->cfg.ecbs->aggs.n; c->heats->known++) {
		d = aggs_desc(c->aggs, c->heats->known + 1);
		if (d && agg_is_distribution(d))
			heat_begin(c, d);
	}
}

void picture_before_sample(struct consumer *c)
{
	if (!c->heats)
		return;
	heats_look(c);
	if (!c->heats->last)
		c->heats->last = now_ns();
}

void picture_sample(struct consumer *c)
{
	uint64_t now = now_ns();

	if (!c->heats)
		return;
	for (size_t i = 0; i < c->heats->v.n; i++) {
		struct heat_of *h = &c->heats->v.v[i];

		heat_add(h->heat, c->heats->last, now, h->counts);
		memset(h->counts, 0, h->n * sizeof(*h->counts));
	}
	c->heats->last = now;
}

/* ---- the end -------------------------------------------------------------------------------- */

static void file_write(struct consumer *c, const char *path, struct str *text)
{
	FILE *f = fopen(path, "we");
	bool failed = !f || fwrite(str_c(text), 1, text->n, f) != text->n;

	if (f && fclose(f))
		failed = true;
	if (failed)
		consumer_message(c, "failed to write to %s: %s", path, strerror(errno));
	c->unwritten |= failed;
	str_free(text);
}

void picture_end(struct consumer *c)
{
	const struct consumer_options *o = c->cfg.opt;
	struct str text = { 0 };
	VEC(struct heat *) maps = { 0 };

	fold_wanted(c);
	if (c->fold && o->oformat == FORMAT_FOLDED)
		fold_write(c->fold, &c->out.buf);
	if (c->fold && o->flamegraph) {
		fold_flamegraph(c->fold, &text);
		file_write(c, o->flamegraph, &text);
	}
	if (!c->heats)
		return;
	for (size_t i = 0; i < c->heats->v.n; i++)
		vec_push(&maps, c->heats->v.v[i].heat);
	heat_write(maps.v, maps.n, &text);
	vec_free(&maps);
	file_write(c, o->heatmap, &text);
}
