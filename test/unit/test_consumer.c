/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of the consumer on plain memory: order, lines, drops, errors, rates, a stuck output,
 * aggregations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/now.h"
#include "buffer/impl.h"
#include "consumer/consumer.h"

/* ---- a made-up session ---------------------------------------------------------------------- */

#define NCPUS 3

struct world {
	struct buffers *b;
	struct ecbs ecbs;
	struct consumer_options opt;
	struct consumer_hooks hooks;
	struct consumer *c;
	struct str msgs;
	struct layout lay[16];
	struct action act[16];
	struct field field[16];
	bool temporal;
	int stops;
};

static void on_message(void *arg, const char *text)
{
	struct world *w = arg;

	str_printf(&w->msgs, "%s\n", text);
}

static int on_stop(void *arg)
{
	struct world *w = arg;

	w->stops++;
	return buffers_stop(w->b);
}

static void world_init(struct world *w, enum cg_policy policy, uint64_t bufsize, int fd)
{
	struct buffer_request req = { .policy = policy,
				      .temporal = w->temporal,
				      .cpu = -1,
				      .principal = true,
				      .bufsize = bufsize,
				      .max_record = 64,
				      .aggs = true,
				      .aggsize = 65536,
				      .agg_fixed = 64,
				      .acct_epids = 16,
				      .strsize = 256,
				      .plain = NCPUS };
	struct consumer_config cfg = {
		.ecbs = &w->ecbs, .opt = &w->opt, .hooks = &w->hooks, .out_fd = fd
	};
	struct buffer_result res;

	assert_int_equal(buffers_create(&w->b, &req, &res), 0);
	w->opt.stackindent = 14;
	w->opt.temporal = w->temporal;
	w->hooks.arg = w;
	w->hooks.message = on_message;
	w->hooks.stop = on_stop;
	cfg.buffers = w->b;
	assert_int_equal(consumer_create(&w->c, &cfg), 0);
	buffers_open(w->b, -1);
}

static void world_free(struct world *w)
{
	consumer_destroy(w->c);
	buffers_destroy(w->b);
	vec_free(&w->ecbs.v);
	vec_free(&w->ecbs.aggs);
	vec_free(&w->ecbs.shapes);
	str_free(&w->msgs);
	free(w);
}

/* An ECB with one action on one 8-byte field (func FUNC_NONE: the default action). Its EPID. */
static uint32_t ecb_new(struct world *w, const char *prov, const char *func, const char *name,
			enum func_id act)
{
	size_t i = w->ecbs.v.n;
	uint32_t header = w->temporal ? 16 : 8;
	struct ecb *e = vec_add(&w->ecbs.v);

	w->field[i] =
		(struct field){ .kind = FIELD_INT, .offset = header, .size = 8, .is_signed = true };
	w->act[i] = (struct action){
		.func = act, .nfields = 1, .fields = &w->field[i], .number = 1, .presence = -1
	};
	w->lay[i] = (struct layout){ .header = header,
				     .fixed = header + (act ? 8 : 0),
				     .max = header + 8,
				     .nactions = act ? 1 : 0,
				     .actions = &w->act[i],
				     .is_default = !act,
				     .records = true };
	*e = (struct ecb){ .epid = (uint32_t)i + 1,
			   .layout = &w->lay[i],
			   .prov = prov,
			   .mod = "",
			   .func = func,
			   .name = name,
			   .probe_id = (uint32_t)i + 100 };
	return (uint32_t)i + 1;
}

/* A program fires: one record. false: no room (counted). */
static bool put(struct world *w, int cpu, uint32_t epid, const void *data, uint32_t size,
		uint64_t time)
{
	struct abi_cpu *c = buffers_cpu(w->b, cpu);
	uint32_t off = c->word & ABI_WORD_OFFSET, half = ABI_WORD_HALF(c->word),
		 header = w->temporal ? 16 : 8;
	unsigned char *p;

	if (off > ABI_OFF_MAX)
		return false;
	if (off + header + size > buffers_conf(w->b)->bufsize) {
		if (buffers_policy(w->b) == CG_FILL) {
			c->word = (c->word & ~ABI_WORD_OFFSET) | ABI_OFF_FULL;
			buffers_state(w->b)->filled++;
		} else {
			c->drops[ABI_DROP_PRINCIPAL]++;
		}
		return false;
	}
	p = (unsigned char *)buffer_half(w->b, c->slot, half) + off;
	*(struct abi_rec *)p = (struct abi_rec){ epid, header + size };
	if (w->temporal)
		((struct abi_rec_time *)p)->time = time;
	if (size)
		memcpy(p + header, data, size);
	c->word += ABI_WORD_ENTER + header + size;
	c->left[half]++;
	return true;
}

static bool put8(struct world *w, int cpu, uint32_t epid, int64_t v)
{
	return put(w, cpu, epid, &v, 8, 0);
}

static void fault(struct world *w, int cpu, uint32_t epid, uint32_t action, uint32_t code,
		  uint64_t value)
{
	struct abi_fault_data f = { epid, action, -1, code, value };

	put(w, cpu, ABI_EPID_FAULT, &f, sizeof(f), 0);
}

static void expect(struct world *w, const char *text)
{
	struct output *o = consumer_output(w->c);

	assert_string_equal(str_c(&o->buf), text);
	o->buf.n = 0;
	str_reserve(&o->buf, 0);
	if (o->buf.s)
		o->buf.s[0] = 0;
}

static void expect_messages(struct world *w, const char *text)
{
	assert_string_equal(str_c(&w->msgs), text);
	str_free(&w->msgs);
}

static struct world *world_new(void)
{
	return mem_alloc(sizeof(struct world));
}

/* ---- tests ---------------------------------------------------------------------------------- */

/*
 * BEGIN and its ERROR first, CPUs ascending, END and its error last, whatever CPU they ran on;
 * header once.
 */
static void test_order_and_lines(void **state)
{
	struct world *w = world_new();
	uint32_t begin, end, error, rd;
	int status = -1;

	(void)state;
	begin = ecb_new(w, "dtrace", "", "BEGIN", FUNC_NONE);
	end = ecb_new(w, "dtrace", "", "END", FUNC_NONE);
	error = ecb_new(w, "dtrace", "", "ERROR", FUNC_NONE);
	rd = ecb_new(w, "syscall", "read", "entry", FN_trace);
	world_init(w, CG_SWITCH, 4096, -1);
	put(w, 1, begin, NULL, 0, 0);
	fault(w, 1, begin, 2, ABI_FAULT_DIVZERO, 0);
	put(w, 1, error, NULL, 0, 0);
	put8(w, 2, rd, 22);
	put8(w, 1, rd, 11);
	put8(w, 0, rd, 1);
	buffers_state(w->b)->activity = ABI_DRAINING;
	fault(w, 1, end, 0, ABI_FAULT_BADADDR, 16);
	put(w, 1, end, NULL, 0, 0);
	put(w, 1, error, NULL, 0, 0);
	assert_int_equal(consumer_work(w->c), CONSUMER_DONE);
	assert_int_equal(w->stops, 1);
	expect(w, "CPU     ID                    FUNCTION:NAME\n"
		  "  1    100                           :BEGIN \n"
		  "  1    102                           :ERROR \n"
		  "  0    103                       read:entry                    1\n"
		  "  1    103                       read:entry                   11\n"
		  "  2    103                       read:entry                   22\n"
		  "  1    101                             :END \n"
		  "  1    102                           :ERROR \n");
	expect_messages(
		w,
		"error on enabled probe ID 1 (ID 100: dtrace:::BEGIN): divide-by-zero in action #2\n"
		"error on enabled probe ID 2 (ID 101: dtrace:::END): invalid address (0x10) in predicate\n");
	assert_false(consumer_exited(w->c, &status));
	assert_int_equal(consumer_records(w->c), 7);
	assert_int_equal(consumer_recorded(w->c, rd, 2), 1);
	assert_int_equal(consumer_finish(w->c), 0);
	expect(w, "\n");
	world_free(w);
}

static void test_exit_status_and_quiet(void **state)
{
	struct world *w = world_new();
	uint32_t x, t;
	int status = -1;

	(void)state;
	x = ecb_new(w, "dtrace", "", "BEGIN", FN_exit);
	t = ecb_new(w, "p", "f", "n", FN_trace);
	w->opt.quiet = true;
	world_init(w, CG_SWITCH, 4096, -1);
	put8(w, 0, t, -5);
	put8(w, 0, x, 3);
	buffers_state(w->b)->exits = 1;
	assert_int_equal(consumer_work(w->c), CONSUMER_DONE);
	expect(w, "-5");
	assert_true(consumer_exited(w->c, &status));
	assert_int_equal(status, 3);
	world_free(w);
}

static void test_flow(void **state)
{
	struct world *w = world_new();
	uint32_t e, e2, r, r2, v, vr, o;

	(void)state;
	e = ecb_new(w, "syscall", "read", "entry", FUNC_NONE);
	e2 = ecb_new(w, "syscall", "read", "entry", FUNC_NONE);
	w->ecbs.v.v[e2 - 1].probe_id = w->ecbs.v.v[e - 1].probe_id;
	v = ecb_new(w, "fbt", "vfs_read", "entry", FUNC_NONE);
	vr = ecb_new(w, "fbt", "vfs_read", "return", FUNC_NONE);
	r = ecb_new(w, "syscall", "read", "return", FUNC_NONE);
	r2 = ecb_new(w, "syscall", "read", "return", FUNC_NONE);
	w->ecbs.v.v[r2 - 1].probe_id = w->ecbs.v.v[r - 1].probe_id;
	o = ecb_new(w, "x", "main", "carpentry", FUNC_NONE);
	w->opt.flowindent = true;
	world_init(w, CG_SWITCH, 4096, -1);
	put(w, 0, e, NULL, 0, 0);
	put(w, 0, e2, NULL, 0, 0);
	put(w, 0, v, NULL, 0, 0);
	put(w, 0, o, NULL, 0, 0);
	put(w, 0, vr, NULL, 0, 0);
	put(w, 0, r, NULL, 0, 0);
	put(w, 0, r2, NULL, 0, 0);
	consumer_work(w->c);
	expect(w, "CPU FUNCTION                                 \n"
		  "  0  => read                                  \n"
		  "  0   | read:entry                            \n"
		  "  0    -> vfs_read                            \n"
		  "  0     | main:carpentry                      \n"
		  "  0    <- vfs_read                            \n"
		  "  0   | read:return                           \n"
		  "  0  <= read                                  \n");
	world_free(w);
}

static void test_drops(void **state)
{
	struct world *w = world_new();
	uint32_t t;
	int i;

	(void)state;
	t = ecb_new(w, "p", "f", "n", FN_trace);
	w->opt.quiet = true;
	world_init(w, CG_SWITCH, 32, -1);
	for (i = 0; i < 13; i++)
		put8(w, 1, t, i);
	put8(w, 0, t, 7);
	buffers_cpu(w->b, 0)->drops[ABI_DROP_AGGREGATION] = 1;
	buffers_cpu(w->b, 0)->drops[ABI_DROP_DYNAMIC] = 1;
	buffers_cpu(w->b, 2)->drops[ABI_DROP_DYNAMIC] = 2;
	buffers_cpu(w->b, 2)->drops[ABI_DROP_DBLERROR] = 1;
	assert_int_equal(consumer_work(w->c), CONSUMER_OKAY);
	expect(w, "701");
	expect_messages(
		w,
		"3 dynamic variable drops\n1 error in ERROR probe enabling\n1 aggregation drop on CPU 0\n"
		"11 drops on CPU 1\n");
	w->opt.droptags = true;
	buffers_cpu(w->b, 1)->drops[ABI_DROP_PRINCIPAL]++;
	assert_int_equal(consumer_work(w->c), CONSUMER_OKAY);
	expect_messages(w, "[DTRACEDROP_PRINCIPAL] 1 drop on CPU 1\n");
	world_free(w);
}

/* Every kind of loss is a line in JSON, and once more in the last one as a sum over CPUs. */
static void test_drops_json(void **state)
{
	static const char *const kinds[] = { "PRINCIPAL", "BUSY",	  "FRAME",   "FAULTREC",
					     "AGGREGATION", "DYNAMIC",  "DYNBUSY", "SPEC",
					     "SPECBUSY", "SPECUNAVAIL", "DBLERROR" };
	struct world *w = world_new();
	struct output *o;
	char want[64];

	(void)state;
	w->opt.oformat = FORMAT_JSON;
	world_init(w, CG_SWITCH, 64, -1);
	for (uint32_t k = 0; k < ABI_DROP_NCAUSES; k++)
		buffers_cpu(w->b, 1)->drops[k] = 10 + k;
	assert_int_equal(consumer_work(w->c), CONSUMER_OKAY);
	for (uint32_t k = 0; k < ABI_DROP_NCAUSES; k++)
		buffers_cpu(w->b, 2)->drops[k] = 100;
	buffers_stop(w->b);
	consumer_set_stopped(w->c);
	assert_int_equal(consumer_work(w->c), CONSUMER_DONE);
	consumer_print_aggregations(w->c);
	o = consumer_output(w->c);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const char *at, *end = strstr(str_c(&o->buf), "\"type\":\"end\"");
		uint64_t first = 0;

		snprintf(want, sizeof(want), "\"kind\":\"%s\"", kinds[i]);
		at = strstr(str_c(&o->buf), want);
		assert_non_null(at);
		first = strtoull(strstr(at, "\"count\":") + 8, NULL, 10);
		assert_in_range(first, 10, 10 + ABI_DROP_NCAUSES);
		at = strstr(at + 1, want);
		assert_non_null(at);
		assert_int_equal(strtoull(strstr(at, "\"count\":") + 8, NULL, 10), 100);
		snprintf(want, sizeof(want), "\"%s\":%" PRIu64, kinds[i], first + 100);
		assert_non_null(end);
		assert_non_null(strstr(end, want));
	}
	world_free(w);
}

static void test_bad_records(void **state)
{
	struct world *w = world_new();
	uint32_t t;
	int32_t half = 1;

	(void)state;
	t = ecb_new(w, "p", "f", "n", FN_trace);
	w->opt.quiet = true;
	world_init(w, CG_SWITCH, 4096, -1);
	put8(w, 0, t, 1);
	put8(w, 0, 77, 2); /* no such EPID */
	put8(w, 0, t, 3);
	put8(w, 1, t, 4);
	put(w, 2, t, &half, 0, 0); /* too short for its layout */
	put8(w, 2, t, 5);
	assert_int_equal(consumer_work(w->c), CONSUMER_OKAY);
	expect(w, "14");
	expect_messages(
		w,
		"a record of CPU 0 does not fit its enabled probe ID 77 (16 bytes): the rest of this buffer is lost\n"
		"a record of CPU 2 does not fit its enabled probe ID 1 (8 bytes): the rest of this buffer is lost\n");
	put8(w, 0, t, 6);
	consumer_work(w->c);
	expect(w, "6");
	world_free(w);
}

static void test_rates(void **state)
{
	struct world *w = world_new();
	uint32_t t;

	(void)state;
	t = ecb_new(w, "p", "f", "n", FN_trace);
	w->opt.quiet = true;
	w->opt.switchrate = w->opt.aggrate = w->opt.statusrate = 3600ull * 1000000000;
	world_init(w, CG_SWITCH, 4096, -1);
	put8(w, 0, t, 1);
	assert_int_equal(consumer_work(w->c), CONSUMER_OKAY);
	expect(w, "1");
	put8(w, 0, t, 2);
	assert_int_equal(consumer_work(w->c), CONSUMER_OKAY); /* not due */
	expect(w, "");
	w->opt.switchrate = 0; /* setopt() */
	assert_int_equal(consumer_work(w->c), CONSUMER_OKAY);
	expect(w, "2");
	buffers_stop(w->b);
	consumer_set_stopped(w->c);
	assert_int_equal(consumer_work(w->c), CONSUMER_DONE);
	world_free(w);
}

static void test_fill_and_ring_only_at_the_end(void **state)
{
	struct world *w = world_new();
	uint32_t t;
	int i;

	(void)state;
	t = ecb_new(w, "p", "f", "n", FN_trace);
	w->opt.quiet = true;
	world_init(w, CG_FILL, 64, -1);
	put8(w, 0, t, 1);
	assert_int_equal(consumer_work(w->c), CONSUMER_OKAY);
	expect(w, "");
	for (i = 2; i < 9; i++)
		put8(w, 0, t, i);
	put8(w, 1, t, 9);
	assert_int_equal(consumer_work(w->c), CONSUMER_DONE);
	assert_true(consumer_filled(w->c));
	assert_int_equal(w->stops, 1);
	expect(w, "12349");
	expect_messages(w, "");
	world_free(w);
}

static void test_temporal(void **state)
{
	struct world *w = world_new();
	int64_t v;
	uint32_t t;

	(void)state;
	w->temporal = true;
	t = ecb_new(w, "p", "f", "n", FN_trace);
	w->opt.quiet = true;
	world_init(w, CG_SWITCH, 4096, -1);
	for (v = 0; v < 9; v++)
		put(w, (int)(v * 2 % NCPUS), t, &v, 8, (uint64_t)v + 5);
	v = 9;
	put(w, 2, t, &v, 8, UINT64_MAX - 5); /* younger than the turn: waits */
	assert_int_equal(consumer_work(w->c), CONSUMER_OKAY);
	expect(w, "012345678");
	assert_true(buffers_cpu(w->b, 1)->not_before > 14);
	v = 0;
	put(w, 1, t, &v, 8, UINT64_MAX - 6);
	/* One that was interrupted stands before those that fired earlier. */
	for (v = 4; v >= 1; v--)
		put(w, 0, t, &v, 8, UINT64_MAX - 20 + (uint64_t)v % 4);
	buffers_stop(w->b);
	consumer_set_stopped(w->c);
	assert_int_equal(consumer_work(w->c), CONSUMER_DONE);
	expect(w, "412309");
	world_free(w);
}

/*
 * Tracing ends while the output is full, in the middle of a turn. held: of a turn that has nothing but what an
 * earlier one held back. What the last halves have is shown, in its place.
 */
static void temporal_ends(bool held)
{
	struct world *w = world_new();
	uint64_t young = now_ns() + 3600ull * 1000000000;
	int64_t v, seen = 0;
	enum consumer_status s;
	char line[128];
	uint32_t t;
	FILE *in;
	int p[2];

	assert_int_equal(pipe(p), 0);
	w->temporal = true;
	t = ecb_new(w, "p", "f", "n", FN_trace);
	world_init(w, CG_SWITCH, 1 << 20, p[1]);
	for (v = 1; v <= 30000; v++)
		put(w, 0, t, &v, 8, held ? now_ns() : (uint64_t)v);
	if (held) {
		assert_int_equal(consumer_work(w->c), CONSUMER_OKAY);
		usleep(20000);
	}
	v = 30002;
	if (!held)
		put(w, 0, t, &v, 8, young + 2);
	while (!output_full(consumer_output(w->c)))
		assert_int_equal(consumer_work(w->c), CONSUMER_OKAY);
	v = 30001;
	put(w, 1, t, &v, 8, young + 1);
	buffers_stop(w->b);
	consumer_set_stopped(w->c);
	in = fdopen(p[0], "r");
	do {
		s = consumer_work(w->c);
		while (output_backlog(consumer_output(w->c)) && fgets(line, sizeof(line), in))
			if (sscanf(line, "%*d %*d %*s %" SCNd64, &v) == 1) {
				assert_int_equal(v, ++seen);
				output_poll(consumer_output(w->c));
			}
	} while (s == CONSUMER_OKAY);
	close(p[1]);
	while (fgets(line, sizeof(line), in))
		if (sscanf(line, "%*d %*d %*s %" SCNd64, &v) == 1)
			assert_int_equal(v, ++seen);
	assert_int_equal(seen, held ? 30001 : 30002);
	fclose(in);
	world_free(w);
}

/* A program stays in its record for longer than it is waited for: what others record meanwhile waits for it. */
static void test_temporal_late(void **state)
{
	struct world *w = world_new();
	uint64_t now = now_ns();
	struct abi_cpu *c;
	uint32_t t, half;
	int64_t v;

	(void)state;
	w->temporal = true;
	t = ecb_new(w, "p", "f", "n", FN_trace);
	w->opt.quiet = true;
	world_init(w, CG_SWITCH, 4096, -1);
	v = 1;
	put(w, 1, t, &v, 8, now - 1000000000);
	assert_int_equal(consumer_work(w->c), CONSUMER_OKAY);
	expect(w, "1");
	c = buffers_cpu(w->b, 1);
	v = 2;
	put(w, 1, t, &v, 8, now_ns());
	half = ABI_WORD_HALF(c->word);
	c->left[half]--;
	v = 3;
	put(w, 0, t, &v, 8, now_ns());
	usleep(20000);
	assert_int_equal(consumer_work(w->c), CONSUMER_OKAY);
	expect(w, "");
	/* CPU 1 goes on in its other half. */
	v = 4;
	put(w, 1, t, &v, 8, now_ns());
	v = 5;
	put(w, 0, t, &v, 8, now_ns());
	usleep(20000);
	c->left[half]++;
	assert_int_equal(consumer_work(w->c), CONSUMER_OKAY);
	expect(w, "23");
	assert_int_equal(consumer_work(w->c), CONSUMER_OKAY);
	expect(w, "45");
	/* Tracing ends while it is waited for: its halves are read one after the other. */
	v = 6;
	put(w, 1, t, &v, 8, now_ns());
	half = ABI_WORD_HALF(c->word);
	c->left[half]--;
	assert_int_equal(consumer_work(w->c), CONSUMER_OKAY);
	v = 7;
	put(w, 1, t, &v, 8, now_ns());
	v = 8;
	put(w, 0, t, &v, 8, now_ns());
	c->left[half]++;
	buffers_stop(w->b);
	consumer_set_stopped(w->c);
	assert_int_equal(consumer_work(w->c), CONSUMER_DONE);
	expect(w, "678");
	world_free(w);
}

static void test_temporal_end(void **state)
{
	(void)state;
	temporal_ends(true);
	temporal_ends(false);
}

static void test_aggregations(void **state)
{
	struct world *w = world_new();
	struct abi_cpu *c;
	uint64_t *p;
	uint32_t pa, cl;
	struct aggdesc d = { .id = 1, .name = "a", .func = FN_count, .value_words = 1 };
	struct aggshape s = { .agg = 1, .value_words = 1, .fixed_offset = 64 };

	(void)state;
	vec_push(&w->ecbs.aggs, d);
	vec_push(&w->ecbs.shapes, s);
	pa = ecb_new(w, "p", "f", "n", FN_printa);
	w->field[0] = (struct field){ .kind = FIELD_AGG, .value = 1 };
	cl = ecb_new(w, "p", "f", "n", FN_clear);
	w->field[1] = (struct field){ .kind = FIELD_AGG, .value = 1 };
	w->lay[1].records = false;
	w->opt.quiet = true;
	world_init(w, CG_SWITCH, 4096, -1);
	put8(w, 0, pa, 0);
	assert_int_equal(consumer_work(w->c), CONSUMER_OKAY);
	expect(w, "\n"); /* nothing in it yet */
	c = buffers_cpu(w->b, 1);
	p = (uint64_t *)((char *)w->b->aggs.mem +
			 buffers_conf(w->b)->aggsize * (2 * c->slot + ABI_WORD_HALF(c->agg_word)) +
			 64);
	p[0] = 1;
	p[1] = 5;
	c->agg_word += ABI_WORD_ENTER;
	c->agg_left[ABI_WORD_HALF(c->agg_word)]++;
	assert_int_equal(consumer_aggregate(w->c), 0);
	consumer_print_aggregations(w->c);
	expect(w, "                5\n");
	put8(w, 0, pa, 0);
	put8(w, 0, cl, 0);
	put8(w, 0, pa, 0);
	consumer_work(w->c);
	expect(w, "\n                5\n\n                0\n");
	consumer_finish(w->c);
	expect(w, "\n"); /* printa() printed it */
	world_free(w);
}

/* A program that is in an aggregation buffer for ever: what it keeps is told, the rest is read. */
static void test_late_aggregations(void **state)
{
	struct world *w = world_new();
	uint32_t t;

	(void)state;
	t = ecb_new(w, "p", "f", "n", FN_trace);
	w->opt.quiet = true;
	world_init(w, CG_SWITCH, 4096, -1);
	buffers_cpu(w->b, 1)->agg_word += ABI_WORD_ENTER;
	put8(w, 1, t, 5);
	assert_int_equal(buffers_stop(w->b), -ETIMEDOUT);
	consumer_set_stopped(w->c);
	assert_int_equal(consumer_work(w->c), CONSUMER_DONE);
	expect(w, "5");
	expect_messages(w, "a program did not leave an aggregation buffer: its data is lost\n");
	world_free(w);
}

/* A pipe that nobody reads: decoding stops, status goes on, nothing is lost but what is counted. */
static void test_stuck_output(void **state)
{
	struct world *w = world_new();
	uint64_t seen = 0, put_n = 0;
	char buf[65536];
	uint32_t t;
	ssize_t n;
	int p[2], i, turns;

	(void)state;
	assert_int_equal(pipe(p), 0);
	t = ecb_new(w, "p", "f", "n", FN_trace);
	world_init(w, CG_SWITCH, 1 << 20, p[1]);
	for (turns = 0; turns < 10; turns++) {
		for (i = 0; i < 50000; i++)
			put_n += put8(w, turns % NCPUS, t, i);
		assert_int_equal(consumer_work(w->c), CONSUMER_OKAY);
	}
	assert_true(output_full(consumer_output(w->c)));
	assert_true(output_backlog(consumer_output(w->c)) < OUTPUT_LIMIT * 2);
	buffers_state(w->b)->activity = ABI_DRAINING;
	assert_int_equal(consumer_work(w->c), CONSUMER_OKAY); /* exit() is noticed all the same */
	assert_int_equal(w->stops, 1);
	for (i = 0; i < 1000000; i++) {
		enum consumer_status s = consumer_work(w->c);

		if (s == CONSUMER_DONE && output_backlog(consumer_output(w->c)) == 0)
			break;
		n = read(p[0], buf, sizeof(buf));
		while (n-- > 0)
			seen += buf[n] == '\n';
	}
	close(p[1]);
	while ((n = read(p[0], buf, sizeof(buf))) > 0)
		while (n-- > 0)
			seen += buf[n] == '\n';
	assert_int_equal(seen, put_n + 1); /* and the header */
	assert_int_equal(consumer_records(w->c), put_n);
	close(p[0]);
	world_free(w);
}

static void test_abort(void **state)
{
	struct world *w = world_new();
	uint32_t t;
	int p[2], i;

	(void)state;
	assert_int_equal(pipe(p), 0);
	t = ecb_new(w, "p", "f", "n", FN_trace);
	world_init(w, CG_SWITCH, 1 << 20, p[1]);
	for (i = 0; i < 50000; i++)
		put8(w, 0, t, i);
	consumer_work(w->c);
	buffers_stop(w->b);
	consumer_set_stopped(w->c);
	consumer_abort(w->c);
	assert_int_equal(consumer_drain(w->c), CONSUMER_DONE);
	assert_int_equal(consumer_finish(w->c), -EINTR);
	close(p[0]);
	close(p[1]);
	world_free(w);
}

static enum consumer_answer skip_fives(void *arg, const struct consumer_data *d, bool after)
{
	(void)arg;
	return !after && *(const int64_t *)(d->rec + 1) == 5 ? CONSUMER_NEXT : CONSUMER_THIS;
}

static enum consumer_answer abort_sixes(void *arg, const struct consumer_data *d,
					const struct action *a)
{
	(void)arg;
	(void)a;
	return *(const int64_t *)(d->rec + 1) == 6 ? CONSUMER_ABORT : CONSUMER_THIS;
}

static void test_hooks(void **state)
{
	struct world *w = world_new();
	uint32_t t;

	(void)state;
	t = ecb_new(w, "p", "f", "n", FN_trace);
	w->opt.quiet = true;
	w->hooks.probe = skip_fives;
	w->hooks.action = abort_sixes;
	world_init(w, CG_SWITCH, 4096, -1);
	put8(w, 0, t, 4);
	put8(w, 0, t, 5);
	put8(w, 0, t, 7);
	assert_int_equal(consumer_work(w->c), CONSUMER_OKAY);
	expect(w, "47");
	put8(w, 0, t, 6);
	assert_int_equal(consumer_work(w->c), CONSUMER_ERROR);
	assert_string_equal(consumer_errmsg(w->c), "Abort explicitly directed");
	world_free(w);
}

static void on_fd(void *arg, int fd)
{
	char c;

	assert_int_equal(read(fd, &c, 1), 1);
	++*(int *)arg;
}

static void test_sleep(void **state)
{
	struct world *w = world_new();
	int p[2], n = 0;

	(void)state;
	assert_int_equal(pipe(p), 0);
	w->opt.switchrate = w->opt.aggrate = w->opt.statusrate = 3600ull * 1000000000;
	world_init(w, CG_SWITCH, 4096, -1);
	consumer_work(w->c);
	consumer_add_fd(w->c, p[0], on_fd, &n);
	assert_int_equal(consumer_sleep(w->c, 1000000), 0);
	assert_int_equal(n, 0);
	assert_int_equal(write(p[1], "x", 1), 1);
	assert_int_equal(consumer_sleep(w->c, -1), 0);
	assert_int_equal(n, 1);
	consumer_del_fd(w->c, p[0]);
	assert_int_equal(write(p[1], "x", 1), 1);
	assert_int_equal(consumer_sleep(w->c, 1000000), 0);
	assert_int_equal(n, 1);
	close(p[0]);
	close(p[1]);
	world_free(w);
}

static void test_accounting(void **state)
{
	struct world *w = world_new();
	struct abi_acct *a;
	uint32_t t;

	(void)state;
	t = ecb_new(w, "p", "f", "n", FN_trace);
	w->opt.quiet = w->opt.accounting = true;
	world_init(w, CG_SWITCH, 4096, -1);
	put8(w, 1, t, 4);
	put8(w, 1, t, 4);
	a = (struct abi_acct *)w->b->acct.mem + 16 + t;
	a->n[ABI_ACCT_FIRED] = 5;
	a->n[ABI_ACCT_FALSE] = 2;
	a->n[ABI_ACCT_NOROOM] = 1;
	consumer_work(w->c);
	consumer_finish(w->c);
	expect_messages(
		w,
		"accounting: EPID 1 CPU 1 p::f:n fired 5 false 2 recorded 2 noroom 1 busy 0 noframe 0 fault 0 "
		"stopped 0 done 0 written 0\n");
	world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_lines),
		cmocka_unit_test(test_exit_status_and_quiet),
		cmocka_unit_test(test_flow),
		cmocka_unit_test(test_drops),
		cmocka_unit_test(test_drops_json),
		cmocka_unit_test(test_bad_records),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_fill_and_ring_only_at_the_end),
		cmocka_unit_test(test_temporal),
		cmocka_unit_test(test_temporal_late),
		cmocka_unit_test(test_temporal_end),
		cmocka_unit_test(test_aggregations),
		cmocka_unit_test(test_late_aggregations),
		cmocka_unit_test(test_stuck_output),
		cmocka_unit_test(test_abort),
		cmocka_unit_test(test_hooks),
		cmocka_unit_test(test_sleep),
		cmocka_unit_test(test_accounting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
