/* SPDX-License-Identifier: BSD-2-Clause */
/* Aggregations for clients: walks in every order, each entry laid out as the description says. */
#include "lib/work.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "consumer/print.h"

static uint16_t agg_kind(enum func_id func)
{
	switch (func) {
	case FN_count: return DTRACEAGG_COUNT;
	case FN_min: return DTRACEAGG_MIN;
	case FN_max: return DTRACEAGG_MAX;
	case FN_avg: return DTRACEAGG_AVG;
	case FN_sum: return DTRACEAGG_SUM;
	case FN_stddev: return DTRACEAGG_STDDEV;
	case FN_quantize: return DTRACEAGG_QUANTIZE;
	case FN_lquantize: return DTRACEAGG_LQUANTIZE;
	default: return DTRACEAGG_LLQUANTIZE;
	}
}

/* ---- an entry as the client sees it ---------------------------------------------------------- */

struct view {
	dtrace_aggdata_t pub; /* first: the client's pointer leads back here */
	dtrace_aggdesc_t desc;
	VEC(dtrace_recdesc_t) recs;
	struct str data;
	const struct agg_entry *entry;
};

static void view_part(struct view *v, uint16_t action, const void *p, uint32_t size, uint32_t room)
{
	dtrace_recdesc_t *r = vec_add(&v->recs);
	uint32_t end = v->data.n;

	r->dtrd_action = action;
	work_recdesc_offsets(r, room, &end);
	str_pad(&v->data, 0, end - v->data.n);
	if (p)
		memcpy(v->data.s + r->dtrd_offset, p, size);
}

/* Strings have the room of any string, so that a client tells them from numbers by their size. */
static void view_key(struct view *v, const struct agg_keypart *k, uint32_t strsize)
{
	uint64_t pair[2] = { k->pid, k->value };

	switch (k->kind) {
	case FIELD_INT: view_part(v, DTRACEACT_DIFEXPR, &k->value, k->size, k->size); break;
	case FIELD_SYM: view_part(v, DTRACEACT_DIFEXPR, &k->value, 8, 8); break;
	case FIELD_USYM: view_part(v, DTRACEACT_DIFEXPR, pair, sizeof(pair), sizeof(pair)); break;
	case FIELD_STRING:
		view_part(v, DTRACEACT_DIFEXPR, k->data, k->size, MAX(k->size + 1, strsize));
		break;
	default: view_part(v, DTRACEACT_DIFEXPR, k->data, k->size, k->size);
	}
}

/* A number for functions that have one result, the buckets for distributions. */
static void view_value(struct view *v, const struct aggdesc *d, const struct agg_entry *e)
{
	int64_t number;

	if (agg_is_distribution(d)) {
		view_part(v, agg_kind(d->func), e->value, d->value_words * 8, d->value_words * 8);
		return;
	}
	number = agg_value_number(d, e->value, 1);
	view_part(v, agg_kind(d->func), &number, sizeof(number), sizeof(number));
}

static void view_fill(struct view *v, dtrace_hdl_t *dtp, const struct agg_entry *e)
{
	struct aggs *aggs = consumer_aggs(dtp->consumer);
	const struct aggdesc *d = aggs_desc(aggs, e->agg);

	v->data.n = 0;
	v->recs.n = 0;
	for (size_t i = 0; i < d->nkeys; i++) {
		struct agg_keypart k;

		agg_key_part(aggs, e, i, &k);
		view_key(v, &k, dtp->opt[OPT_STRSIZE]);
	}
	view_value(v, d, e);
	v->desc = (dtrace_aggdesc_t){
		.dtagd_name = d->name,
		.dtagd_varid = d->id,
		.dtagd_nrecs = v->recs.n,
		.dtagd_rec = v->recs.v,
	};
	v->pub = (dtrace_aggdata_t){
		.dtada_handle = dtp,
		.dtada_desc = &v->desc,
		.dtada_data = str_c(&v->data),
		.dtada_normal = aggs_normal(aggs, e->agg),
		.dtada_size = v->data.n,
	};
	v->entry = e;
}

/* ---- walks ----------------------------------------------------------------------------------- */

struct walk {
	dtrace_hdl_t *dtp;
	dtrace_aggregate_f *func;
	void *arg;
	struct view view;
	int result;
};

static int walk_one(void *arg, const struct agg_entry *e)
{
	struct walk *w = arg;

	view_fill(&w->view, w->dtp, e);
	switch (w->func(&w->view.pub, w->arg)) {
	case DTRACE_AGGWALK_NEXT: return 0;
	case DTRACE_AGGWALK_ABORT: return 1;
	case DTRACE_AGGWALK_CLEAR:
		aggs_clear_entry(consumer_aggs(w->dtp->consumer), e);
		return 0;
	case DTRACE_AGGWALK_ERROR: w->result = -1; return 1;
	default: w->result = hdl_error(w->dtp, EDT_BADRVAL); return 1;
	}
}

static int walk(dtrace_hdl_t *dtp, const struct agg_sort *sort, dtrace_aggregate_f *func, void *arg)
{
	struct walk w = { .dtp = dtp, .func = func, .arg = arg };

	if (!dtp->consumer && work_open(dtp, NULL, true) < 0)
		return -1;
	aggs_walk(consumer_aggs(dtp->consumer), 0, sort, walk_one, &w);
	vec_free(&w.view.recs);
	str_free(&w.view.data);
	return w.result;
}

int dtrace_aggregate_walk(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg)
{
	return walk(dtp, NULL, func, arg);
}

int dtrace_aggregate_walk_sorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg)
{
	struct agg_sort sort = {
		.by_key = dtp->live.aggsortkey,
		.reverse = dtp->live.aggsortrev,
		.key_pos = dtp->live.aggsortkeypos,
		.agg_pos = dtp->live.aggsortpos,
	};

	return walk(dtp, &sort, func, arg);
}

#define WALK(name, key, rev)                                                                      \
	int dtrace_aggregate_walk_##name(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg)  \
	{                                                                                         \
		return walk(dtp, &(struct agg_sort){ .by_key = key, .reverse = rev }, func, arg); \
	}

WALK(keysorted, true, false)
WALK(valsorted, false, false)
WALK(keyrevsorted, true, true)
WALK(valrevsorted, false, true)

/* ---- all of them ----------------------------------------------------------------------------- */

int dtrace_aggregate_snap(dtrace_hdl_t *dtp)
{
	int rc;

	if (!dtp->consumer && work_open(dtp, NULL, true) < 0)
		return -1;
	rc = consumer_aggregate(dtp->consumer);
	return rc < 0 ? hdl_error(dtp, -rc) : 0;
}

void dtrace_aggregate_clear(dtrace_hdl_t *dtp)
{
	if (!dtp->consumer)
		return;
	for (size_t i = 0; i < dtp->ecbs.aggs.n; i++)
		aggs_clear(consumer_aggs(dtp->consumer), dtp->ecbs.aggs.v[i].id);
}

/* Prints one entry of a walk of the client's. */
static int print_one(const dtrace_aggdata_t *data, void *arg)
{
	const struct view *v = (const struct view *)data;
	dtrace_hdl_t *dtp = arg;
	struct aggs *aggs = consumer_aggs(dtp->consumer);
	const struct aggdesc *d = aggs_desc(aggs, v->entry->agg);
	struct print p = { .out = &consumer_output(dtp->consumer)->buf,
			   .opt = &dtp->live,
			   .hooks = &dtp->work->hooks };
	struct print_agg agg = { .desc = d,
				 .value = v->entry->value,
				 .normal = data->dtada_normal };
	struct print_value *keys;

	if (aggs_printed(aggs, d->id))
		return DTRACE_AGGWALK_NEXT;
	keys = mem_alloc((d->nkeys + 1) * sizeof(*keys));
	for (size_t i = 0; i < d->nkeys; i++) {
		struct agg_keypart k;

		agg_key_part(aggs, v->entry, i, &k);
		print_value_key(&keys[i], &k);
	}
	print_agg_line(&p, keys, d->nkeys, &agg, 1);
	free(keys);
	return DTRACE_AGGWALK_NEXT;
}

int dtrace_aggregate_print(dtrace_hdl_t *dtp, FILE *fp, dtrace_aggregate_walk_f *walk_func)
{
	if (work_open(dtp, fp, false) < 0)
		return -1;
	if (!walk_func)
		consumer_print_aggregations(dtp->consumer);
	else if (walk_func(dtp, print_one, dtp) < 0)
		return -1;
	return work_output(dtp, fp, true);
}
