/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A turn: the buffers of all CPUs are switched, then decoded in order, then given back.
 *
 * Order: records of BEGIN first (and of ERROR that they caused), then the CPUs ascending, then the
 * records of END. With temporal: by time. A turn is left when the output is full and goes on where
 * it was.
 */
#include <errno.h>
#include <string.h>

#include "base/now.h"
#include "consumer/impl.h"

/*
 * temporal: a record may be older than its place tells by the time that passes between its firing and its
 * reservation. What fired within so long before a turn waits for the next one (ns).
 */
#define TEMPORAL_SLACK 10000000ull
#define LATE_TURNS \
	5 /* after the end: so often a program that does not leave is waited for, a second each */

/* ---- sources -------------------------------------------------------------------------------- */

static void source_bad(struct consumer *c, struct source *s, const struct buffer_snap *b)
{
	consumer_message(c,
			 "the buffer of CPU %d holds an impossible record at offset %u: "
			 "the rest of it is lost",
			 s->snap.cpu, b->pos);
}

static uint64_t rec_time(const struct abi_rec *r)
{
	return ((const struct abi_rec_time *)r)->time;
}

/*
 * Those that interrupted others, or were interrupted, do not stand in the order of their times. Nearly all
 * do: each is moved to where it belongs from the end.
 */
static void order_add(struct source *s, const struct abi_rec *r)
{
	size_t i;

	vec_push(&s->order, r);
	for (i = s->order.n - 1; i > 0 && rec_time(s->order.v[i - 1]) > rec_time(r); i--)
		s->order.v[i] = s->order.v[i - 1];
	s->order.v[i] = r;
}

static void source_order(struct consumer *c, struct source *s)
{
	const struct abi_rec *r;

	s->order.n = s->next = 0;
	while (s->held.data && (r = buffer_snap_next(&s->held)))
		order_add(s, r);
	if (!s->has_snap)
		return;
	while ((r = buffer_snap_next(&s->snap)))
		order_add(s, r);
	if (s->snap.error)
		source_bad(c, s, &s->snap);
	s->snap.error = 0;
}

static const struct abi_rec *source_peek(struct consumer *c, struct source *s)
{
	if (s->peek)
		return s->peek;
	if (c->cfg.opt->temporal) {
		if (s->next < s->order.n)
			s->peek = s->order.v[s->next++];
		return s->peek;
	}
	if (s->held.data)
		s->peek = buffer_snap_next(&s->held);
	if (!s->peek && s->has_snap) {
		s->peek = buffer_snap_next(&s->snap);
		if (!s->peek && s->snap.error) {
			source_bad(c, s, &s->snap);
			s->snap.error = 0;
		}
	}
	return s->peek;
}

/* What is left of the snapshot makes no sense. */
static void source_skip_rest(struct source *s)
{
	s->peek = NULL;
	s->snap.pos = s->snap.len;
	s->snap.nindex = 0;
	s->held.pos = s->held.len;
	s->next = s->order.n;
}

static int source_decode(struct consumer *c, struct source *s)
{
	const struct abi_rec *r = source_peek(c, s), *next;
	int err;

	s->peek = NULL;
	next = c->cfg.opt->flowindent ? source_peek(c, s) : NULL;
	err = decode_record(c, s, r, next);
	if (err == -EINVAL) {
		consumer_message(
			c,
			"a record of CPU %d does not fit its enabled probe ID %u (%u bytes): "
			"the rest of this "
			"buffer is lost",
			s->snap.cpu, r->epid, r->size);
		source_skip_rest(s);
		return 0;
	}
	if (err)
		return consumer_fail(c, "Abort explicitly directed");
	return 0;
}

/* May another record be decoded? */
static bool may_go_on(struct consumer *c)
{
	if (c->abort)
		return false;
	if (output_backlog(&c->out) > OUTPUT_CHUNK) {
		consumer_clean(c);
		output_poll(&c->out);
		return !output_full(&c->out) && !c->out.error;
	}
	return true;
}

/* ---- what a record belongs to --------------------------------------------------------------- */

static enum ecb_kind kind_of(struct consumer *c, const struct source *s, const struct abi_rec *r)
{
	struct abi_fault_data f = { 0 };
	const struct ecb *e;

	if (r->epid == ABI_EPID_FAULT && r->size >= s->snap.header + sizeof(f)) {
		memcpy(&f, (const char *)r + s->snap.header, sizeof(f));
		e = ecb_get(c->cfg.ecbs, f.epid);
	} else {
		e = ecb_get(c->cfg.ecbs, r->epid);
	}
	return e ? ecb_info_get(c, e)->kind : ECB_PLAIN;
}

/* 1: done; 0: stopped in the middle; -1. */
static int begin_pass(struct consumer *c, struct source *s)
{
	const struct abi_rec *r;
	bool any = false;

	while (!s->begin_done && (r = source_peek(c, s))) {
		enum ecb_kind k = kind_of(c, s, r);

		if (k != ECB_BEGIN && !(k == ECB_ERROR && any))
			break;
		any = true;
		if (!may_go_on(c))
			return 0;
		if (source_decode(c, s))
			return -1;
	}
	s->begin_done = true;
	return 1;
}

static int main_pass(struct consumer *c, struct source *s)
{
	const struct abi_rec *r;

	while (!s->in_end && (r = source_peek(c, s))) {
		if (c->stopped && kind_of(c, s, r) == ECB_END) {
			s->in_end = true;
			break;
		}
		if (!may_go_on(c))
			return 0;
		if (source_decode(c, s))
			return -1;
	}
	return 1;
}

static int end_pass(struct consumer *c, struct source *s)
{
	while (source_peek(c, s)) {
		if (!may_go_on(c))
			return 0;
		if (source_decode(c, s))
			return -1;
	}
	s->in_end = false;
	return 1;
}

static int pass_run(struct consumer *c, int (*pass)(struct consumer *, struct source *), bool drops)
{
	int r;

	for (; c->slot < c->nslots; c->slot++) {
		r = pass(c, &c->src[c->slot]);
		if (r != 1)
			return r;
		if (drops && drops_report(c, DROP_WITH_DATA, (int)c->slot))
			return -1;
	}
	c->slot = 0;
	c->pass++;
	return 1;
}

/* ---- temporal ------------------------------------------------------------------------------- */

static uint64_t slot_time(struct consumer *c, uint32_t slot)
{
	return rec_time(c->src[slot].peek);
}

static void heap_down(struct consumer *c, size_t i)
{
	uint32_t *h = c->heap.v;
	size_t n = c->heap.n;

	for (;;) {
		size_t least = i, l = 2 * i + 1, r = l + 1;
		uint32_t t;

		if (l < n && slot_time(c, h[l]) < slot_time(c, h[least]))
			least = l;
		if (r < n && slot_time(c, h[r]) < slot_time(c, h[least]))
			least = r;
		if (least == i)
			return;
		t = h[i];
		h[i] = h[least];
		h[least] = t;
		i = least;
	}
}

static void heap_make(struct consumer *c)
{
	uint32_t i;
	size_t k;

	c->heap.n = 0;
	for (i = 0; i < c->nslots; i++)
		if (source_peek(c, &c->src[i]))
			vec_push(&c->heap, i);
	for (k = c->heap.n / 2; k-- > 0;)
		heap_down(c, k);
}

/*
 * Merges what is older than the turn: every record before it stands in the halves that are read
 * now. What is younger waits for the next turn, because another CPU may have something older still
 * in its new half. Nothing waits in a turn that began after the end, nor in a ring, which is told
 * anew each time. Records of BEGIN and END need no care: nothing is older, or younger.
 */
static int temporal_pass(struct consumer *c)
{
	heap_make(c);
	while (c->heap.n && slot_time(c, c->heap.v[0]) < c->turn_time) {
		struct source *s = &c->src[c->heap.v[0]];

		if (!may_go_on(c))
			return 0;
		if (source_decode(c, s))
			return -1;
		if (!source_peek(c, s))
			c->heap.v[0] = c->heap.v[--c->heap.n];
		heap_down(c, 0);
	}
	c->pass = PASS_OVER;
	return drops_report(c, DROP_WITH_DATA, -1) ? -1 : 1;
}

/* Keeps the records that were not decoded, and lets the half go. */
static void source_hold(struct consumer *c, struct source *s)
{
	struct str keep = { 0 };
	const struct abi_rec *r;

	while ((r = source_peek(c, s))) {
		str_add(&keep, (const char *)r, r->size);
		s->peek = NULL;
	}
	free(s->held_mem);
	s->held_mem = keep.s;
	s->held = (struct buffer_snap){ .cpu = s->snap.cpu,
					.slot = s->snap.slot,
					.header = s->snap.header,
					.data = (const unsigned char *)keep.s,
					.len = (uint32_t)keep.n };
}

/* ---- turns ---------------------------------------------------------------------------------- */

/*
 * temporal: up to when all records of a CPU have been handed out. What is waited for for longer than a turn are the records
 * up to the exchange in the first of these turns; those behind it come with the next exchange.
 */
static void source_seen(struct consumer *c, struct source *s, bool late)
{
	if (late) {
		s->waits = s->waits ? s->waits : c->turn_time;
		return;
	}
	s->seen = s->waits ? s->waits : c->turn_time;
	s->waits = 0;
}

static void turn_switch(struct consumer *c, struct source *s, uint32_t slot)
{
	struct buffer_snap snap;
	int r = buffers_switch(c->cfg.buffers, slot, &snap);
	bool late = r == -EAGAIN && s->late < LATE_TURNS;

	source_seen(c, s, late);
	if (late) {
		c->turn_late = true;
		if (c->stopped && ++s->late == LATE_TURNS)
			consumer_message(
				c, "a program did not leave the buffer of CPU %d: its data is lost",
				s->snap.cpu);
	} else if (r == -EINVAL) {
		consumer_message(c,
				 "the buffer of CPU %d is in an impossible state: its data is lost",
				 s->snap.cpu);
	}
	if (r != 1)
		return;
	s->snap = snap;
	s->has_snap = true;
	c->turn_had_data = true;
}

static void turn_begin(struct consumer *c)
{
	bool ring = buffers_policy(c->cfg.buffers) == CG_RING;
	uint32_t i;

	c->in_turn = true;
	c->turn_after = c->stopped;
	c->in_snapshot = ring && !c->stopped;
	/* A ring is told from its beginning each time. */
	if (ring) {
		c->first_turn = true;
		c->header_done = false;
	}
	c->turn_had_data = c->turn_late = false;
	c->turn_time = UINT64_MAX;
	if (c->cfg.opt->temporal && !ring && !c->stopped) {
		c->turn_time = now_ns() - TEMPORAL_SLACK;
		buffers_not_before(c->cfg.buffers, c->turn_time);
	}
	for (i = 0; i < c->nslots; i++) {
		struct source *s = &c->src[i];

		s->indent = 0;
		s->last_epid = 0;
		s->peek = NULL;
		s->begin_done = !c->first_turn;
		turn_switch(c, s, i);
		if (c->cfg.opt->temporal)
			source_order(c, s);
	}
	for (i = 0; i < c->nslots && !ring; i++)
		c->turn_time = MIN(c->turn_time, c->src[i].seen);
	c->slot = 0;
	c->pass = c->cfg.opt->temporal || !c->first_turn ? PASS_MAIN : PASS_BEGIN;
}

static void turn_end(struct consumer *c)
{
	uint32_t i;

	for (i = 0; i < c->nslots; i++) {
		struct source *s = &c->src[i];

		if (c->cfg.opt->temporal)
			source_hold(c, s);
		s->peek = NULL;
		if (s->has_snap)
			buffers_release(c->cfg.buffers, &s->snap);
		s->has_snap = false;
	}
	if (c->in_snapshot && c->turn_had_data && !c->cfg.opt->quiet && !c->cfg.no_lines)
		str_putc(&c->out.buf, '\n');
	if (c->turn_had_data)
		c->first_turn = false;
	c->in_turn = c->in_snapshot = false;
}

static int turn_pass(struct consumer *c)
{
	if (c->cfg.opt->temporal)
		return temporal_pass(c);
	switch (c->pass) {
	case PASS_BEGIN: return pass_run(c, begin_pass, false);
	case PASS_MAIN: return pass_run(c, main_pass, true);
	default: return pass_run(c, end_pass, true);
	}
}

int turn_run(struct consumer *c)
{
	int r = 1;

	if (!c->in_turn) {
		if (output_full(&c->out))
			return 0;
		turn_begin(c);
	}
	while (c->pass != PASS_OVER && r == 1)
		r = turn_pass(c);
	if (r == 1)
		turn_end(c);
	return r;
}
