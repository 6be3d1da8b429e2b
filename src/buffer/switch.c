/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The exchange of halves, and what is in a half. See design of the packed word in abi/abi.h.
 *
 * Why nothing is lost or torn: a program takes its half and its place from one word in one cmpxchg.
 * The consumer exchanges the word once; the value it gets back says how many programs ever entered
 * the old half and up to where they reserved. Nobody enters it afterwards. Each leaves by adding to
 * `left` or `alone`, after its last store; so when the consumer has read that their sum is what was
 * entered, it sees all of their stores (on x86-64 an addition releases, atomic or not; the loads acquire).
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "base/now.h"
#include "buffer/impl.h"

#define WAIT_MAX_NS \
	1000000000ull /* a program that stays longer is reported by the caller, not waited for */

/* What entered the half before has left it, and goes on being counted. */
static uint64_t word_make(const struct gate *g, uint32_t half, uint32_t off)
{
	return (uint64_t)g->count[half] << 33 | (uint64_t)half << 32 | off;
}

void gate_init(struct gate *g, uint64_t *word, uint64_t *left, uint64_t *alone, uint64_t *mark,
	       uint32_t start)
{
	*g = (struct gate){ .word = word,
			    .left = left,
			    .alone = alone,
			    .mark = mark,
			    .start = start,
			    .off = start,
			    .closed = true };
	__atomic_store_n(word, word_make(g, 1, ABI_OFF_CLOSED), __ATOMIC_RELEASE);
}

static bool gate_left(const struct gate *g, uint32_t half)
{
	uint64_t left = __atomic_load_n(&g->left[half], __ATOMIC_ACQUIRE);

	if (g->alone)
		left += __atomic_load_n(&g->alone[half], __ATOMIC_ACQUIRE);
	return (left & ABI_LEFT_MASK) == (g->count[half] & ABI_LEFT_MASK);
}

/*
 * Waits until nobody is in the half. Programs run for microseconds, or until their task runs again.
 */
static int gate_settle(struct gate *g, uint32_t half)
{
	uint64_t end = 0, sleep = 20000;
	int spins;

	if (!g->due[half])
		return 0;
#ifdef TEST_NEGATIVE
	g->due[half] = false; /* flip without waiting: what the tests must notice */
	return 0;
#endif
	for (spins = 0; !gate_left(g, half); spins++) {
		struct timespec t = { 0, 0 };

		if (spins < 50)
			continue;
		if (!end)
			end = now_ns() + WAIT_MAX_NS;
		else if (now_ns() > end)
			return -EAGAIN;
		t.tv_nsec = sleep;
		nanosleep(&t, NULL);
		sleep = MIN(sleep * 2, 1000000);
	}
	g->due[half] = false;
	return 0;
}

static void gate_expect(struct gate *g, uint32_t half, uint64_t old)
{
	uint32_t entered = ABI_WORD_ENTERED(old);

	g->due[half] |= entered != g->count[half];
	g->count[half] = entered;
}

/*
 * Nobody is in the half, which is about to be entered at off. The new count tells those who looked at the
 * mark before that it is another one.
 */
static void gate_mark(struct gate *g, uint32_t half, uint32_t off)
{
	uint64_t old;

	if (!g->mark)
		return;
	old = __atomic_load_n(&g->mark[half], __ATOMIC_RELAXED);
	__atomic_store_n(&g->mark[half], ((old >> 32) + 2) << 32 | off, __ATOMIC_RELAXED);
}

/*
 * Makes the other half the active one; the old one is described by old_half and old_off, not yet
 * settled.
 */
static int gate_flip(struct gate *g)
{
	uint32_t other = g->half ^ 1;
	uint64_t old;
	int err = gate_settle(g, other);

	if (err)
		return err;
	gate_mark(g, other, g->start);
	old = __atomic_exchange_n(g->word, word_make(g, other, g->start), __ATOMIC_SEQ_CST);
	gate_expect(g, g->half, old);
	g->old_half = g->half;
	g->old_off = old & ABI_WORD_OFFSET;
	g->half = other;
	g->flipped = true;
	return 0;
}

static int gate_close(struct gate *g)
{
	uint64_t old;

	if (!g->closed) {
		gate_settle(g, g->half ^ 1);
		old = __atomic_exchange_n(g->word, word_make(g, g->half ^ 1, ABI_OFF_CLOSED),
					  __ATOMIC_SEQ_CST);
		gate_expect(g, g->half, old);
		g->off = old & ABI_WORD_OFFSET;
		g->closed = true;
	}
	return gate_settle(g, g->half);
}

static int gate_open(struct gate *g)
{
	uint64_t old;

	if (!g->closed)
		return 0;
	if (gate_settle(g, g->half))
		return -EAGAIN;
	gate_mark(g, g->half, g->off);
	old = __atomic_exchange_n(g->word, word_make(g, g->half, g->off), __ATOMIC_SEQ_CST);
	gate_expect(g, g->half ^ 1, old); /* who entered and saw CLOSED */
	g->closed = false;
	return 0;
}

/* The closed gate's half is handed out; what comes after goes to the other one. */
static int gate_take_closed(struct gate *g)
{
	uint64_t old;
	int err = gate_settle(g, g->half);

	if (err)
		return err;
	g->old_half = g->half;
	g->old_off = g->off;
	old = __atomic_exchange_n(g->word, word_make(g, g->half, ABI_OFF_CLOSED), __ATOMIC_SEQ_CST);
	gate_expect(g, g->half ^ 1, old);
	g->half ^= 1;
	g->off = g->start;
	g->flipped = true;
	return 0;
}

/* ---- all gates ------------------------------------------------------------------------------ */

/*
 * The length of a half whose word says FULL: the memory behind the last record was never written.
 */
static uint32_t full_length(const struct buffers *b, uint32_t slot, uint32_t half)
{
	const unsigned char *p = buffer_half(b, slot, half);
	uint32_t pos = 0;

	while (pos + sizeof(struct abi_rec) <= b->conf.bufsize) {
		const struct abi_rec *r = (const struct abi_rec *)(p + pos);

		if (r->size < b->header || (r->size & 7) || r->size > b->conf.bufsize - pos)
			break;
		pos += r->size;
	}
	return pos;
}

int buffers_open(struct buffers *b, int cpu)
{
	bool found = false;
	uint32_t i;
	int err = 0;

	for (i = 0; i < b->conf.nslots; i++) {
		struct slot *s = &b->slots[i];

		if (cpu >= 0 && s->cpu != cpu)
			continue;
		found = true;
		if (b->aggs.mem && gate_open(&s->agg))
			err = -EAGAIN;
		if (gate_open(&s->buf))
			err = -EAGAIN;
	}
	return found ? err : -EINVAL;
}

int buffers_stop(struct buffers *b)
{
	uint32_t i;
	int err = 0;

	for (i = 0; i < b->conf.nslots; i++) {
		struct gate *g = &b->slots[i].buf;

		if (gate_close(g)) {
			err = -ETIMEDOUT;
		} else if (g->off == ABI_OFF_FULL) {
			g->full = true;
			g->off = full_length(b, i, g->half);
		}
		if (b->aggs.mem && gate_close(&b->slots[i].agg))
			err = -ETIMEDOUT;
	}
	return err;
}

/* ---- snapshots ------------------------------------------------------------------------------ */

/*
 * Ring: records stand from the newest, at `off`, towards older ones; one that began before the end
 * of the buffer may run into the slack behind it, and the next older one then stands at the
 * remainder. A record is whole if it ends within bufsize bytes of the newest; memory that was never
 * written says size 0.
 */
static void ring_walk(const struct buffers *b, struct buffer_snap *s, uint32_t off)
{
	VEC(uint32_t) v = { 0 };
	uint32_t size = b->conf.bufsize, pos = off, span = 0;

	while (span < size) {
		const struct abi_rec *r;

		if (pos >= size)
			pos -= size;
		r = (const struct abi_rec *)(s->data + pos);
		if (r->size == 0)
			break;
		if (r->size < s->header || (r->size & 7) || r->size > b->conf.bufmap - pos) {
			/*
			 * An older record whose header is whole but makes no sense: nothing can be
			 * found behind it.
			 */
			s->error = span + 8 <= size ? -EINVAL : 0;
			s->lapped = true;
			break;
		}
		if (r->size > size - span) {
			s->lapped = true;
			break;
		}
		span += r->size;
		vec_push(&v, pos);
		pos += r->size;
	}
	s->index = v.v;
	s->nindex = v.n;
	s->len = span;
	if (!s->index)
		s->index = mem_alloc(sizeof(uint32_t));
}

const struct abi_rec *buffer_snap_next_ring(struct buffer_snap *s)
{
	while (s->nindex > 0) {
		const struct abi_rec *r = (const struct abi_rec *)(s->data + s->index[--s->nindex]);

		if (r->epid != ABI_EPID_NONE)
			return r;
	}
	return NULL;
}

const struct abi_rec *buffer_snap_bad(struct buffer_snap *s)
{
	s->error = -EINVAL;
	s->len = s->pos;
	return NULL;
}

/* Is there anything that a flip would bring? Spares the exchange on CPUs that recorded nothing. */
static bool gate_has_records(const struct gate *g)
{
	uint32_t off = __atomic_load_n(g->word, __ATOMIC_RELAXED) & ABI_WORD_OFFSET;

	return g->flipped || (g->closed ? g->off : off) != g->start;
}

static uint32_t kept_size(const struct slot *s, uint32_t pos)
{
	return ((const struct abi_rec *)(s->kept + pos))->size;
}

/*
 * What was kept, without what the new records would have overwritten, then those. The half is free again
 * after that.
 */
static void ring_keep(struct buffers *b, struct slot *s, struct buffer_snap *snap)
{
	uint32_t size = b->conf.bufsize, from = snap->lapped ? s->kept_len : 0, n, i;
	unsigned char *mem;

	while (from < s->kept_len && s->kept_len - from > size - snap->len)
		from += kept_size(s, from);
	n = s->kept_len - from;
	mem = mem_alloc(n + snap->len + 8);
	if (n)
		memcpy(mem, s->kept + from, n);
	for (i = snap->nindex; i-- > 0;) {
		const struct abi_rec *r = (const struct abi_rec *)(snap->data + snap->index[i]);

		memcpy(mem + n, r, r->size);
		n += r->size;
	}
	free(s->kept);
	free(snap->index);
	s->kept = mem;
	s->kept_len = n;
	snap->index = NULL;
	snap->nindex = 0;
	memset(buffer_half(b, snap->slot, snap->half), 0, b->conf.bufmap);
}

static int kept_hand_out(struct buffers *b, uint32_t slot, struct buffer_snap *snap)
{
	struct slot *s = &b->slots[slot];

	if (!s->kept_len)
		return 0;
	snap->cpu = s->cpu;
	snap->slot = slot;
	snap->header = b->header;
	snap->data = s->kept;
	snap->len = s->kept_len;
	s->kept_last = s->buf.closed;
	s->out = true;
	return 1;
}

int buffers_switch(struct buffers *b, uint32_t slot, struct buffer_snap *snap)
{
	struct slot *s = &b->slots[slot];
	struct gate *g = &s->buf;
	int err = 0;

	memset(snap, 0, sizeof(*snap));
	if (s->out || (b->policy == CG_FILL && !g->closed))
		return -EBUSY;
	if (!gate_has_records(g))
		return kept_hand_out(b, slot, snap);
	if (!g->flipped)
		err = g->closed ? gate_take_closed(g) : gate_flip(g);
	if (!err)
		err = gate_settle(g, g->old_half);
	if (err)
		return err;
	g->flipped = false;
	if (g->old_off == ABI_OFF_FULL)
		g->old_off = full_length(b, slot, g->old_half);
	if (g->old_off > b->conf.bufsize)
		return -EINVAL;
	s->out = true;
	snap->cpu = s->cpu;
	snap->slot = slot;
	snap->half = g->old_half;
	snap->header = b->header;
	snap->data = buffer_half(b, slot, g->old_half);
	if (b->policy != CG_RING) {
		snap->len = g->old_off;
		return 1;
	}
	ring_walk(b, snap, g->old_off);
	if (!g->closed || s->kept_len) {
		ring_keep(b, s, snap);
		kept_hand_out(b, slot, snap);
	}
	return 1;
}

void buffers_not_before(struct buffers *b, uint64_t t)
{
	uint32_t i;

	for (i = 0; i < b->conf.nslots; i++)
		__atomic_store_n(&buffers_cpu(b, b->slots[i].cpu)->not_before, t, __ATOMIC_SEQ_CST);
}

void buffers_release(struct buffers *b, struct buffer_snap *snap)
{
	struct slot *s = &b->slots[snap->slot];

	free(snap->index);
	snap->index = NULL;
	/*
	 * A ring finds its end by memory that was never written. fill is handed out once; switch
	 * knows its length.
	 */
	if (snap->data && snap->data == s->kept)
		s->kept_len = s->kept_last ? 0 : s->kept_len;
	else if (b->policy == CG_RING && snap->data)
		memset(buffer_half(b, snap->slot, snap->half), 0, b->conf.bufmap);
	snap->data = NULL;
	snap->len = snap->pos = 0;
	s->out = false;
}

const void *buffers_agg_first(const struct buffers *b, uint32_t slot)
{
	return b->aggs.mem ? (char *)b->aggs.mem + (size_t)b->conf.aggsize * (slot * 2) : NULL;
}

int buffers_agg_switch(struct buffers *b, uint32_t slot, void **half, uint32_t *used)
{
	struct gate *g = &b->slots[slot].agg;
	const struct abi_agghalf *h;
	uint64_t word;
	int err = 0;

	if (!b->aggs.mem)
		return 0;
	word = __atomic_load_n(g->word, __ATOMIC_RELAXED);
	if (!g->flipped && !g->closed && ABI_WORD_ENTERED(word) == g->count[g->half])
		return 0;
	if (!g->flipped)
		err = g->closed ? gate_take_closed(g) : gate_flip(g);
	if (!err)
		err = gate_settle(g, g->old_half);
	if (err)
		return err;
	g->flipped = false;
	h = (const struct abi_agghalf *)((char *)b->aggs.mem +
					 (size_t)b->conf.aggsize * (slot * 2 + g->old_half));
	*half = (void *)h;
	*used = b->conf.agg_start + (uint32_t)MIN(h->used, b->conf.aggsize - b->conf.agg_start);
	return 1;
}
