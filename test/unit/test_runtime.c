/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The routines of runtime/, each loaded in a program of its own with real maps and run by the
 * kernel; results are compared with C. Needs root. DTRACE_TEST_VERBOSE=1 prints what each cost
 * the verifier.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "abi/abi.h"
#include "codegen/bpf.h"
#include "kern/kern.h"

#define NFRAMES 2
#define NHALVES 2
#define NPROGS 64

struct run {
	struct abi_conf conf;
	int fd[CG_MAP_MAX];
	char *frames, *bufs, *aggs, *globals, *cpus;
	uint64_t *state;
	size_t frame_stride, buf_stride, agg_stride;
	uint32_t a, b, c, key; /* places in a frame */
	struct {
		const char *name;
		int fd, nargs;
	} progs[NPROGS];
	size_t nprogs;
	char strtab[4096];
};

/* ---- maps and programs ---- */

static int map_make(const char *name, uint32_t size, uint32_t n, uint32_t flags)
{
	int fd = kern_map_create(BPF_MAP_TYPE_ARRAY, name, 4, size, n, flags);

	if (fd < 0)
		fail_msg("map %s: %d", name, fd);
	return fd;
}

static void *map_view(int fd, size_t len)
{
	void *p;

	if (kern_map_mmap(fd, len, PROT_READ | PROT_WRITE, &p))
		fail_msg("mmap of a map");
	return p;
}

static int map_frozen(const char *name, const void *data, uint32_t size)
{
	int fd = map_make(name, size, 1, BPF_F_RDONLY_PROG);
	uint32_t zero = 0;

	assert_int_equal(kern_map_update(fd, &zero, data, 0), 0);
	assert_int_equal(kern_map_freeze(fd), 0);
	return fd;
}

static void strtab_fill(struct run *r)
{
	struct abi_str *s = (struct abi_str *)r->strtab;

	s->len = 5;
	memcpy(s->s, "hello", 5);
	s = (struct abi_str *)(r->strtab + 16);
	s->len = 1000;
	memset(s->s, 'x', 1000);
	s = (struct abi_str *)(r->strtab + sizeof(r->strtab) - 8);
	s->len = 0; /* the empty string's bytes would lie outside */
}

static struct run *run_create(uint32_t strsize, uint32_t aggsize, uint32_t dvars)
{
	struct run *r = mem_alloc(sizeof(*r));
	struct abi_conf *c = &r->conf;
	uint32_t str;
	int i;

	for (i = 0; i < CG_MAP_MAX; i++)
		r->fd[i] = -1;
	c->strsize = strsize;
	c->strmax = ROUND_UP(strsize, 8);
	str = ABI_STR_BYTES(strsize);
	r->a = 512;
	r->b = r->a + str;
	r->c = r->b + str;
	r->key = r->c + str;
	c->dvar_size = str;
	c->frame_size = r->key + 4096 + 2 * str;
	c->bufsize = 65536 + 2 * strsize;
	c->bufmap = c->bufsize;
	c->aggsize = aggsize;
	c->agg_heads = 256;
	c->agg_buckets = 64;
	c->agg_start = 256 + 64 * 4;
	c->strtab_size = sizeof(r->strtab);
	c->globals_size = 4 * str;
	c->ncpus = kern_cpus_possible();
	c->nslots = 1;
	strtab_fill(r);
	r->fd[CG_MAP_CONF] = map_frozen("conf", c, sizeof(*c));
	r->fd[CG_MAP_STRTAB] = map_frozen("strtab", r->strtab, sizeof(r->strtab));
	r->fd[CG_MAP_STATE] = map_make("state", sizeof(struct abi_state), 1, BPF_F_MMAPABLE);
	r->fd[CG_MAP_CPUS] = map_make("cpus", c->ncpus * sizeof(struct abi_cpu), 1, BPF_F_MMAPABLE);
	r->fd[CG_MAP_BUFS] = map_make("bufs", c->bufmap, NHALVES, BPF_F_MMAPABLE);
	r->fd[CG_MAP_AGGS] = map_make("aggs", aggsize, NHALVES, BPF_F_MMAPABLE);
	r->fd[CG_MAP_GLOBALS] = map_make("globals", c->globals_size, 1, BPF_F_MMAPABLE);
	r->fd[CG_MAP_FRAMES] = map_make("frames", c->frame_size, NFRAMES, BPF_F_MMAPABLE);
	r->fd[CG_MAP_DVARS] = kern_map_create(BPF_MAP_TYPE_HASH, "dvars",
					      sizeof(struct abi_dvar_key), c->dvar_size, dvars, 0);
	assert_true(r->fd[CG_MAP_DVARS] >= 0);
	r->frame_stride = ROUND_UP(c->frame_size, 8);
	r->buf_stride = ROUND_UP(c->bufmap, 8);
	r->agg_stride = ROUND_UP(aggsize, 8);
	r->frames = map_view(r->fd[CG_MAP_FRAMES], r->frame_stride * NFRAMES);
	r->bufs = map_view(r->fd[CG_MAP_BUFS], r->buf_stride * NHALVES);
	r->aggs = map_view(r->fd[CG_MAP_AGGS], r->agg_stride * NHALVES);
	r->globals = map_view(r->fd[CG_MAP_GLOBALS], c->globals_size);
	r->cpus = map_view(r->fd[CG_MAP_CPUS], c->ncpus * sizeof(struct abi_cpu));
	r->state = map_view(r->fd[CG_MAP_STATE], sizeof(struct abi_state));
	return r;
}

static void run_destroy(struct run *r)
{
	size_t i;

	munmap(r->frames, r->frame_stride * NFRAMES);
	munmap(r->bufs, r->buf_stride * NHALVES);
	munmap(r->aggs, r->agg_stride * NHALVES);
	munmap(r->globals, r->conf.globals_size);
	munmap(r->cpus, r->conf.ncpus * sizeof(struct abi_cpu));
	munmap(r->state, sizeof(struct abi_state));
	for (i = 0; i < r->nprogs; i++)
		close(r->progs[i].fd);
	for (i = 0; i < CG_MAP_MAX; i++)
		kern_close(&r->fd[i]);
	free(r);
}

static void report(const char *name, const struct run *r, int fd, const struct bpf_code *code)
{
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);

	if (!getenv("DTRACE_TEST_VERBOSE") || bpf_obj_get_info_by_fd(fd, &info, &len))
		return;
	printf("# %-20s strsize %5u: %5u instructions, %6u verified\n", name, r->conf.strsize,
	       code->n, info.verified_insns);
}

/* The program passes its context's words to the routine and leaves the result in map state. */
static int prog_make(struct run *r, const char *name, int nargs)
{
	static char log[1 << 20];
	struct arena *arena = arena_create();
	struct bpf_code code;
	struct ir ir;
	vreg ctx, arg[5];
	int i, fd, btf;

	ir_init(&ir, arena);
	ctx = ir_arg(&ir, 0);
	for (i = 0; i < 5; i++)
		arg[i] = ir_load(&ir, 8, ctx, i * 8);
	ir_store(&ir, 8, ir_mapval(&ir, CG_MAP_STATE, 16), 0,
		 ir_callrt(&ir, name, nargs, arg[0], arg[1], arg[2], arg[3], arg[4]));
	ir_exit(&ir, 0);
	if (bpf_assemble(&ir, name, r->fd, &code))
		fail_msg("%s: %s", name, ir.error_text);
	btf = kern_btf_load(code.btf, code.btf_size, log, sizeof(log), 1);
	if (btf < 0)
		fail_msg("%s: BTF: %d\n%s", name, btf, log);
	struct kern_prog_attr attr = {
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.name = name,
		.insns = code.insns,
		.insn_cnt = code.n,
		.btf_fd = btf,
		.func_info = code.funcs,
		.func_info_cnt = code.nfuncs,
	};
	fd = kern_prog_load(&attr);
	if (fd < 0) {
		bpf_disasm(&code, stdout);
		attr.log = log;
		attr.log_size = sizeof(log);
		attr.log_level = 1;
		kern_prog_load(&attr);
		i = strlen(log);
		fail_msg("%s: %d\n%s", name, fd, log + MAX(i - 8000, 0));
	}
	report(name, r, fd, &code);
	close(btf);
	bpf_code_free(&code);
	ir_destroy(&ir);
	arena_destroy(arena);
	return fd;
}

static int prog_get(struct run *r, const char *name, int nargs)
{
	size_t i;

	for (i = 0; i < r->nprogs; i++)
		if (!strcmp(r->progs[i].name, name) && r->progs[i].nargs == nargs)
			return r->progs[i].fd;
	assert_true(r->nprogs < NPROGS);
	r->progs[r->nprogs].name = name;
	r->progs[r->nprogs].nargs = nargs;
	r->progs[r->nprogs].fd = prog_make(r, name, nargs);
	return r->progs[r->nprogs++].fd;
}

static uint64_t call(struct run *r, const char *name, int nargs, uint64_t a, uint64_t b, uint64_t c,
		     uint64_t d, uint64_t e)
{
	uint64_t ctx[12] = { a, b, c, d, e };

	r->state[2] = 0xdeadbeef;
	assert_int_equal(kern_prog_test_run(prog_get(r, name, nargs), ctx, sizeof(ctx), -1, NULL),
			 0);
	return r->state[2];
}

#define CALL2(r, name, a, b) call(r, name, 2, (uint64_t)(a), (uint64_t)(b), 0, 0, 0)
#define CALL3(r, name, a, b, c) call(r, name, 3, (uint64_t)(a), (uint64_t)(b), (uint64_t)(c), 0, 0)
#define CALL4(r, name, a, b, c, d) \
	call(r, name, 4, (uint64_t)(a), (uint64_t)(b), (uint64_t)(c), (uint64_t)(d), 0)
#define CALL5(r, name, a, b, c, d, e) \
	call(r, name, 5, (uint64_t)(a), (uint64_t)(b), (uint64_t)(c), (uint64_t)(d), (uint64_t)(e))

static uint64_t drops(struct run *r, enum abi_drop cause)
{
	struct abi_cpu *cpus = (struct abi_cpu *)r->cpus;
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < r->conf.ncpus; i++)
		n += cpus[i].drops[cause];
	return n;
}

static struct abi_str *str_of(struct run *r, uint32_t off)
{
	return (struct abi_str *)(r->frames + r->frame_stride + off); /* all tests use frame 1 */
}

static void str_set(struct abi_str *s, const char *text)
{
	s->len = text ? strlen(text) : ABI_STR_NULL;
	if (!text)
		return;
	memset(s->s, 0, ROUND_UP(s->len + 1, 8));
	memcpy(s->s, text, s->len);
}

static void str_check(const struct run *r, const struct abi_str *s, const char *text)
{
	size_t len = MIN(strlen(text), r->conf.strsize - 1), i;

	assert_int_equal(s->len, len);
	assert_memory_equal(s->s, text, len);
	for (i = len; i < ROUND_UP(len + 1, 8); i++)
		assert_int_equal(s->s[i], 0);
}

/* What lies behind a string's storage must stay as it is. */
#define GUARD 0x5a
static void guard_set(struct run *r, uint32_t off)
{
	memset((char *)str_of(r, off), GUARD, ABI_STR_BYTES(r->conf.strsize) + 64);
}

static void guard_check(struct run *r, uint32_t off)
{
	const char *p = (char *)str_of(r, off) + ABI_STR_BYTES(r->conf.strsize);
	int i;

	for (i = 0; i < 64; i++)
		assert_int_equal(p[i], GUARD);
}

static char *text_of(size_t n, int seed)
{
	char *s = mem_alloc(n + 1);
	size_t i;

	for (i = 0; i < n; i++)
		s[i] = 'a' + (i * 7 + seed) % 26;
	return s;
}

/* ---- the tests ---- */

static const uint32_t sizes[] = { 8, 15, 256, 4096, 65536 };

#define NEED_ROOT()                                    \
	do {                                           \
		if (geteuid() != 0) {                  \
			print_message("needs root\n"); \
			skip();                        \
		}                                      \
	} while (0)

static void test_division(void **state)
{
	static const int64_t v[] = { 0,		 1,	     -1,	2,
				     -2,	 7,	     -7,	10,
				     -10,	 INT64_MAX,  INT64_MIN, INT64_MIN + 1,
				     4294967296, -4294967296 };
	struct run *r;
	size_t i, j;

	(void)state;
	NEED_ROOT();
	r = run_create(256, 65536, 16);
	for (i = 0; i < ARRAY_SIZE(v); i++) {
		for (j = 0; j < ARRAY_SIZE(v); j++) {
			bool overflow = v[i] == INT64_MIN && v[j] == -1;

			if (!v[j])
				continue;
			assert_true(CALL2(r, "rt_sdiv", v[i], v[j]) ==
				    (uint64_t)(overflow ? INT64_MIN : v[i] / v[j]));
			assert_true(CALL2(r, "rt_smod", v[i], v[j]) ==
				    (uint64_t)(overflow ? 0 : v[i] % v[j]));
		}
	}
	run_destroy(r);
}

static void quantize_check(struct run *r, uint64_t v, unsigned int want)
{
	assert_int_equal(call(r, "rt_quantize", 1, v, 0, 0, 0, 0), want);
}

static void test_quantize(void **state)
{
	struct run *r;
	int k;

	(void)state;
	NEED_ROOT();
	r = run_create(256, 65536, 16);
	quantize_check(r, 0, 63);
	for (k = 1; k <= 63; k++) {
		uint64_t from = 1ull << (k - 1);

		quantize_check(r, from, 63 + k);
		quantize_check(r, 2 * from - 1, 63 + k);
		quantize_check(r, -from, 63 - k);
		quantize_check(r, 1 - 2 * from, 63 - k);
	}
	quantize_check(r, INT64_MAX, 126);
	quantize_check(r, 1ull << 63, 0);
	run_destroy(r);
}

static uint64_t lq(struct run *r, int64_t v, int32_t base, int32_t limit, uint64_t step)
{
	return CALL3(r, "rt_lquantize", v, (uint64_t)(uint32_t)limit << 32 | (uint32_t)base, step);
}

static void test_lquantize(void **state)
{
	struct run *r;

	(void)state;
	NEED_ROOT();
	r = run_create(256, 65536, 16);
	assert_int_equal(lq(r, -1, 0, 10, 2), 0);
	assert_int_equal(lq(r, 0, 0, 10, 2), 1);
	assert_int_equal(lq(r, 1, 0, 10, 2), 1);
	assert_int_equal(lq(r, 3, 0, 10, 2), 2);
	assert_int_equal(lq(r, 9, 0, 10, 2), 5);
	assert_int_equal(lq(r, 10, 0, 10, 2), 6);
	assert_int_equal(lq(r, INT64_MAX, 0, 10, 2), 6);
	assert_int_equal(lq(r, INT64_MIN, 0, 10, 2), 0);
	assert_int_equal(lq(r, -10, -10, 10, 3), 1);
	assert_int_equal(lq(r, -11, -10, 10, 3), 0);
	assert_int_equal(lq(r, 7, -10, 10, 3), 6);
	assert_int_equal(lq(r, 8, -10, 10, 3), 7);
	assert_int_equal(lq(r, 0, INT32_MIN, INT32_MAX, 65536), 32769);
	assert_int_equal(lq(r, INT64_MAX, INT32_MIN, INT32_MAX, 65536), 65536);
	run_destroy(r);
}

static uint64_t ipow(uint64_t f, unsigned int n)
{
	uint64_t p = 1;

	while (n--)
		p *= f;
	return p;
}

/* The buckets by their labels, as the reference describes them: the largest label not above v. */
static uint64_t llq_model(int64_t value, uint64_t f, uint64_t low, uint64_t high, uint64_t steps)
{
	uint64_t v = value < 0 ? -(uint64_t)value : (uint64_t)value;
	uint64_t n = steps - steps / f, all = n * (high - low + 1), m, best = 0;

	if (v < ipow(f, low))
		return all + 1;
	if (v >= ipow(f, high + 1))
		return value < 0 ? 0 : 2 * all + 2;
	for (m = low; m <= high; m++) {
		uint64_t from = ipow(f, m), width = from * f / steps, label = from, k = 0;

		while (label < from * f && label <= v) {
			best = (m - low) * n + k++;
			label = width ? (label / width + 1) * width : label + 1;
		}
	}
	return value < 0 ? all - best : all + 2 + best;
}

static void test_llquantize(void **state)
{
	static const struct {
		uint64_t f, low, high, steps;
	} p[] = {
		{ 10, 0, 2, 20 }, { 10, 0, 6, 20 }, { 3, 3, 5, 27 },   { 4, 0, 1, 2 },
		{ 2, 0, 20, 2 },  { 10, 0, 0, 10 }, { 10, 2, 5, 100 }, { 2, 0, 30, 4 },
	};
	struct run *r;
	size_t i;
	int64_t v;

	(void)state;
	NEED_ROOT();
	r = run_create(256, 65536, 16);
	for (i = 0; i < ARRAY_SIZE(p); i++) {
		uint64_t packed = p[i].f | p[i].low << 16 | p[i].high << 32 | p[i].steps << 48;

		for (v = 0; v < 20000; v = v < 300 ? v + 1 : v + 97) {
			uint64_t plus = llq_model(v, p[i].f, p[i].low, p[i].high, p[i].steps);
			uint64_t minus = llq_model(-v, p[i].f, p[i].low, p[i].high, p[i].steps);

			assert_int_equal(CALL2(r, "rt_llquantize", v, packed), plus);
			assert_int_equal(CALL2(r, "rt_llquantize", -v, packed), minus);
		}
	}
	/* The last power is 2^63; and one that does not fit 64 bits must not loop or trap. */
	assert_int_equal(
		CALL2(r, "rt_llquantize", INT64_MAX, 2 | 0ull << 16 | 62ull << 32 | 2ull << 48),
		63 + 2 + 62);
	CALL2(r, "rt_llquantize", INT64_MIN, 2 | 0ull << 16 | 63ull << 32 | 2ull << 48);
	run_destroy(r);
}

static void string_reads(struct run *r, size_t n)
{
	char *text = text_of(n, 3);

	guard_set(r, r->a);
	assert_int_equal(CALL4(r, "rt_str_user", 1, r->a, text, r->conf.strsize), 0);
	str_check(r, str_of(r, r->a), text);
	guard_check(r, r->a);
	guard_set(r, r->b);
	assert_int_equal(CALL3(r, "rt_str_copy", 1, r->b, r->a), 0);
	str_check(r, str_of(r, r->b), text);
	guard_check(r, r->b);
	free(text);
}

static void test_strings(void **state)
{
	static const size_t lengths[] = { 0,   1,   6,	 7,   8,    9,	  15,	16,
					  62,  63,  64,	 65,  71,   72,	  254,	255,
					  256, 511, 512, 513, 4094, 4095, 4096, 65535 };
	struct run *r;
	size_t i, k;

	(void)state;
	NEED_ROOT();
	for (k = 0; k < ARRAY_SIZE(sizes); k++) {
		r = run_create(sizes[k], 65536, 16);
		for (i = 0; i < ARRAY_SIZE(lengths); i++)
			string_reads(r, lengths[i]);
		guard_set(r, r->a);
		assert_int_equal(CALL4(r, "rt_str_user", 1, r->a, "abcdef", 4), 0);
		str_check(r, str_of(r, r->a), "abc");
		assert_int_equal(CALL4(r, "rt_str_user", 1, r->a, 8, r->conf.strsize), 1);
		assert_int_equal(CALL4(r, "rt_str_kernel", 1, r->a, 8, r->conf.strsize), 1);
		assert_int_equal(str_of(r, r->a)->len, 0);
		run_destroy(r);
	}
}

static void test_strings_other(void **state)
{
	char comm[17], x[1001];
	struct run *r;
	size_t k;

	(void)state;
	NEED_ROOT();
	memset(x, 'x', 1000);
	x[1000] = 0;
	for (k = 0; k < ARRAY_SIZE(sizes); k++) {
		r = run_create(sizes[k], 65536, 16);
		guard_set(r, r->a);
		assert_int_equal(CALL2(r, "rt_str_comm", 1, r->a), 0);
		prctl(PR_GET_NAME, comm);
		str_check(r, str_of(r, r->a), comm);
		guard_check(r, r->a);
		guard_set(r, r->a);
		assert_int_equal(CALL3(r, "rt_str_table", 1, r->a, 0), 0);
		str_check(r, str_of(r, r->a), "hello");
		guard_check(r, r->a);
		assert_int_equal(CALL3(r, "rt_str_table", 1, r->a, 16), 0);
		str_check(r, str_of(r, r->a), x);
		guard_check(r, r->a);
		assert_int_equal(CALL3(r, "rt_str_table", 1, r->a, sizeof(r->strtab) - 8), 0);
		str_check(r, str_of(r, r->a), "");
		assert_int_equal(CALL3(r, "rt_str_table", 1, r->a, sizeof(r->strtab) - 7), 1);
		assert_int_equal(CALL3(r, "rt_str_table", 1, r->conf.frame_size, 0), 1);
		assert_int_equal(CALL3(r, "rt_str_table", 1, -8, 0), 1);
		assert_int_equal(CALL3(r, "rt_str_table", NFRAMES, r->a, 0), 1);
		/* to a global variable and back */
		assert_int_equal(CALL3(r, "rt_str_table", 1, r->a, 16), 0);
		assert_int_equal(CALL3(r, "rt_str_to_global", 1, 8, r->a), 0);
		guard_set(r, r->b);
		assert_int_equal(CALL3(r, "rt_str_from_global", 1, r->b, 8), 0);
		str_check(r, str_of(r, r->b), x);
		guard_check(r, r->b);
		str_set(str_of(r, r->a), NULL);
		assert_int_equal(CALL3(r, "rt_str_to_global", 1, 8, r->a), 0);
		assert_int_equal(CALL3(r, "rt_str_from_global", 1, r->b, 8), 0);
		assert_true(str_of(r, r->b)->len == ABI_STR_NULL);
		run_destroy(r);
	}
}

static int sign(int64_t v)
{
	return v < 0 ? -1 : v > 0;
}

static void compare(struct run *r, const char *a, const char *b, int want)
{
	str_set(str_of(r, r->a), a);
	str_set(str_of(r, r->b), b);
	assert_int_equal(sign(CALL3(r, "rt_str_cmp", 1, r->a, r->b)), want);
	assert_int_equal(sign(CALL3(r, "rt_str_cmp", 1, r->b, r->a)), -want);
}

static void test_compare(void **state)
{
	static const size_t lengths[] = { 1, 7, 8, 9, 64, 200, 511, 512, 513, 520, 3000, 65000 };
	static const char *const words[] = { "",     "a",	 "ab",	      "b",
					     "\xff", "abcdefgh", "abcdefghi", "abcdefg" };
	struct run *r;
	size_t i, j, k;

	(void)state;
	NEED_ROOT();
	for (k = 0; k < ARRAY_SIZE(sizes); k++) {
		r = run_create(sizes[k], 65536, 16);
		compare(r, NULL, NULL, 0);
		compare(r, NULL, "", -1);
		for (i = 0; i < ARRAY_SIZE(words); i++)
			for (j = 0; j < ARRAY_SIZE(words); j++)
				if (MAX(strlen(words[i]), strlen(words[j])) < sizes[k])
					compare(r, words[i], words[j],
						sign(strcmp(words[i], words[j])));
		for (i = 0; i < ARRAY_SIZE(lengths); i++) {
			char *a, *b;

			if (lengths[i] >= sizes[k])
				continue;
			a = text_of(lengths[i], 1);
			b = text_of(lengths[i], 1);
			compare(r, a, b, 0);
			for (j = 0; j < 5; j++) {
				size_t at = lengths[i] * j / 5;

				b[at]++;
				compare(r, a, b, -1);
				b[at] = 0;
				compare(r, a, b, 1);
				strcpy(b, a);
			}
			free(a);
			free(b);
		}
		run_destroy(r);
	}
}

static void join(struct run *r, size_t la, size_t lb)
{
	char *a = text_of(la, 1), *b = text_of(lb, 9), *both = mem_printf("%s%s", a, b);

	str_set(str_of(r, r->a), a);
	str_set(str_of(r, r->b), b);
	guard_set(r, r->c);
	assert_int_equal(CALL4(r, "rt_str_join", 1, r->c, r->a, r->b), 0);
	str_check(r, str_of(r, r->c), both);
	guard_check(r, r->c);
	assert_int_equal(CALL4(r, "rt_str_join", 1, r->a, r->a, r->b), 0);
	str_check(r, str_of(r, r->a), both);
	str_check(r, str_of(r, r->b), b);
	free(a);
	free(b);
	free(both);
}

static void test_join(void **state)
{
	static const size_t lengths[] = { 0,  1,  5,   7,   8,	  13,	14,    63,
					  64, 65, 255, 254, 2000, 4095, 30000, 65535 };
	struct run *r;
	size_t i, j, k;

	(void)state;
	NEED_ROOT();
	for (k = 0; k < ARRAY_SIZE(sizes); k++) {
		r = run_create(sizes[k], 65536, 16);
		for (i = 0; i < ARRAY_SIZE(lengths); i++)
			for (j = 0; j < ARRAY_SIZE(lengths); j++)
				if (lengths[i] < sizes[k] && lengths[j] < sizes[k])
					join(r, lengths[i], lengths[j]);
		str_set(str_of(r, r->a), NULL);
		assert_int_equal(CALL4(r, "rt_str_join", 1, r->c, r->a, r->b), 1);
		assert_int_equal(CALL4(r, "rt_str_join", 1, r->c, r->b, r->a), 1);
		run_destroy(r);
	}
}

static void test_record_tuple(void **state)
{
	static const size_t lengths[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 63, 64, 65, 255, 3000 };
	struct run *r;
	size_t i, k, pos;
	char *half;

	(void)state;
	NEED_ROOT();
	for (k = 0; k < ARRAY_SIZE(sizes); k++) {
		r = run_create(sizes[k], 65536, 16);
		half = r->bufs + r->buf_stride;
		for (i = 0; i < ARRAY_SIZE(lengths); i++) {
			char *text = text_of(lengths[i], 4);
			size_t len = lengths[i], tuple = ROUND_UP(len, 8);

			if (len >= sizes[k]) {
				free(text);
				continue;
			}
			str_set(str_of(r, r->a), text);
			for (pos = 100; pos < 105; pos++) {
				memset(half, GUARD, 8192);
				assert_int_equal(CALL4(r, "rt_rec_str", 1, r->a, 1, pos), len);
				assert_memory_equal(half + pos, text, len);
				assert_int_equal(half[pos - 1], GUARD);
				assert_int_equal(half[pos + len], GUARD);
			}
			pos = r->conf.bufmap - (sizes[k] - 1);
			assert_int_equal(CALL4(r, "rt_rec_str", 1, r->a, 1, pos), len);
			assert_memory_equal(half + pos, text, len);
			assert_int_equal(CALL3(r, "rt_tuple_str", 1, r->key, r->a), r->key + tuple);
			assert_memory_equal(str_of(r, r->key), str_of(r, r->a)->s, tuple);
			free(text);
		}
		str_set(str_of(r, r->a), NULL);
		assert_int_equal(CALL4(r, "rt_rec_str", 1, r->a, 1, 8), 0xffffffff);
		assert_int_equal(CALL3(r, "rt_tuple_str", 1, r->key, r->a), r->key);
		run_destroy(r);
	}
}

static void test_copyin(void **state)
{
	static const size_t lengths[] = { 0, 1, 7, 8, 63, 64, 100, 511, 600 };
	struct abi_frame *f;
	struct run *r;
	size_t i;

	(void)state;
	NEED_ROOT();
	r = run_create(256, 65536, 16);
	f = (struct abi_frame *)str_of(r, 0);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		char *text = text_of(lengths[i], 2);
		uint64_t pos = r->key + 8;

		f->scratch_pos = pos;
		assert_int_equal(CALL4(r, "rt_copyin", 1, text, lengths[i], UINT64_MAX), pos);
		assert_memory_equal((char *)f + pos, text, lengths[i]);
		assert_int_equal(f->scratch_pos, pos + ROUND_UP(lengths[i], 8));
		f->scratch_pos = r->conf.frame_size - ROUND_UP(lengths[i], 8);
		assert_int_equal(CALL4(r, "rt_copyin", 1, text, lengths[i], UINT64_MAX),
				 r->conf.frame_size - ROUND_UP(lengths[i], 8));
		assert_int_equal(CALL4(r, "rt_copyin", 1, text, lengths[i] + 1, UINT64_MAX), 1);
		free(text);
	}
	f->scratch_pos = r->key;
	assert_int_equal(CALL4(r, "rt_copyin", 1, 64, 10, UINT64_MAX), 0);
	assert_int_equal(f->fault_value, 64);
	assert_int_equal(CALL4(r, "rt_copyin", 1, &f, UINT64_MAX, UINT64_MAX), 1);
	run_destroy(r);

	r = run_create(65536, 65536, 16);
	f = (struct abi_frame *)str_of(r, 0);
	f->scratch_pos = r->key;
	char *text = text_of(100001, 2);
	assert_int_equal(CALL4(r, "rt_copyin", 1, text, 100001, UINT64_MAX), r->key);
	assert_memory_equal((char *)f + r->key, text, 100001);
	free(text);
	memset((char *)f + r->key, 1, 2400);
	call(r, "rt_zero", 3, 1, r->key + 8, 2000, 0, 0);
	for (i = 0; i < 2400; i++)
		assert_int_equal(((char *)f)[r->key + i], i < 8 || i >= 2008);
	run_destroy(r);
}

static uint64_t agg(struct run *r, uint64_t nwords, uint32_t shape, uint64_t value_words)
{
	return CALL5(r, "rt_agg", 1, r->key, nwords, shape | value_words << 32, 1);
}

static void key_set(struct run *r, uint64_t seed, uint64_t nwords)
{
	uint64_t *key = (uint64_t *)str_of(r, r->key), i;

	for (i = 0; i < nwords; i++)
		key[i] = seed * (i + 1);
}

static void agg_check(struct run *r, uint64_t off, uint64_t seed, uint64_t nwords, uint32_t shape)
{
	char *half = r->aggs + r->agg_stride;
	struct abi_aggent *e = (struct abi_aggent *)(half + off - 8 * nwords - sizeof(*e));
	uint64_t i;

	assert_true(off != 0);
	assert_true(off >= r->conf.agg_start + sizeof(*e) && off <= r->conf.aggsize - 8);
	assert_int_equal(e->shape, shape);
	assert_int_equal(e->nwords, nwords);
	for (i = 0; i < nwords; i++)
		assert_int_equal(e->key[i], seed * (i + 1));
}

static void agg_round(struct run *r, uint64_t keys, uint64_t nwords)
{
	uint64_t *first = mem_alloc(keys * sizeof(*first)), i;
	char *half = r->aggs + r->agg_stride;
	int round;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < keys; i++) {
			key_set(r, i + 1, nwords);
			uint64_t off = agg(r, nwords, 3, 2);

			agg_check(r, off, i + 1, nwords, 3);
			assert_int_equal(*(uint64_t *)(half + off), round ? i : 0);
			if (!round)
				first[i] = off;
			assert_int_equal(off, first[i]);
			*(uint64_t *)(half + off) = i;
		}
	}
	/* The same words as a key of another shape are another entry. */
	key_set(r, 1, nwords);
	assert_true(agg(r, nwords, 4, 2) != first[0]);
	free(first);
}

static void test_aggregation(void **state)
{
	static const uint64_t words[] = { 0, 1, 2, 3, 5, 8, 9, 64, 65, 130, 500 };
	struct run *r;
	size_t i;

	(void)state;
	NEED_ROOT();
	r = run_create(256, 1 << 20, 16);
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		agg_round(r, words[i] ? 20 : 1, words[i]);
		memset(r->aggs, 0, r->agg_stride * NHALVES);
	}
	agg_round(r, 1000, 1); /* chains of 16 */
	assert_int_equal(drops(r, ABI_DROP_AGGREGATION), 0);
	run_destroy(r);
}

/*
 * The last entry may end exactly at the end of the half; then new keys drop, and old ones are
 * still found.
 */
static void test_aggregation_full(void **state)
{
	uint64_t n, i, entry = sizeof(struct abi_aggent) + 8 * 3 + 8;
	struct run *r;

	(void)state;
	NEED_ROOT();
	r = run_create(256, 512 + 10 * entry, 16);
	for (n = 0; n < 10; n++) {
		key_set(r, n + 1, 3);
		agg_check(r, agg(r, 3, 1, 1), n + 1, 3, 1);
	}
	key_set(r, 999, 3);
	assert_int_equal(agg(r, 3, 1, 1), 0);
	assert_int_equal(agg(r, 3, 1, 1), 0);
	assert_int_equal(drops(r, ABI_DROP_AGGREGATION), 2);
	for (i = 0; i < n; i++) {
		key_set(r, i + 1, 3);
		agg_check(r, agg(r, 3, 1, 1), i + 1, 3, 1);
	}
	assert_int_equal(CALL5(r, "rt_agg", 1, r->key, UINT64_MAX / 8, 1ull << 32, 1), 0);
	assert_int_equal(CALL5(r, "rt_agg", 1, r->key, 1, 0xffffffffull << 32, 1), 0);
	assert_int_equal(CALL5(r, "rt_agg", 1, r->key, 1, 1ull << 32, 7), 0);
	assert_int_equal(drops(r, ABI_DROP_AGGREGATION), 5);
	assert_int_equal(((struct abi_agghalf *)(r->aggs + r->agg_stride))->used, 10 * entry);
	run_destroy(r);
	/* a half that is hardly larger than its heads */
	r = run_create(256, 512 + 8, 16);
	key_set(r, 1, 1);
	assert_int_equal(agg(r, 1, 1, 1), 0);
	run_destroy(r);
}

#define VAR(nwords, id) ((uint64_t)(nwords) | (uint64_t)(id) << 32)

static void test_dvar(void **state)
{
	struct run *r;
	uint64_t n, i;

	(void)state;
	NEED_ROOT();
	r = run_create(256, 65536, 40);
	for (n = 1; n < 20; n += 3) {
		uint64_t first = *(uint64_t *)str_of(r, 0) = 4711;

		key_set(r, 5, n);
		assert_int_equal(CALL3(r, "rt_dvar_load", 1, r->key, VAR(n, 1)), 0);
		assert_int_equal(CALL4(r, "rt_dvar_store", 1, r->key, VAR(n, 1), 77), 0);
		assert_int_equal(CALL3(r, "rt_dvar_load", 1, r->key, VAR(n, 1)), 77);
		assert_int_equal(CALL3(r, "rt_dvar_load", 1, r->key, VAR(n, 2)), 0);
		((uint64_t *)str_of(r, r->key))[n - 1] ^= 1;
		assert_int_equal(CALL3(r, "rt_dvar_load", 1, r->key, VAR(n, 1)), 0);
		((uint64_t *)str_of(r, r->key))[n - 1] ^= 1;
		assert_int_equal(CALL4(r, "rt_dvar_store", 1, r->key, VAR(n, 1), -1), 0);
		assert_true(CALL3(r, "rt_dvar_load", 1, r->key, VAR(n, 1)) == UINT64_MAX);
		assert_int_equal(CALL4(r, "rt_dvar_store", 1, r->key, VAR(n, 1), 0), 0);
		assert_int_equal(CALL3(r, "rt_dvar_load", 1, r->key, VAR(n, 1)), 0);
		assert_int_equal(CALL4(r, "rt_dvar_store", 1, r->key, VAR(n, 1), 0), 0);
		assert_int_equal(*(uint64_t *)str_of(r, 0), first);
	}
	/* strings */
	key_set(r, 5, 2);
	guard_set(r, r->b);
	assert_int_equal(CALL5(r, "rt_dvar_load_bytes", 1, r->key, VAR(2, 3), r->b, 264), 0);
	assert_true(str_of(r, r->b)->len == ABI_STR_NULL);
	str_set(str_of(r, r->a), "value");
	assert_int_equal(CALL5(r, "rt_dvar_store_bytes", 1, r->key, VAR(2, 3), r->a, 264), 0);
	assert_int_equal(CALL5(r, "rt_dvar_load_bytes", 1, r->key, VAR(2, 3), r->b, 264), 1);
	str_check(r, str_of(r, r->b), "value");
	guard_check(r, r->b);
	str_set(str_of(r, r->a), NULL);
	assert_int_equal(CALL5(r, "rt_dvar_store_bytes", 1, r->key, VAR(2, 3), r->a, 264), 0);
	assert_int_equal(CALL5(r, "rt_dvar_load_bytes", 1, r->key, VAR(2, 3), r->b, 264), 0);
	/* what is no string: zeroes when absent, and no first word deletes it */
	assert_int_equal(
		CALL5(r, "rt_dvar_load_bytes", 1, r->key, VAR(2, 4), r->b, 16 | 1ull << 32), 0);
	assert_int_equal(str_of(r, r->b)->len, 0);
	memset(str_of(r, r->a), 0xff, 16);
	assert_int_equal(
		CALL5(r, "rt_dvar_store_bytes", 1, r->key, VAR(2, 4), r->a, 16 | 1ull << 32), 0);
	assert_int_equal(
		CALL5(r, "rt_dvar_load_bytes", 1, r->key, VAR(2, 4), r->b, 16 | 1ull << 32), 1);
	assert_memory_equal(str_of(r, r->a), str_of(r, r->b), 16);
	/* no room: a drop, and those that exist can still be changed */
	assert_int_equal(drops(r, ABI_DROP_DYNAMIC), 0);
	for (i = 0; i < 100; i++) {
		key_set(r, i, 1);
		CALL4(r, "rt_dvar_store", 1, r->key, VAR(1, 9), i + 1);
	}
	assert_int_equal(drops(r, ABI_DROP_DYNAMIC), 100 - 39);
	key_set(r, 3, 1);
	assert_int_equal(CALL4(r, "rt_dvar_store", 1, r->key, VAR(1, 9), 1000), 0);
	assert_int_equal(CALL3(r, "rt_dvar_load", 1, r->key, VAR(1, 9)), 1000);
	run_destroy(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_division),     cmocka_unit_test(test_quantize),
		cmocka_unit_test(test_lquantize),    cmocka_unit_test(test_llquantize),
		cmocka_unit_test(test_strings),	     cmocka_unit_test(test_strings_other),
		cmocka_unit_test(test_compare),	     cmocka_unit_test(test_join),
		cmocka_unit_test(test_record_tuple), cmocka_unit_test(test_copyin),
		cmocka_unit_test(test_aggregation),  cmocka_unit_test(test_aggregation_full),
		cmocka_unit_test(test_dvar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
