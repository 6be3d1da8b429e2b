/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of src/buffer, on plain memory: threads play the programs. Several threads on one
 * "CPU" stand for programs that interrupt each other in the middle of a record.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "buffer/buffer.h"
#include "buffer/impl.h"

#define NTHREADS 4
#define PER_THREAD 150000

struct payload { /* a record: header, then words that must agree */
	struct abi_rec h;
	uint64_t thread, seq, check, fill[4];
};

struct writer {
	struct buffers *b;
	pthread_t thread;
	int cpu, id, dawdle; /* dawdle: spins between reserving and leaving */
	uint64_t n, dropped, wrote, closed;
	bool run; /* until the word is closed */
	int *done;
	struct writer *inner; /* interrupts this one in the middle of some records */
};

static uint64_t check_of(uint64_t thread, uint64_t seq)
{
	return (thread * 1000003 + seq) * 0x9e3779b97f4a7c15ull;
}

enum fired { WROTE, DROPPED, CLOSED };

/* The new word for a record of n bytes, and its place; as generated code computes them. */
static enum fired reserve(const struct abi_conf *conf, enum cg_policy policy, uint64_t word,
			  uint32_t n, uint32_t limit, uint64_t *next, uint32_t *pos)
{
	uint32_t off = word & ABI_WORD_OFFSET;

	if (off == ABI_OFF_CLOSED || off == ABI_OFF_FULL)
		return CLOSED;
	if (policy == CG_RING) {
		if (n > conf->bufsize)
			return DROPPED;
		*pos = off >= n ? off - n : off + conf->bufsize - n;
		*next = (word & ~ABI_WORD_OFFSET) + ABI_WORD_ENTER + *pos;
		return WROTE;
	}
	*pos = off;
	if (n <= limit && off <= limit - n) {
		*next = word + ABI_WORD_ENTER + n;
		return WROTE;
	}
	*next = (word & ~ABI_WORD_OFFSET) | ABI_OFF_FULL;
	return DROPPED;
}

/* Did all who entered the half of this word leave it? */
static bool is_alone(const struct abi_cpu *c, uint64_t word)
{
	uint32_t half = ABI_WORD_HALF(word);
	uint64_t left = __atomic_load_n(&c->left[half], __ATOMIC_ACQUIRE) +
			__atomic_load_n(&c->alone[half], __ATOMIC_ACQUIRE);

	return ((left ^ ABI_WORD_ENTERED(word)) & ABI_LEFT_MASK) == 0;
}

static void leave(struct abi_cpu *c, uint32_t half, bool alone)
{
	if (alone)
		__atomic_store_n(&c->alone[half], c->alone[half] + 1, __ATOMIC_RELEASE);
	else
		__atomic_add_fetch(&c->left[half], 1, __ATOMIC_SEQ_CST);
}

static enum fired fire(struct writer *w, uint64_t seq, uint32_t n, uint32_t limit)
{
	struct abi_cpu *c = buffers_cpu(w->b, w->cpu);
	enum cg_policy policy = buffers_policy(w->b);
	uint64_t word = __atomic_load_n(&c->word, __ATOMIC_RELAXED), next = 0;
	uint32_t pos = 0, half;
	struct payload *p;
	volatile int i;
	enum fired f;
	bool alone;

	do {
		alone = is_alone(c, word);
		f = reserve(buffers_conf(w->b), policy, word, n, limit, &next, &pos);
		if (f == CLOSED || (f == DROPPED && policy != CG_FILL))
			return f;
	} while (!__atomic_compare_exchange_n(&c->word, &word, next, false, __ATOMIC_SEQ_CST,
					      __ATOMIC_SEQ_CST));
	if (f == DROPPED) {
		__atomic_add_fetch(&buffers_state(w->b)->filled, 1, __ATOMIC_SEQ_CST);
		return f;
	}
	half = ABI_WORD_HALF(word);
	p = (struct payload *)((char *)buffer_half(w->b, c->slot, half) + pos);
	p->h.epid = w->id + 1;
	p->h.size = n;
	p->thread = w->id;
	p->seq = seq;
	for (i = 0; i < w->dawdle; i++)
		;
	if (w->inner && seq % 3 == 0)
		w->inner->wrote += fire(w->inner, w->inner->n++, 32 + seq % 4 * 8, limit) == WROTE;
	p->check = check_of(w->id, seq);
	for (i = 0; 40 + i * 8 <= (int)n && i < 4; i++)
		p->fill[i] = p->check + i;
	leave(c, half, alone);
	return WROTE;
}

/* Fires n times, and then until it has found room once: whoever reads may not have run until now. */
static void *writer_main(void *arg)
{
	struct writer *w = arg;
	uint64_t i;

	for (i = 0; w->run || i < w->n || !w->wrote; i++) {
		enum fired f = fire(w, i, 32 + (i % 5) * 8,
				    buffers_conf(w->b)->bufsize - buffers_conf(w->b)->reserve);

		w->wrote += f == WROTE;
		w->dropped += f == DROPPED;
		w->closed += f == CLOSED;
		if (f == DROPPED)
			sched_yield();
		if (f == CLOSED && w->run)
			break;
	}
	w->n = i;
	if (w->done)
		__atomic_add_fetch(w->done, 1, __ATOMIC_RELEASE);
	return NULL;
}

static struct buffers *create(enum cg_policy policy, uint64_t bufsize, uint32_t reserve_end,
			      int ncpus)
{
	struct buffer_request req = { .policy = policy,
				      .cpu = -1,
				      .principal = true,
				      .bufsize = bufsize,
				      .max_record = 64,
				      .reserve = reserve_end,
				      .strsize = 256,
				      .plain = ncpus };
	struct buffer_result res;
	struct buffers *b;

	assert_int_equal(buffers_create(&b, &req, &res), 0);
	assert_int_equal(res.why, BUFFER_OK);
	return b;
}

struct tally {
	uint64_t got[NTHREADS], next[NTHREADS], torn, bad, disorder;
};

static bool payload_ok(const struct payload *p)
{
	int i;

	if (p->thread >= NTHREADS || p->check != check_of(p->thread, p->seq) ||
	    p->h.epid != p->thread + 1)
		return false;
	for (i = 0; 40 + i * 8 <= (int)p->h.size && i < 4; i++)
		if (p->fill[i] != p->check + i)
			return false;
	return true;
}

static void tally_snap(struct tally *t, struct buffer_snap *s)
{
	const struct abi_rec *r;

	while ((r = buffer_snap_next(s))) {
		const struct payload *p = (const struct payload *)r;

		if (!payload_ok(p)) {
			t->torn++;
			continue;
		}
		if (p->seq < t->next[p->thread])
			t->disorder++;
		t->next[p->thread] = p->seq + 1;
		t->got[p->thread]++;
	}
	t->bad += s->error != 0;
}

static void tally_all(struct buffers *b, struct tally *t)
{
	struct buffer_snap s;
	uint32_t i;

	for (i = 0; i < buffers_nslots(b); i++) {
		int r = buffers_switch(b, i, &s);

		assert_true(r == 0 || r == 1 || r == -EAGAIN);
		if (r != 1)
			continue;
		assert_int_equal(buffers_switch(b, i, &(struct buffer_snap){ 0 }), -EBUSY);
		tally_snap(t, &s);
		buffers_release(b, &s);
	}
}

/*
 * Records and drops add up to what was fired, for every thread; nothing is torn; each thread's own
 * order holds.
 */
static void test_switch_exact(void **state)
{
	struct buffers *b = create(CG_SWITCH, 8192, 0, 2);
	struct writer w[NTHREADS];
	struct tally t = { 0 };
	int i, done = 0;

	(void)state;
	assert_int_equal(buffers_open(b, -1), 0);
	for (i = 0; i < NTHREADS; i++) {
		w[i] = (struct writer){ .b = b,
					.cpu = i % 2,
					.id = i,
					.n = PER_THREAD,
					.dawdle = i * 20,
					.done = &done };
		pthread_create(&w[i].thread, NULL, writer_main, &w[i]);
	}
	while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < NTHREADS)
		tally_all(b, &t);
	for (i = 0; i < NTHREADS; i++)
		pthread_join(w[i].thread, NULL);
	assert_int_equal(buffers_stop(b), 0);
	tally_all(b, &t);
	tally_all(b, &t);
	assert_int_equal(t.torn, 0);
	assert_int_equal(t.bad, 0);
	assert_int_equal(t.disorder, 0);
	for (i = 0; i < NTHREADS; i++) {
		assert_true(w[i].n >= PER_THREAD);
		assert_int_equal(w[i].wrote + w[i].dropped, w[i].n);
		assert_int_equal(t.got[i], w[i].wrote);
		assert_true(w[i].wrote > 0);
	}
	buffers_destroy(b);
}

/* Closing is atomic: what was written before it is all there, and nothing is written after it. */
static void test_stop_under_load(void **state)
{
	int round;

	(void)state;
	for (round = 0; round < 50; round++) {
		struct buffers *b = create(CG_SWITCH, 1 << 20, 0, 1);
		struct writer w[NTHREADS];
		struct tally t = { 0 };
		uint64_t wrote = 0, got = 0;
		int i;

		assert_int_equal(buffers_open(b, 0), 0);
		for (i = 0; i < NTHREADS; i++) {
			w[i] = (struct writer){ .b = b, .id = i, .run = true, .dawdle = 50 };
			pthread_create(&w[i].thread, NULL, writer_main, &w[i]);
		}
		while (ABI_WORD_ENTERED(__atomic_load_n(&buffers_cpu(b, 0)->word, __ATOMIC_RELAXED)) <
		       200u + round)
			sched_yield();
		tally_all(b, &t);
		assert_int_equal(buffers_stop(b), 0);
		tally_all(b, &t);
		tally_all(b, &t);
		for (i = 0; i < NTHREADS; i++) {
			pthread_join(w[i].thread, NULL);
			wrote += w[i].wrote;
			got += t.got[i];
		}
		assert_int_equal(t.torn + t.bad + t.disorder, 0);
		assert_int_equal(got, wrote);
		buffers_destroy(b);
	}
}

/*
 * Negative control: reading without waiting must show records that are not complete, or the tests
 * above prove nothing.
 */
static void test_flip_without_wait_is_caught(void **state)
{
	struct buffers *b = create(CG_SWITCH, 1 << 16, 0, 1);
	struct abi_cpu *c = buffers_cpu(b, 0);
	struct writer w[NTHREADS];
	struct tally t = { 0 };
	uint32_t half = 0;
	time_t end = time(NULL) + 20;
	int i;

	(void)state;
	buffers_open(b, 0);
	for (i = 0; i < NTHREADS; i++) {
		w[i] = (struct writer){ .b = b, .id = i, .run = true, .dawdle = 2000 };
		pthread_create(&w[i].thread, NULL, writer_main, &w[i]);
	}
	while (t.torn + t.bad == 0 && time(NULL) < end) {
		uint64_t old =
			__atomic_exchange_n(&c->word, (uint64_t)(half ^ 1) << 32, __ATOMIC_SEQ_CST);
		struct buffer_snap s = { .header = 8,
					 .data = buffer_half(b, 0, half),
					 .len = old & ABI_WORD_OFFSET };

		tally_snap(&t, &s);
		memset(buffer_half(b, 0, half), 0, 1 << 16);
		half ^= 1;
	}
	__atomic_store_n(&c->word, ABI_OFF_CLOSED, __ATOMIC_SEQ_CST);
	for (i = 0; i < NTHREADS; i++)
		pthread_join(w[i].thread, NULL);
	assert_true(t.torn + t.bad > 0);
	buffers_destroy(b);
}

/*
 * A program that does not leave: the switch gives up for now, and hands out the half once it has
 * left.
 */
static void test_late_program(void **state)
{
	struct buffers *b = create(CG_SWITCH, 4096, 0, 1);
	struct writer w = { .b = b };
	struct abi_cpu *c = buffers_cpu(b, 0);
	struct buffer_snap s;

	(void)state;
	buffers_open(b, -1);
	assert_int_equal(fire(&w, 0, 32, 4096), WROTE);
	__atomic_add_fetch(&c->word, ABI_WORD_ENTER, __ATOMIC_SEQ_CST); /* is inside half 0 */
	assert_int_equal(buffers_switch(b, 0, &s), -EAGAIN);
	assert_int_equal(fire(&w, 1, 32, 4096), WROTE); /* goes to the other half */
	__atomic_add_fetch(&c->left[0], 1, __ATOMIC_SEQ_CST);
	assert_int_equal(buffers_switch(b, 0, &s), 1);
	assert_int_equal(((const struct payload *)buffer_snap_next(&s))->seq, 0);
	assert_null(buffer_snap_next(&s));
	buffers_release(b, &s);
	assert_int_equal(buffers_switch(b, 0, &s), 1);
	assert_int_equal(((const struct payload *)buffer_snap_next(&s))->seq, 1);
	buffers_release(b, &s);
	assert_int_equal(buffers_switch(b, 0, &s), 0);

	__atomic_add_fetch(&c->word, ABI_WORD_ENTER, __ATOMIC_SEQ_CST); /* never leaves */
	assert_int_equal(buffers_stop(b), -ETIMEDOUT);
	buffers_destroy(b);
}

/* BEGIN's CPU alone, then all, stop, END's CPU alone: one half, in order. */
static void test_open_stop_open(void **state)
{
	struct buffers *b = create(CG_SWITCH, 4096, 0, 2);
	struct writer w[2] = { { .b = b, .cpu = 0, .id = 0 }, { .b = b, .cpu = 1, .id = 1 } };
	struct tally t = { 0 };

	(void)state;
	assert_int_equal(fire(&w[0], 0, 32, 4096), CLOSED);
	assert_int_equal(buffers_open(b, 7), -EINVAL);
	buffers_open(b, 1);
	assert_int_equal(fire(&w[0], 0, 32, 4096), CLOSED);
	assert_int_equal(fire(&w[1], 0, 32, 4096), WROTE);
	buffers_open(b, -1);
	assert_int_equal(fire(&w[0], 0, 32, 4096), WROTE);
	assert_int_equal(fire(&w[1], 1, 32, 4096), WROTE);
	assert_int_equal(buffers_stop(b), 0);
	assert_int_equal(fire(&w[0], 1, 32, 4096), CLOSED);
	buffers_open(b, 0);
	assert_int_equal(fire(&w[1], 2, 32, 4096), CLOSED);
	assert_int_equal(fire(&w[0], 1, 32, 4096), WROTE);
	assert_int_equal(buffers_stop(b), 0);
	tally_all(b, &t);
	assert_int_equal(t.got[0], 2);
	assert_int_equal(t.got[1], 2);
	assert_int_equal(t.torn + t.bad + t.disorder, 0);
	tally_all(b, &t);
	assert_int_equal(t.got[0] + t.got[1], 4);
	buffers_destroy(b);
}

/*
 * fill: FULL at the first record that does not fit; nothing later, even if it would fit; END has
 * its reserve.
 */
static void test_fill(void **state)
{
	struct buffers *b = create(CG_FILL, 200, 40, 1);
	struct writer w = { .b = b };
	struct buffer_snap s;
	int i, n = 0;

	(void)state;
	assert_int_equal(buffers_conf(b)->reserve, 40);
	buffers_open(b, -1);
	for (i = 0; i < 4; i++)
		assert_int_equal(fire(&w, i, 32, 160), WROTE);
	assert_int_equal(fire(&w, i, 48, 160), DROPPED);
	assert_int_equal(buffers_state(b)->filled, 1);
	assert_int_equal(fire(&w, i, 32, 160), CLOSED);
	assert_int_equal(buffers_switch(b, 0, &s), -EBUSY);
	assert_int_equal(buffers_stop(b), 0);
	buffers_open(b, 0);
	assert_int_equal(fire(&w, 100, 40, 200), WROTE); /* END */
	assert_int_equal(buffers_stop(b), 0);
	assert_int_equal(buffers_switch(b, 0, &s), 1);
	for (const struct abi_rec *r; (r = buffer_snap_next(&s)); n++)
		assert_int_equal(((const struct payload *)r)->seq, n < 4 ? n : 100);
	assert_int_equal(n, 5);
	assert_int_equal(s.error, 0);
	buffers_release(b, &s);
	assert_int_equal(buffers_switch(b, 0, &s), 0);
	buffers_destroy(b);
}

/*
 * ring of any size: the newest whole records, oldest first, whatever the sizes; each snapshot, and the
 * last reading, has all that a ring without snapshots would have then.
 */
static void test_ring(void **state)
{
	uint32_t size, n;

	(void)state;
	for (size = 104; size <= 400; size += 8) {
		for (n = 0; n < 60; n++) {
			struct buffers *b = create(CG_RING, size, 0, 1);
			struct writer w = { .b = b };
			struct buffer_snap s;
			uint32_t used = 0, first = n, i, snaps;
			uint64_t seq = 0;

			buffers_open(b, -1);
			for (snaps = 0; snaps < 4; snaps++) {
				used = 0;
				for (i = 0; i < n && snaps != 2; i++, seq++)
					assert_int_equal(fire(&w, seq, 32 + (seq * 7 % 5) * 8, 0),
							 WROTE);
				for (first = seq; first > 0; first--) { /* which ones must survive */
					used += 32 + ((first - 1) * 7 % 5) * 8;
					if (used > size)
						break;
				}
				if (snaps == 3)
					buffers_stop(b);
				assert_int_equal(buffers_switch(b, 0, &s), n > 0);
				if (!n)
					break;
				for (i = first; i < seq; i++) {
					const struct payload *p =
						(const struct payload *)buffer_snap_next(&s);

					assert_non_null(p);
					assert_int_equal(p->seq, i);
					assert_true(payload_ok(p));
				}
				assert_null(buffer_snap_next(&s));
				assert_int_equal(s.error, 0);
				buffers_release(b, &s);
			}
			assert_int_equal(buffers_switch(b, 0, &s), 0);
			buffers_destroy(b);
		}
	}
}

/*
 * Snapshots of a ring while it is written, by programs that interrupt each other. (Not by threads:
 * one that is off its CPU for a whole round of the ring would be overwritten in the middle of its
 * record.)
 */
static void test_ring_under_load(void **state)
{
	struct buffers *b = create(CG_RING, 16360, 0, 1);
	struct writer w[3];
	struct tally t = { 0 };
	int i;

	(void)state;
	buffers_open(b, 0);
	for (i = 2; i >= 0; i--)
		w[i] = (struct writer){ .b = b,
					.id = i,
					.run = true,
					.dawdle = i * 10,
					.inner = i < 2 ? &w[i + 1] : NULL };
	pthread_create(&w[0].thread, NULL, writer_main, &w[0]);
	for (i = 0; i < 500 || t.got[2] < 100; i++) {
		memset(t.next, 0, sizeof(t.next)); /* each snapshot has all that the ring holds */
		tally_all(b, &t);
		sched_yield();
	}
	assert_int_equal(buffers_stop(b), 0);
	memset(t.next, 0, sizeof(t.next));
	tally_all(b, &t);
	pthread_join(w[0].thread, NULL);
	assert_int_equal(t.torn + t.bad + t.disorder, 0);
	assert_true(t.got[0] > t.got[1] && t.got[1] > t.got[2]);
	buffers_destroy(b);
}

static void test_bad_records(void **state)
{
	uint32_t sizes[] = { 4, 12, 4096 - 8, 0xffffffff };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct buffers *b = create(CG_SWITCH, 4096, 0, 1);
		struct writer w = { .b = b };
		struct buffer_snap s;

		buffers_open(b, -1);
		fire(&w, 0, 32, 4096);
		fire(&w, 1, 32, 4096);
		((struct abi_rec *)((char *)buffer_half(b, 0, 0) + 32))->size = sizes[i];
		assert_int_equal(buffers_switch(b, 0, &s), 1);
		assert_non_null(buffer_snap_next(&s));
		assert_null(buffer_snap_next(&s));
		assert_int_equal(s.error, -EINVAL);
		assert_null(buffer_snap_next(&s));
		buffers_release(b, &s);
		buffers_destroy(b);
	}
}

/* Filler (a record given up) is passed over by its size. */
static void test_filler(void **state)
{
	struct buffers *b = create(CG_SWITCH, 4096, 0, 1);
	struct writer w = { .b = b };
	struct tally t = { 0 };

	(void)state;
	buffers_open(b, -1);
	fire(&w, 0, 32, 4096);
	fire(&w, 1, 56, 4096);
	fire(&w, 2, 32, 4096);
	((struct abi_rec *)((char *)buffer_half(b, 0, 0) + 32))->epid = ABI_EPID_NONE;
	tally_all(b, &t);
	assert_int_equal(t.got[0], 2);
	buffers_destroy(b);
}

static void expect(struct buffer_request req, int why, uint64_t bufsize, uint64_t aggsize)
{
	struct buffer_result res;
	struct buffers *b;
	int err;

	req.plain = 2;
	req.cpu = -1;
	req.principal = true;
	req.strsize = 256;
	err = buffers_create(&b, &req, &res);
	assert_int_equal(res.why, why);
	assert_int_equal(err != 0, why != BUFFER_OK);
	if (err) {
		assert_null(b);
		return;
	}
	assert_int_equal(res.bufsize, bufsize);
	assert_int_equal(res.aggsize, aggsize);
	assert_int_equal(res.buf_lowered, bufsize + 8 < req.bufsize);
	buffers_destroy(b);
}

static void test_sizes(void **state)
{
	(void)state;
	expect((struct buffer_request){ .bufsize = 4 << 20 }, BUFFER_OK, 4 << 20, 0);
	expect((struct buffer_request){ .bufsize = 1000001 }, BUFFER_OK, 1000000, 0);
	expect((struct buffer_request){ .bufsize = 8 }, BUFFER_OK, 8, 0);
	expect((struct buffer_request){ .bufsize = 7 }, BUFFER_TOOSMALL, 0, 0);
	expect((struct buffer_request){ .bufsize = 0 }, BUFFER_TOOSMALL, 0, 0);
	expect((struct buffer_request){ .bufsize = 4ull << 30 }, BUFFER_OK, 512 << 20, 0);
	expect((struct buffer_request){ .bufsize = 100ull << 40 }, BUFFER_OK, 400 << 20, 0);
	expect((struct buffer_request){ .bufsize = 4ull << 30, .manual = true }, BUFFER_NOSPACE, 0,
	       0);
	expect((struct buffer_request){ .bufsize = 64, .policy = CG_FILL, .reserve = 64 },
	       BUFFER_OK, 64, 0);
	expect((struct buffer_request){ .bufsize = 64, .policy = CG_FILL, .reserve = 65 },
	       BUFFER_ENDTOOLARGE, 0, 0);
	expect(
		(struct buffer_request){
			.bufsize = 4096, .aggs = true, .aggsize = 8, .agg_min = 32 },
		BUFFER_TOOSMALL, 0, 0);
	expect(
		(struct buffer_request){
			.bufsize = 4096, .aggs = true, .aggsize = 1024, .agg_min = 544 },
		BUFFER_OK, 4096, 1024);
	expect(
		(struct buffer_request){
			.bufsize = 4096, .aggs = true, .aggsize = 1000, .agg_fixed = 2000 },
		BUFFER_TOOSMALL, 0, 0);
}

static void test_agg_gate(void **state)
{
	struct buffer_request req = { .cpu = -1,
				      .principal = true,
				      .bufsize = 4096,
				      .aggs = true,
				      .aggsize = 65536,
				      .agg_fixed = 16,
				      .strsize = 256,
				      .plain = 1 };
	struct buffer_result res;
	struct buffers *b;
	struct abi_cpu *c;
	void *half, *half2;
	uint32_t used;

	(void)state;
	assert_int_equal(buffers_create(&b, &req, &res), 0);
	c = buffers_cpu(b, 0);
	buffers_open(b, -1);
	assert_int_equal(c->agg_word & ABI_WORD_OFFSET, 0);
	assert_int_equal(buffers_agg_switch(b, 0, &half, &used), 0);
	((struct abi_agghalf *)b->aggs.mem)->used = 64;
	c->agg_word += ABI_WORD_ENTER;
	c->agg_left[0]++;
	assert_int_equal(buffers_agg_switch(b, 0, &half, &used), 1);
	assert_int_equal(used, buffers_conf(b)->agg_start + 64);
	c->agg_word += ABI_WORD_ENTER;
	c->agg_left[1]++;
	assert_int_equal(buffers_stop(b), 0);
	/* Enters with a fetch-and-add, sees CLOSED, leaves. */
	c->agg_left[ABI_WORD_HALF(c->agg_word)]++;
	c->agg_word += ABI_WORD_ENTER;
	assert_int_equal(buffers_open(b, -1), 0);
	c->agg_word += ABI_WORD_ENTER;
	c->agg_left[1]++;
	assert_int_equal(buffers_stop(b), 0);
	assert_int_equal(buffers_agg_switch(b, 0, &half2, &used), 1);
	assert_ptr_not_equal(half, half2);
	assert_int_equal(used, buffers_conf(b)->agg_start);
	buffers_destroy(b);
}

/* ---- the cleaner of speculations ---- */

struct moved {
	int n, cpu[8], refuse;
	uint32_t spec[8], len[8];
};

static bool mover(void *arg, int cpu, uint32_t i, uint32_t len)
{
	struct moved *m = arg;

	if (m->refuse)
		return false;
	m->cpu[m->n] = cpu;
	m->spec[m->n] = i;
	m->len[m->n++] = len;
	return true;
}

static uint64_t *spec_part(struct buffers *b, uint32_t slot, uint32_t i)
{
	struct abi_spec_part *p = (void *)((char *)b->specst.mem + b->conf.spec_parts);

	return &p[slot * b->conf.nspec + i].word;
}

static struct buffers *create_specs(uint64_t nspec, uint32_t acct_epids)
{
	struct buffer_request req = { .plain = 2,
				      .cpu = -1,
				      .bufsize = 4096,
				      .strsize = 256,
				      .specs = true,
				      .nspec = nspec,
				      .specsize = 1024,
				      .acct_epids = acct_epids };
	struct buffer_result res;
	struct buffers *b;

	assert_int_equal(buffers_create(&b, &req, &res), 0);
	assert_true(buffers_have_specs(b));
	return b;
}

static void test_specs_clean(void **state)
{
	struct buffers *b = create_specs(3, 0);
	uint64_t *st = b->specst.mem;
	struct moved m = { 0 };

	(void)state;
	buffers_set_mover(b, mover, &m);
	/* what programs may do to it is left alone */
	for (uint32_t s = ABI_SPEC_INACTIVE; s <= ABI_SPEC_COMMITTING; s++) {
		st[0] = s;
		*spec_part(b, 0, 0) = 16;
		buffers_specs_clean(b);
		assert_int_equal(st[0], s);
		assert_int_equal(*spec_part(b, 0, 0), 16);
	}
	assert_int_equal(m.n, 0);
	/* moved from every CPU that has something */
	st[0] = ABI_SPEC_INACTIVE;
	*spec_part(b, 0, 0) = 0;
	st[1] = ABI_SPEC_COMMITTINGMANY | 1ull << 32;
	*spec_part(b, 1, 1) = 48;
	st[2] = ABI_SPEC_DISCARDING;
	*spec_part(b, 0, 2) = 32;
	*spec_part(b, 1, 2) = 64;
	buffers_specs_clean(b);
	assert_int_equal(m.n, 1);
	assert_int_equal(m.cpu[0], 1);
	assert_int_equal(m.spec[0], 1);
	assert_int_equal(m.len[0], 48);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(st[i], ABI_SPEC_INACTIVE);
		assert_int_equal(*spec_part(b, 0, i) | *spec_part(b, 1, i), 0);
	}
	buffers_destroy(b);
}

/* Somebody is inside, or nothing can be reserved: again at the next turn, and only what is left. */
static void test_specs_busy(void **state)
{
	struct buffers *b = create_specs(1, 0);
	uint64_t *st = b->specst.mem;
	struct moved m = { 0 };

	(void)state;
	buffers_set_mover(b, mover, &m);
	st[0] = ABI_SPEC_COMMITTINGMANY;
	*spec_part(b, 0, 0) = 16;
	*spec_part(b, 1, 0) = 24 + ABI_SPEC_ENTER;
	buffers_specs_clean(b);
	assert_int_equal(st[0], ABI_SPEC_COMMITTINGMANY);
	assert_int_equal(*spec_part(b, 0, 0), 0);
	assert_int_equal(*spec_part(b, 1, 0), 24 + ABI_SPEC_ENTER);
	m.refuse = 1;
	*spec_part(b, 1, 0) -= ABI_SPEC_ENTER;
	buffers_specs_clean(b);
	assert_int_equal(st[0], ABI_SPEC_COMMITTINGMANY);
	assert_int_equal(*spec_part(b, 1, 0), 24);
	m.refuse = 0;
	buffers_specs_clean(b);
	assert_int_equal(st[0], ABI_SPEC_INACTIVE);
	assert_int_equal(m.n, 2);
	assert_int_equal(m.len[1], 24);
	st[0] = ABI_SPEC_DISCARDING;
	*spec_part(b, 0, 0) = ABI_SPEC_ENTER;
	buffers_specs_clean(b);
	assert_int_equal(st[0], ABI_SPEC_DISCARDING);
	*spec_part(b, 0, 0) = 0;
	buffers_specs_clean(b);
	assert_int_equal(st[0], ABI_SPEC_INACTIVE);
	buffers_destroy(b);
}

static void test_specs_account(void **state)
{
	struct buffers *b = create_specs(2, 4);
	uint64_t *st = b->specst.mem;
	struct abi_rec *r = (void *)((char *)b->specs.mem + 1024 * 3); /* CPU 1, the second one */
	const struct abi_acct *a = buffers_acct(b, 1);
	static const struct abi_rec recs[] = { { 1, 8 }, { 3, 8 }, { 0, 8 }, { 3, 8 }, { 9, 8 } };

	(void)state;
	memcpy(r, recs, sizeof(recs));
	st[1] = ABI_SPEC_DISCARDING;
	*spec_part(b, 1, 1) = sizeof(recs);
	buffers_specs_clean(b);
	assert_int_equal(a[1].n[ABI_ACCT_DISCARDED], 1);
	assert_int_equal(a[3].n[ABI_ACCT_DISCARDED], 2);
	st[1] = ABI_SPEC_ACTIVEONE | 1ull << 32;
	*spec_part(b, 1, 1) = 16;
	buffers_specs_end(b);
	assert_int_equal(a[1].n[ABI_ACCT_SPECLEFT], 1);
	assert_int_equal(a[3].n[ABI_ACCT_SPECLEFT], 1);
	assert_int_equal(a[3].n[ABI_ACCT_DISCARDED], 2);
	buffers_destroy(b);
}

static void expect_spec(struct buffer_request req, enum buffer_refusal why, uint64_t specsize)
{
	struct buffer_result res;
	struct buffers *b;

	req.plain = 2;
	req.cpu = -1;
	req.strsize = 256;
	req.bufsize = 4096;
	req.specs = true;
	buffers_create(&b, &req, &res);
	assert_int_equal(res.why, why);
	if (why == BUFFER_OK) {
		assert_int_equal(res.specsize, specsize);
		assert_int_equal(res.spec_lowered, specsize + 8 < req.specsize);
	}
	buffers_destroy(b);
}

static void test_specs_sizes(void **state)
{
	(void)state;
	expect_spec((struct buffer_request){ .nspec = 1, .specsize = 4 << 20 }, BUFFER_OK, 4 << 20);
	expect_spec((struct buffer_request){ .nspec = 1, .specsize = 71 }, BUFFER_OK, 64);
	expect_spec((struct buffer_request){ .nspec = 1, .specsize = 8 }, BUFFER_OK, 8);
	expect_spec((struct buffer_request){ .nspec = 1, .specsize = 7 }, BUFFER_TOOSMALL, 0);
	expect_spec((struct buffer_request){ .nspec = 1, .specsize = 0 }, BUFFER_TOOSMALL, 0);
	expect_spec((struct buffer_request){ .nspec = 0, .specsize = 64 }, BUFFER_OK, 64);
	expect_spec((struct buffer_request){ .nspec = 1, .specsize = 100ull << 40 }, BUFFER_OK,
		    400 << 20);
	expect_spec((struct buffer_request){ .nspec = 1, .specsize = 100ull << 40, .manual = true },
		    BUFFER_NOSPACE, 0);
	expect_spec((struct buffer_request){ .nspec = INT32_MAX, .specsize = 8 }, BUFFER_NOSPACE, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_switch_exact),
		cmocka_unit_test(test_stop_under_load),
		cmocka_unit_test(test_flip_without_wait_is_caught),
		cmocka_unit_test(test_late_program),
		cmocka_unit_test(test_open_stop_open),
		cmocka_unit_test(test_fill),
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_ring_under_load),
		cmocka_unit_test(test_bad_records),
		cmocka_unit_test(test_filler),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_agg_gate),
		cmocka_unit_test(test_specs_clean),
		cmocka_unit_test(test_specs_busy),
		cmocka_unit_test(test_specs_account),
		cmocka_unit_test(test_specs_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
