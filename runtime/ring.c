/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reserving in a ring when a record leaves the segment of the one before it: see the packed word in
 * abi/abi.h for what must hold.
 *
 * Only programs of this CPU come here, so what one of them has stored the others see in that order.
 * The consumer changes the word and the mark of a half that nobody is in.
 */
#include "rt.h"

#define RING_TRIES 8

/*
 * A place that everybody inside is beyond. It is looked for in this order: count of those who left,
 * mark, word. So, if left == entered, nobody has come or gone between the first and the last, and if
 * the mark is still the same when it is exchanged, nobody has moved it since.
 */
struct ring_view {
	u64 half, left, mark, word;
};

static __always_inline void ring_look(volatile struct abi_cpu *c, struct ring_view *v)
{
	v->half = c->word >> 32 & 1;
	v->left = v->half ? c->left[1] + c->alone[1] : c->left[0] + c->alone[0];
	v->mark = v->half ? c->mark[1] : c->mark[0];
	v->word = c->word;
}

static __always_inline bool ring_is_idle(const struct ring_view *v)
{
	return !((v->word >> 33 ^ v->left) & ABI_LEFT_MASK);
}

static __always_inline bool ring_mark(struct abi_cpu *c, const struct ring_view *v)
{
	u64 next = (v->mark >> 32) + 1;

	next = next << 32 | (u32)v->word;
	if (v->half)
		return __sync_val_compare_and_swap(&c->mark[1], v->mark, next) == v->mark;
	return __sync_val_compare_and_swap(&c->mark[0], v->mark, next) == v->mark;
}

/* Bytes taken since the mark: more than none, as somebody is inside, and one round at most. */
static __always_inline u64 ring_taken(const struct ring_view *v)
{
	s64 n = (s64)(u32)v->mark - (s64)(u32)v->word;

	return n > 0 ? n : n + conf.bufsize;
}

/* Gives the new word, or ABI_RING_xxx. need: at most conf.bufsize. */
ROUTINE u64 rt_ring(u64 need)
{
	u64 cpu = bpf_get_smp_processor_id(), next, into, i;
	struct ring_view v;
	struct abi_cpu *c;

	FENCE(cpu);
	if (cpu >= conf.ncpus)
		return ABI_RING_CLOSED;
	c = &cpus[cpu];
	if (need > conf.bufsize)
		return ABI_RING_NOROOM;
	NOUNROLL
	for (i = 0; i < RING_TRIES; i++) {
		ring_look(c, &v);
		if ((u32)v.word > conf.bufsize)
			return ABI_RING_CLOSED;
		if ((v.word >> 32 & 1) != v.half)
			continue;
		next = (u32)v.word;
		next = next < need ? next + conf.bufsize - need : next - need;
		/* All of the segment that is entered may be taken without asking again. */
		into = next & (conf.ring_segment - 1);
		if (ring_is_idle(&v)) {
			/* A block as large as the ring: who interrupts it would have its end for free. */
			if (need + into > conf.bufsize)
				return ABI_RING_NOROOM;
			if (!ring_mark(c, &v))
				continue;
		} else if (ring_taken(&v) + need + into > conf.bufsize) {
			return ABI_RING_BUSY;
		}
		next |= (v.word & ~ABI_WORD_OFFSET) + ABI_WORD_ENTER;
		if (__sync_val_compare_and_swap(&c->word, v.word, next) == v.word)
			return next;
	}
	return ABI_RING_BUSY;
}
