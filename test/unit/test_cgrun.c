/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code generator from end to end: D text is compiled, loaded as a program of its own with real
 * maps, fired by the kernel (BPF_PROG_TEST_RUN) and what it left in the maps is compared. Needs
 * root. DTRACE_TEST_VERBOSE=1 prints the programs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/str.h"
#include "codegen/bpf.h"
#include "codegen/cg.h"
#include "kern/kern.h"
#include "lang/ident.h"

#define MAX_CLAUSES 300
#define NROWS 4
#define NSPEC 2
#define SPEC_PARTS 64

/* What a test chooses; zero gives the usual. */
struct want {
	enum cg_policy policy;
	uint32_t bufsize, strsize, aggsize, reserve, activity, specsize;
	bool temporal, accounting, rows, may_fail;
};

struct run {
	struct dsession *ses;
	struct ecbs ecbs;
	struct cg_env env;
	struct dprog *prog;
	struct cg_clause *clauses[MAX_CLAUSES], *errors[8];
	uint32_t epid[MAX_CLAUSES], row_epid[NROWS][MAX_CLAUSES], error_epid[8];
	size_t nclauses, nerrors;
	int fd[CG_MAP_MAX], prog_fd;
	struct abi_cpu *cpus;
	struct abi_state *state;
	char *bufs, *aggs, *globals, *acct;
	uint64_t *specst;
	struct abi_cpu other; /* what the CPU that is not played now has */
	struct kern_cpu_mask mask;
	struct str out;
	char *refused;
};

#define NEED_ROOT()                                    \
	do {                                           \
		if (geteuid() != 0) {                  \
			print_message("needs root\n"); \
			skip();                        \
		}                                      \
	} while (0)

/* ---- compiling ---- */

static int probe_matches(void *arg, const struct probespec *spec, struct diag *d)
{
	(void)arg, (void)spec, (void)d;
	return 1;
}

/* A row is chosen by the tenth word of the context. */
static vreg prologue(struct cg *cg, vreg ctx, void *data, label out)
{
	(void)out;
	return *(bool *)data ? ir_load(cg_ir(cg), 8, ctx, 9 * 8) : VREG_NONE;
}

static vreg arg_load(struct cg *cg, vreg ctx, void *data, int n)
{
	(void)data;
	return n < 9 ? ir_load(cg_ir(cg), 8, ctx, 8 * n) : ir_imm(cg_ir(cg), 0);
}

static vreg err_load(struct cg *cg, vreg ctx, void *data)
{
	(void)cg, (void)ctx, (void)data;
	return ir_imm(cg_ir(cg), 17);
}

static const struct cg_probe_ops ops = { .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
					 .prologue = prologue,
					 .arg = arg_load,
					 .err = err_load };

static uint32_t ecb_make(struct run *r, const struct clause *c, const struct cg_clause *cl)
{
	struct ecb *e = vec_add(&r->ecbs.v);

	e->epid = r->ecbs.v.n;
	e->layout = cg_clause_layout(cl);
	e->clause = c->index;
	return e->epid;
}

static void intern(struct run *r)
{
	static const char *const names[] = { "prov",  "mod",   "func0", "func1",
					     "func2", "func3", "entry" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		strtab_add(r->env.strtab, names[i], strlen(names[i]));
}

static bool prepare(struct run *r, const char *text)
{
	struct lang_source src = {
		.text = text, .len = strlen(text), .name = text, .field = SPEC_NAME
	};
	struct diag d = { 0 };

	r->prog = lang_compile(r->ses, &src, &d);
	if (!r->prog)
		fail_msg("%s: %s", text, d.text);
	for (const struct clause *c = r->prog->clauses; c; c = c->next) {
		struct cg_clause *cl = cg_clause_prepare(&r->env, c, &d);

		if (!cl) {
			r->refused = d.text;
			return false;
		}
		if (!strcmp(c->specs[0].name, "ERROR")) {
			r->error_epid[r->nerrors] = ecb_make(r, c, cl);
			r->errors[r->nerrors++] = cl;
		} else {
			r->epid[r->nclauses] = ecb_make(r, c, cl);
			r->clauses[r->nclauses++] = cl;
		}
	}
	intern(r);
	return true;
}

/* ---- maps ---- */

static int map_make(struct run *r, enum cg_map m, uint32_t size, uint32_t n, uint32_t flags)
{
	int fd = kern_map_create(BPF_MAP_TYPE_ARRAY, "t", 4, MAX(size, 8), n, flags);

	if (fd < 0)
		fail_msg("map %d: %d", m, fd);
	return r->fd[m] = fd;
}

static void *map_view(struct run *r, enum cg_map m, uint32_t size, uint32_t n)
{
	void *p;
	int fd = map_make(r, m, size, n, BPF_F_MMAPABLE);

	assert_int_equal(kern_map_mmap(fd, (size_t)ROUND_UP(MAX(size, 8), 8) * n,
				       PROT_READ | PROT_WRITE, &p),
			 0);
	return p;
}

static void map_frozen(struct run *r, enum cg_map m, const void *data, uint32_t size)
{
	int fd = map_make(r, m, size, 1, BPF_F_RDONLY_PROG);
	uint32_t zero = 0;

	assert_int_equal(kern_map_update(fd, &zero, data, 0), 0);
	assert_int_equal(kern_map_freeze(fd), 0);
}

static void maps_make(struct run *r, const struct want *w)
{
	struct abi_conf *c = &r->env.conf;
	const void *strtab;
	char *copy;

	c->strsize = r->ses->opt.strsize;
	c->strmax = ROUND_UP(c->strsize, 8);
	c->bufsize = w->bufsize ? w->bufsize : 4 << 20;
	c->bufmap = c->bufsize + MAX(r->env.max_record, 64);
	if (r->env.policy == CG_RING)
		c->ring_segment = c->bufsize >= 4096 ? 256 : 8;
	c->reserve = w->reserve;
	c->aggsize = w->aggsize ? w->aggsize : 1 << 20;
	c->agg_heads = ROUND_UP(64 + r->env.agg_fixed, 64);
	c->agg_buckets = 256;
	c->agg_start = c->agg_heads + 4 * c->agg_buckets;
	c->frame_size = ROUND_UP(sizeof(struct abi_frame) + r->ses->locals_size +
					 r->env.frame_temps + r->env.scratch,
				 8);
	c->globals_size = MAX(r->ses->globals_size, 8);
	c->ncpus = (uint32_t)kern_cpus_possible();
	c->nslots = 2; /* one CPU, which may play another one: cpu_swap() */
	c->nspec = NSPEC;
	c->spec_parts = SPEC_PARTS;
	c->specsize = w->specsize ? w->specsize : 4096;
	c->temporal = w->temporal;
	c->dvar_size = ROUND_UP(MAX(r->env.dvar_value, 8), 8);
	c->acct_epids = w->accounting ? r->ecbs.v.n + 1 : 0;
	strtab = strtab_data(r->env.strtab, &c->strtab_size);
	copy = mem_alloc(ROUND_UP(c->strtab_size + 8, 8));
	memcpy(copy, strtab, c->strtab_size);
	map_frozen(r, CG_MAP_STRTAB, copy, c->strtab_size);
	free(copy);
	map_frozen(r, CG_MAP_CONF, c, sizeof(*c));
	r->state = map_view(r, CG_MAP_STATE, sizeof(*r->state), 1);
	r->cpus = map_view(r, CG_MAP_CPUS, c->ncpus * sizeof(struct abi_cpu), 1);
	r->bufs = map_view(r, CG_MAP_BUFS, c->bufmap, 4);
	r->specst = map_view(r, CG_MAP_SPECST,
			     SPEC_PARTS + 2 * NSPEC * sizeof(struct abi_spec_part), 1);
	map_make(r, CG_MAP_SPECS, c->specsize, 2 * NSPEC, BPF_F_MMAPABLE);
	r->aggs = map_view(r, CG_MAP_AGGS, c->aggsize, 4);
	r->globals = map_view(r, CG_MAP_GLOBALS, c->globals_size, 1);
	map_make(r, CG_MAP_FRAMES, c->frame_size, 2 * ABI_FRAMES, BPF_F_MMAPABLE);
	if (w->accounting)
		r->acct = map_view(r, CG_MAP_ACCT, c->acct_epids * sizeof(struct abi_acct), 2);
	r->fd[CG_MAP_DVARS] = kern_map_create(BPF_MAP_TYPE_HASH, "dvars",
					      sizeof(struct abi_dvar_key), c->dvar_size, 64, 0);
	assert_true(r->fd[CG_MAP_DVARS] >= 0);
}

/* ---- loading ---- */

static void load(struct run *r, struct bpf_code *code)
{
	static char log[4 << 20];
	int btf = kern_btf_load(code->btf, code->btf_size, log, sizeof(log), 1);
	struct kern_prog_attr attr = { .type = BPF_PROG_TYPE_RAW_TRACEPOINT,
				       .name = "test",
				       .insns = code->insns,
				       .insn_cnt = code->n,
				       .btf_fd = btf,
				       .func_info = code->funcs,
				       .func_info_cnt = code->nfuncs };
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);

	if (btf < 0)
		fail_msg("BTF: %d\n%s", btf, log);
	r->prog_fd = kern_prog_load(&attr);
	if (r->prog_fd < 0) {
		attr.log = log;
		attr.log_size = sizeof(log);
		attr.log_level = 1;
		bpf_disasm(code, stdout);
		kern_prog_load(&attr);
		size_t n = strlen(log);
		fail_msg("load: %d\n%s", r->prog_fd, log + (n > 6000 ? n - 6000 : 0));
	}
	if (getenv("DTRACE_TEST_VERBOSE") && !bpf_obj_get_info_by_fd(r->prog_fd, &info, &len))
		printf("# %u instructions, %u of the program, %u verified\n", code->n, code->nmain,
		       info.verified_insns);
	close(btf);
}

static void rows_make(struct run *r, struct cg_group *g)
{
	static struct cg_row rows[NROWS];
	static const char *const funcs[] = { "func0", "func1", "func2", "func3" };

	for (int i = 0; i < NROWS; i++) {
		rows[i] = (struct cg_row){ .used = true,
					   .probe_id = 100 + (uint32_t)i,
					   .prov = "prov",
					   .mod = "mod",
					   .func = funcs[i],
					   .name = "entry",
					   .epid = r->row_epid[i] };
		for (size_t k = 0; k < r->nclauses; k++)
			r->row_epid[i][k] = i == 3 ? 0 : r->epid[k];
	}
	g->rows = rows;
	if (g->nrows == 1)
		return;
	uint32_t stride = cg_row_stride(g);
	char *data = mem_alloc(stride * NROWS);
	cg_rows_fill(&r->env, g, data);
	map_frozen(r, CG_MAP_ROWS, data, stride * NROWS);
	free(data);
}

static void emit(struct run *r, struct want *w)
{
	struct cg_group g = { .name = "test",
			      .ops = &ops,
			      .data = &w->rows,
			      .nclauses = r->nclauses,
			      .clauses = r->clauses,
			      .nrows = w->rows ? NROWS : 1,
			      .activity = w->activity ? w->activity : ABI_ACTIVE,
			      .nerror = r->nerrors,
			      .error_clauses = r->errors,
			      .error_epid = r->error_epid,
			      .error_probe_id = 3 };
	struct arena *a = arena_create();
	struct bpf_code code;
	struct diag d = { 0 };
	struct ir ir;

	rows_make(r, &g);
	ir_init(&ir, a);
	if (cg_group_emit(&r->env, &g, &ir, &d))
		fail_msg("emit: %s", d.text);
	if (getenv("DTRACE_TEST_VERBOSE"))
		ir_dump(&ir, stdout);
	if (bpf_assemble(&ir, "test", r->fd, &code))
		fail_msg("assemble: %s", ir.error_text ? ir.error_text : strerror(-ir.error));
	if (getenv("DTRACE_TEST_VERBOSE"))
		bpf_disasm(&code, stdout);
	load(r, &code);
	bpf_code_free(&code);
	ir_destroy(&ir);
	arena_destroy(a);
	r->state->activity = g.activity;
}

static void cpu_open(struct run *r)
{
	int cpu = sched_getcpu();

	assert_int_equal(kern_cpu_pin(cpu, &r->mask), 0);
	for (uint32_t i = 0; i < r->env.conf.ncpus; i++)
		r->cpus[i].slot = ABI_SLOT_NONE;
	r->cpus[cpu].slot = 0;
	r->cpus[cpu].word = r->env.policy == CG_RING ? r->env.conf.bufsize : 0;
	r->other = r->cpus[cpu];
	r->other.slot = 1;
}

static struct abi_cpu *this_cpu(struct run *r)
{
	return &r->cpus[sched_getcpu()];
}

/* From now on this CPU is the other one. */
static void cpu_swap(struct run *r)
{
	struct abi_cpu *c = this_cpu(r), now = *c;

	*c = r->other;
	r->other = now;
}

/* Its principal buffer, half 0. */
static char *own_buf(struct run *r)
{
	return r->bufs + (size_t)this_cpu(r)->slot * 2 * r->env.conf.bufmap;
}

static struct run *run_start(struct want w, const char *text)
{
	struct run *r = mem_alloc(sizeof(*r));

	for (int i = 0; i < CG_MAP_MAX; i++)
		r->fd[i] = -1;
	r->prog_fd = -1;
	r->ses = lang_session_create();
	r->ses->hooks.probe_matches = probe_matches;
	if (w.strsize) {
		r->ses->opt.strsize = w.strsize;
		types_set_strsize(r->ses->types, w.strsize);
	}
	r->env = (struct cg_env){ .ses = r->ses,
				  .ecbs = &r->ecbs,
				  .strtab = strtab_create(),
				  .policy = w.policy,
				  .temporal = w.temporal,
				  .accounting = w.accounting,
				  .scratch = 4 * 1024 };
	if (!prepare(r, text)) {
		if (!w.may_fail)
			fail_msg("%s: %s", text, r->refused);
		return r;
	}
	maps_make(r, &w);
	emit(r, &w);
	cpu_open(r);
	return r;
}

static uint64_t all_left(struct run *r)
{
	const struct abi_cpu *c = this_cpu(r);

	return c->left[0] + c->left[1] + c->alone[0] + c->alone[1];
}

static void run_end(struct run *r)
{
	const struct abi_conf *c = &r->env.conf;

	if (r->prog_fd >= 0) {
		assert_int_equal(this_cpu(r)->frames, 0);
		assert_int_equal(ABI_WORD_ENTERED(this_cpu(r)->word), all_left(r));
		assert_int_equal(ABI_WORD_ENTERED(this_cpu(r)->agg_word),
				 this_cpu(r)->agg_left[0] + this_cpu(r)->agg_left[1]);
		kern_cpu_unpin(&r->mask);
		munmap(r->state, sizeof(*r->state));
		munmap(r->cpus, c->ncpus * sizeof(struct abi_cpu));
		munmap(r->bufs, ROUND_UP(c->bufmap, 8) * 4);
		munmap(r->specst, SPEC_PARTS + 2 * NSPEC * sizeof(struct abi_spec_part));
		munmap(r->aggs, ROUND_UP(c->aggsize, 8) * 4);
		munmap(r->globals, c->globals_size);
		if (r->acct)
			munmap(r->acct, 2 * c->acct_epids * sizeof(struct abi_acct));
		close(r->prog_fd);
	}
	for (int i = 0; i < CG_MAP_MAX; i++)
		kern_close(&r->fd[i]);
	for (size_t i = 0; i < r->nclauses; i++)
		cg_clause_destroy(r->clauses[i]);
	for (size_t i = 0; i < r->nerrors; i++)
		cg_clause_destroy(r->errors[i]);
	lang_prog_destroy(r->prog);
	lang_session_destroy(r->ses);
	strtab_destroy(r->env.strtab);
	vec_free(&r->ecbs.v);
	vec_free(&r->ecbs.shapes);
	vec_free(&r->ecbs.aggs);
	str_free(&r->out);
	free(r->refused);
	free(r);
}

static void fire_row(struct run *r, int64_t a, int64_t b, int64_t c, uint64_t row)
{
	int64_t ctx[12] = { a, b, c, 3, 4, 5, 6, 7, 8, (int64_t)row };

	assert_int_equal(kern_prog_test_run(r->prog_fd, ctx, sizeof(ctx), -1, NULL), 0);
}

static void fire(struct run *r, int64_t a, int64_t b, int64_t c)
{
	fire_row(r, a, b, c, 0);
}

/* ---- reading records ---- */

static int64_t int_get(const char *p, uint32_t size, bool is_signed)
{
	int shift = 64 - 8 * (int)size;
	uint64_t v = 0;

	memcpy(&v, p, size);
	return is_signed ? (int64_t)(v << shift) >> shift : (int64_t)v;
}

static void field_dump(struct run *r, const struct field *f, const char *rec, const char **bytes)
{
	uint32_t len;

	switch (f->kind) {
	case FIELD_INT:
		str_printf(&r->out, f->is_signed ? " %lld" : " %llu",
			   (long long)int_get(rec + f->offset, f->size, f->is_signed));
		break;
	case FIELD_STRING:
		len = *(uint32_t *)(rec + f->offset);
		if (len == UINT32_MAX) {
			str_puts(&r->out, " NULL");
			break;
		}
		str_printf(&r->out, " \"%.*s\"", (int)len, *bytes);
		*bytes += len;
		break;
	case FIELD_CONST_INT: str_printf(&r->out, " =%lld", (long long)f->value); break;
	case FIELD_CONST_STRING: str_printf(&r->out, " =\"%s\"", f->text); break;
	case FIELD_PROBE_STRING: str_printf(&r->out, " probe%lld", (long long)f->value); break;
	case FIELD_AGG: str_printf(&r->out, " @%lld", (long long)f->value); break;
	default: str_puts(&r->out, " ?");
	}
}

static void record_dump(struct run *r, const char *p)
{
	const struct abi_rec *rec = (const struct abi_rec *)p;
	const struct ecb *e = ecb_get(&r->ecbs, rec->epid);
	const struct layout *l;
	const char *bytes;

	if (rec->epid == ABI_EPID_FAULT) {
		const struct abi_fault_data *f = (const void *)(p + (r->env.temporal ? 16 : 8));

		str_printf(&r->out, "fault %u %u %d %u %llu;", f->epid, f->action, f->offset,
			   f->fault, (unsigned long long)f->value);
		return;
	}
	if (!rec->epid)
		return;
	assert_non_null(e);
	l = e->layout;
	bytes = p + l->fixed;
	str_printf(&r->out, "%u:", rec->epid);
	for (size_t i = 0; i < l->nactions; i++) {
		const struct action *a = &l->actions[i];

		if (a->presence >= 0 &&
		    !(((const uint64_t *)(p + l->header))[a->presence / 64] >> a->presence % 64 &
		      1))
			continue;
		for (size_t k = 0; k < a->nfields; k++)
			field_dump(r, &a->fields[k], p, &bytes);
	}
	assert_true(rec->size == ROUND_UP(bytes - p, 8) || rec->size == l->max);
	str_puts(&r->out, ";");
}

/* All records of half 0 as text: "epid: field field;". */
static const char *records(struct run *r)
{
	const struct abi_conf *c = &r->env.conf;
	uint32_t start = 0, end = this_cpu(r)->word & ABI_WORD_OFFSET;

	str_free(&r->out);
	if (end >= ABI_OFF_FULL)
		end = c->bufsize;
	for (uint32_t pos = start; pos < end;) {
		const struct abi_rec *rec = (const struct abi_rec *)(own_buf(r) + pos);

		if (!rec->size)
			break;
		assert_int_equal(rec->size % 8, 0);
		record_dump(r, own_buf(r) + pos);
		pos += rec->size;
	}
	return str_c(&r->out);
}

/* A ring, from the newest to the oldest. */
static const char *ring_records(struct run *r)
{
	uint32_t size = r->env.conf.bufsize, pos = this_cpu(r)->word & ABI_WORD_OFFSET;

	str_free(&r->out);
	for (uint32_t span = 0; span < size;) {
		const struct abi_rec *rec = (const struct abi_rec *)(own_buf(r) + pos % size);

		if (!rec->size || rec->size > size - span)
			break;
		record_dump(r, own_buf(r) + pos % size);
		span += rec->size;
		pos = pos % size + rec->size;
	}
	return str_c(&r->out);
}

/* Text of one firing with these arguments. */
static void check3(struct want w, const char *text, int64_t a, int64_t b, int64_t c,
		   const char *expected)
{
	struct run *r = run_start(w, text);

	fire(r, a, b, c);
	const char *got = records(r);
	if (strcmp(got, expected))
		fail_msg("%s:\n got \"%s\"\nnot \"%s\"", text, got, expected);
	run_end(r);
}

#define CHECK(text, expected) check3((struct want){ 0 }, text, 7, -3, 2, expected)

/* ---- aggregations ---- */

static void agg_dump(struct run *r, const struct aggshape *s, const uint64_t *key,
		     const uint64_t *value)
{
	const char *bytes = key ? (const char *)(key + s->nparts) : NULL;

	str_printf(&r->out, "@%u[", s->agg);
	for (size_t i = 0; i < s->nparts; i++) {
		str_puts(&r->out, i ? "," : "");
		if (s->parts[i].kind == FIELD_STRING) {
			str_printf(&r->out, "%.*s", (int)key[i], bytes);
			bytes += ROUND_UP(key[i], 8);
		} else if (s->parts[i].kind == FIELD_INT) {
			str_printf(&r->out, "%lld", (long long)key[i]);
		} else {
			str_printf(&r->out, "=%s", strtab_get(r->env.strtab, (uint32_t)key[i]));
		}
	}
	str_puts(&r->out, "]");
	for (uint32_t i = 0; i < s->value_words; i++)
		if (s->value_words <= 4)
			str_printf(&r->out, " %lld", (long long)value[i]);
		else if (value[i])
			str_printf(&r->out, " %u:%lld", i, (long long)value[i]);
	str_puts(&r->out, ";");
}

static const char *aggs(struct run *r)
{
	const struct abi_conf *c = &r->env.conf;
	const struct abi_agghalf *h = (const struct abi_agghalf *)r->aggs;

	str_free(&r->out);
	for (size_t i = 0; i < r->ecbs.shapes.n; i++) {
		const struct aggshape *s = &r->ecbs.shapes.v[i];
		const uint64_t *v = (const uint64_t *)(r->aggs + s->fixed_offset);

		if (!s->nparts && v[s->direct])
			agg_dump(r, s, NULL, v + 1);
	}
	for (uint32_t pos = c->agg_start; pos < c->agg_start + h->used;) {
		const struct abi_aggent *e = (const struct abi_aggent *)(r->aggs + pos);
		const struct aggshape *s = &r->ecbs.shapes.v[e->shape];

		agg_dump(r, s, e->key, e->key + e->nwords);
		pos += sizeof(*e) + 8 * (e->nwords + s->value_words);
	}
	return str_c(&r->out);
}

#define CHECK_AGGS(text, expected)                                    \
	do {                                                          \
		struct run *r_ = run_start((struct want){ 0 }, text); \
		fire(r_, 7, -3, 2);                                   \
		fire(r_, 8, -3, 2);                                   \
		fire(r_, 7, -3, 2);                                   \
		assert_string_equal(aggs(r_), expected);              \
		run_end(r_);                                          \
	} while (0)

/* ---- the tests ---- */

static void test_records(void **state)
{
	(void)state;
	NEED_ROOT();
	CHECK("t { }", "1:;");
	CHECK("t { trace(arg0); }", "1: 7;");
	CHECK("t { trace(arg0); trace(arg1); } t { trace(arg2); }", "1: 7 -3;2: 2;");
	CHECK("t { trace(5); trace(\"five\"); trace(probefunc); }", "1: =5 =\"five\" probe2;");
	CHECK("t { x = 1; }", "");
	CHECK("t /arg0 == 7/ { trace(arg0); } t /arg0 != 7/ { trace(1); }", "1: 7;");
	CHECK("t { trace((char)arg1); trace((unsigned char)arg1); trace((short)arg1); trace((int)arg1); "
	      "trace((unsigned int)arg1); trace(arg0); }",
	      "1: -3 253 -3 -3 4294967293 7;");
	CHECK("t { printf(\"%d %s %d\", arg0, \"x\", arg1); }", "1: 7 =\"x\" -3;");
	CHECK("t { printf(\"no data\"); }", "1:;");
	CHECK("t { trace(epid); trace(id); trace(errno); }", "1: 1 100 17;");
}

static void test_arithmetic(void **state)
{
	(void)state;
	NEED_ROOT();
	CHECK("t { trace(arg0 + arg1); trace(arg0 - arg1); trace(arg0 * arg1); }", "1: 4 10 -21;");
	CHECK("t { trace(arg0 / arg1); trace(arg0 % arg1); trace(arg1 / arg2); trace(arg1 % arg2); }",
	      "1: -2 1 -1 -1;");
	CHECK("t { x = 5; y = -5; z = -7; trace(x / y); trace(z / 2); trace(z % 3); trace(x % y); }",
	      "1: -1 -3 -1 0;");
	CHECK("t { trace((uint64_t)arg1 / 2); trace((uint64_t)arg1 % 10); }",
	      "1: 9223372036854775806 3;");
	CHECK("t { trace(arg0 & 3); trace(arg0 | 8); trace(arg0 ^ arg1); trace(~arg0); trace(-arg0); }",
	      "1: 3 15 -6 -8 -7;");
	CHECK("t { trace(arg0 << 2); trace(arg1 >> 1); trace((uint64_t)arg1 >> 63); trace(arg0 << (arg2 + 64)); }",
	      "1: 28 -2 1 28;");
	CHECK("t { i = (int)25920; trace((5 * i) * i / i * i); }", "1: -935735296;");
	CHECK("t { x = (int)1073741824; x = x + x; trace(x); y = (int64_t)0; y = x; trace(y); }",
	      "1: -2147483648 -2147483648;");
	CHECK("t { c = (signed char)-2; u = (unsigned char)253; trace(c + u); }", "1: 251;");
	CHECK("t { x = (int)-1; u = (unsigned int)1; trace(x < u); trace(x > u); trace(x < 1); }",
	      "1: 0 1 1;");
	CHECK("t { trace(!arg0); trace(!!arg0); trace(arg0 && arg1); trace(arg0 && 0); trace(0 || arg0); "
	      "trace(arg0 ^^ arg1); }",
	      "1: 0 1 1 0 1 0;");
	CHECK("t { trace(arg0 > 3 ? arg1 : arg2); trace(arg0 < 3 ? arg1 : arg2); }", "1: -3 2;");
	CHECK("t { trace(arg0 == 7); trace(arg0 != 7); trace(arg0 <= 7); trace(arg0 < 7); trace(arg0 >= 8); }",
	      "1: 1 0 1 0 0;");
	CHECK("t { i = 4; i += i++ + --i; trace(i); j = 0; j = j++ + ++j; trace(j); }", "1: 12 2;");
	CHECK("t { x = 0xffffffffffff0000; trace(x == 0xffffffffffff0000); trace(arg0 + 0x123456789abc); }",
	      "1: 1 20015998343875;");
	CHECK("t { trace((arg0, arg1)); }", "1: -3;");
}

static void test_variables(void **state)
{
	struct run *r;

	(void)state;
	NEED_ROOT();
	CHECK("t { x = arg0; x++; ++x; x -= 2; x *= 3; x <<= 1; x |= 1; trace(x); }", "1: 43;");
	CHECK("t { this->a = arg0; this->b = this->a + 1; } t { trace(this->b); }", "2: 8;");
	CHECK("t { self->a = arg0; trace(self->a); self->a += 3; trace(self->a); self->a = 0; trace(self->a); }",
	      "1: 7 10 0;");
	CHECK("t { a[arg0, arg1] = 5; a[arg0, arg2] = 6; trace(a[arg0, arg1]); trace(a[arg0, arg2]); "
	      "trace(a[arg1, arg1]); a[arg0, arg1]++; trace(a[arg0, arg1]); }",
	      "1: 5 6 0 6;");
	CHECK("t { a[\"one\", arg0] = 5; a[probefunc, 7] = 6; trace(a[\"one\", 7]); trace(a[\"func0\", arg0]); }",
	      "1: 5 6;");
	CHECK("t { self->t[arg0] = 9; trace(self->t[7]); }", "1: 9;");
	CHECK("int a[4]; t { a[1] = 5; a[arg2] = 6; trace(a[1] + a[2]); }", "1: 11;");
	CHECK("int a[4]; t { a[arg0] = 1; trace(a[1]); }", "fault 1 1 -1 11 7;");

	r = run_start((struct want){ 0 }, "t { n++; trace(n); this->x++; trace(this->x); }");
	fire(r, 0, 0, 0);
	fire(r, 0, 0, 0);
	assert_string_equal(records(r), "1: 1 1;1: 2 1;");
	run_end(r);
}

static void test_strings(void **state)
{
	static const enum cg_policy policies[] = { CG_SWITCH, CG_FILL, CG_RING };
	static const uint32_t sizes[] = { 8, 256, 4096 };
	char comm[16];

	(void)state;
	NEED_ROOT();
	prctl(PR_GET_NAME, comm);
	prctl(PR_SET_NAME, "abcdefg");
	for (size_t p = 0; p < ARRAY_SIZE(policies); p++) {
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			struct run *r = run_start(
				(struct want){ .policy = policies[p], .strsize = sizes[i] },
				"t /execname == \"abcdefg\"/ { trace(execname); trace(arg0); "
				"trace(strjoin(\"a\", \"b\")); }"
				"t /execname != \"abcdefg\" || execname == \"abc\"/ { trace(1); }");
			fire(r, 7, 0, 0);
			const char *got = policies[p] == CG_RING ? ring_records(r) : records(r);
			assert_string_equal(got, "1: \"abcdefg\" 7 \"ab\";");
			run_end(r);
		}
	}
	CHECK("t { s = \"hello\"; trace(s); trace(s == \"hello\"); trace(s != \"hello\"); trace(s < \"help\"); "
	      "trace(s > \"hell\"); trace(strlen(s)); }",
	      "1: \"hello\" 1 0 1 1 5;");
	CHECK("t { this->s = \"x\"; trace(this->s); this->s = strjoin(this->s, \"y\"); trace(this->s); }",
	      "1: \"x\" \"xy\";");
	CHECK("t { self->s = \"x\"; trace(self->s); self->s = 0; trace(self->s == 0); }",
	      "1: \"x\" 1;");
	CHECK("t { a[1] = \"one\"; trace(a[1]); trace(a[1] == \"one\"); trace(a[2] == NULL); }",
	      "1: \"one\" 1 1;");
	CHECK("t { trace(arg0 == 7 ? \"seven\" : \"other\"); trace(arg0 == 8 ? \"eight\" : probefunc); }",
	      "1: \"seven\" \"func0\";");
	CHECK("t /probefunc == \"func0\" && probename != \"return\"/ { trace(1); }", "1: =1;");
	CHECK("t { trace(strlen(\"abc\")); trace(strlen(execname)); }", "1: 3 7;");
	CHECK("t { trace(execname[1]); trace(execname[arg0 - 1]); trace(execname[arg0]); trace(execname[arg1]); }",
	      "fault 1 4 -1 11 18446744073709551613;");
	CHECK("t { trace(execname[1]); trace(execname[arg0 - 1]); trace(execname[arg0]); }",
	      "1: 98 103 0;");
	check3((struct want){ .strsize = 4 },
	       "t { s = \"hello\"; trace(s); trace(strjoin(s, s)); }", 0, 0, 0,
	       "1: \"hel\" \"hel\";");
	prctl(PR_SET_NAME, comm);
}

static void test_user(void **state)
{
	static const char text[] = "user text", *bad = (const char *)8;
	char expected[128];

	(void)state;
	NEED_ROOT();
	check3((struct want){ 0 },
	       "t { trace(copyinstr(arg0)); trace(copyinstr(arg0, 5)); trace(copyinstr(arg0, arg2)); }",
	       (intptr_t)text, 0, 3, "1: \"user text\" \"user \" \"use\";");
	check3((struct want){ 0 }, "t { trace(copyinstr(arg0)); } t { trace(1); }", (intptr_t)bad,
	       0, 0, "fault 1 1 -1 1 8;2: =1;");
	check3((struct want){ 0 },
	       "t { trace(stringof(copyin(arg0, arg2))); trace(*(char *)copyin(arg0 + 1, 1)); }",
	       (intptr_t)text, 0, 10, "1: \"user text\" 115;");
	check3((struct want){ 0 }, "t { trace(*(int *)copyin(arg0, 100000)); }", (intptr_t)text, 0,
	       0, "fault 1 1 -1 5 0;");
	check3((struct want){ 0 },
	       "t { p = (char *)copyin(arg0, 10); trace(*(p + 2)); trace(p[arg2]); p++; trace(*p); p += 2; "
	       "trace(*p); trace(p - (char *)0 != 0); trace((int *)p - (int *)(p - 8)); trace(&p[arg2] - p); }",
	       (intptr_t)text, 0, 3, "1: 101 114 115 114 1 2 3;");
	check3((struct want){ 0 },
	       "t { trace(curthread->comm[0] == execname[0]); trace(curthread->comm[arg0]); }", 16,
	       0, 0, "fault 1 2 -1 11 16;");
	check3((struct want){ 0 }, "t { trace(*(int *)arg0); }", 0, 0, 0, "fault 1 1 -1 1 0;");
	check3((struct want){ 0 }, "t { trace(stringof(arg0)); }", 16, 0, 0, "fault 1 1 -1 1 16;");
	snprintf(expected, sizeof(expected), "1: %d %d %d %u %u;", getpid(), gettid(), getppid(),
		 getuid(), getgid());
	check3((struct want){ 0 },
	       "t { trace(pid); trace(tid); trace(ppid); trace(uid); trace(gid); }", 0, 0, 0,
	       expected);
	check3((struct want){ 0 },
	       "t { trace(curthread->tgid == pid); trace(stringof(curthread->comm) == execname); }",
	       0, 0, 0, "1: 1 1;");
}

static void test_if(void **state)
{
	static const char text[] =
		"t { if (arg0 > 5) { trace(arg0); s = \"big\"; } else { trace(arg1); trace(execname); } "
		"trace(arg2); if (arg0 == 1) trace(execname); else if (arg0 == 2) trace(s); trace(strjoin(s, \"!\")); }";
	static const enum cg_policy policies[] = { CG_SWITCH, CG_RING };

	(void)state;
	NEED_ROOT();
	prctl(PR_SET_NAME, "abc");
	for (size_t i = 0; i < ARRAY_SIZE(policies); i++) {
		struct run *r = run_start((struct want){ .policy = policies[i] }, text);

		fire(r, 7, -3, 2);
		fire(r, 2, -3, 2);
		if (policies[i] == CG_RING)
			assert_string_equal(ring_records(r),
					    "1: -3 \"abc\" 2 \"big\" \"big!\";1: 7 2 \"big!\";");
		else
			assert_string_equal(records(r),
					    "1: 7 2 \"big!\";1: -3 \"abc\" 2 \"big\" \"big!\";");
		run_end(r);
	}
}

static void test_times(void **state)
{
	struct timespec mono, real;
	struct run *r;

	(void)state;
	NEED_ROOT();
	r = run_start(
		(struct want){ .temporal = true },
		"t { trace(timestamp); trace(walltimestamp); } t { trace(timestamp); this->v = vtimestamp; "
		"trace(vtimestamp >= this->v); }");
	fire(r, 0, 0, 0);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_REALTIME, &real);
	const struct abi_rec_time *one = (void *)r->bufs, *two = (void *)(r->bufs + one->size);
	const int64_t *v = (const int64_t *)(one + 1), *u = (const int64_t *)(two + 1);
	assert_int_equal(one->time, v[0]);
	assert_int_equal(two->time, v[0]);
	assert_int_equal(u[0], v[0]);
	assert_int_equal(*(const int32_t *)(u + 1), 1);
	int64_t behind = mono.tv_sec * 1000000000ll + mono.tv_nsec - v[0];
	assert_in_range(behind, 0, 5000000000ll);
	behind = real.tv_sec * 1000000000ll + real.tv_nsec - v[1];
	assert_in_range(behind + 1000000, 0, 5000000000ll);
	run_end(r);
}

static int64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/*
 * Asked for the thread's time, the kernel books it. What a firing shows after that is no less, and more by what has
 * passed since, but no more than the kernel then tells. Time that the hypervisor takes spoils a round.
 */
static void test_virtual_time(void **state)
{
	enum { N = 100 };
	int64_t before[N], after[N];
	int more = 0, right = 0;
	struct run *r;

	(void)state;
	NEED_ROOT();
	r = run_start((struct want){ .temporal = false },
		      "t { this->v = vtimestamp; trace(this->v); trace(vtimestamp >= this->v); }");
	for (int i = 0; i < N; i++) {
		before[i] = now(CLOCK_THREAD_CPUTIME_ID);
		for (int64_t t = now(CLOCK_MONOTONIC); now(CLOCK_MONOTONIC) < t + 200000;)
			;
		fire(r, 0, 0, 0);
		after[i] = now(CLOCK_THREAD_CPUTIME_ID);
	}
	const struct abi_rec *rec = (const void *)r->bufs;
	for (int i = 0; i < N; i++, rec = (const void *)((const char *)rec + rec->size)) {
		int64_t v = *(const int64_t *)(rec + 1);

		assert_true(v >= before[i]);
		assert_int_equal(*(const int32_t *)((const int64_t *)(rec + 1) + 1), 1);
		more += v > before[i];
		right += v <= after[i];
	}
	assert_in_range(more, N / 2, N);
	assert_in_range(right, N / 2, N);
	run_end(r);
}

static void test_rows(void **state)
{
	struct run *r;

	(void)state;
	NEED_ROOT();
	r = run_start(
		(struct want){ .rows = true, .accounting = true },
		"t /probefunc != \"func1\"/ { trace(id); trace(strjoin(probefunc, \"x\")); @[probefunc] = count(); }");
	fire_row(r, 0, 0, 0, 0);
	fire_row(r, 0, 0, 0, 1);
	fire_row(r, 0, 0, 0, 2);
	fire_row(r, 0, 0, 0, 3);
	fire_row(r, 0, 0, 0, 4);
	assert_string_equal(records(r), "1: 100 \"func0x\";1: 102 \"func2x\";");
	assert_string_equal(aggs(r), "@1[=func0] 1;@1[=func2] 1;");
	const struct abi_acct *a = (const struct abi_acct *)r->acct + 1;
	assert_int_equal(a->n[ABI_ACCT_FIRED], 3);
	assert_int_equal(a->n[ABI_ACCT_FALSE], 1);
	run_end(r);
}

static void test_aggs(void **state)
{
	(void)state;
	NEED_ROOT();
	prctl(PR_SET_NAME, "comm-of-8-bytes");
	CHECK_AGGS("t { @ = count(); }", "@1[] 3;");
	CHECK_AGGS("t { @s = sum(arg0); @a = avg(arg1); }", "@1[] 22;@2[] 3 -9;");
	CHECK_AGGS("t { @lo = min(arg0); @hi = max(arg1); }",
		   "@1[] 3 9223372036854775800;@2[] 3 9223372036854775805;");
	CHECK_AGGS("t { @ = stddev(arg1); }", "@1[] 3 -9 27 0;");
	CHECK_AGGS("t { @ = quantize(arg1); } t { @ = quantize(arg0, 2); }",
		   "@1[] 61:3 66:4 67:2;");
	CHECK_AGGS("t { @ = lquantize(arg0, 0, 10, 4); @b = lquantize(arg1, -10, 100, 2, 5); }",
		   "@1[] 0 0 2 1;@2[] 4:15;");
	CHECK_AGGS("t { @ = llquantize(arg0, 10, 0, 6, 20); }", "@1[] 134:2 135:1;");
	CHECK_AGGS("t { @[arg0] = count(); }", "@1[7] 2;@1[8] 1;");
	CHECK_AGGS("t { @[execname] = sum(arg0); }", "@1[comm-of-8-bytes] 22;");
	CHECK_AGGS("t { @[execname, arg0, probefunc, \"lit\"] = count(); }",
		   "@1[comm-of-8-bytes,7,=func0,=lit] 2;@1[comm-of-8-bytes,8,=func0,=lit] 1;");
	CHECK_AGGS(
		"t { @[strjoin(\"a\", \"bcdefgh\"), strjoin(\"\", \"\"), arg0 == 7] = max(arg0); }",
		"@1[abcdefgh,,1] 2 -9223372036854775801;@1[abcdefgh,,0] 1 -9223372036854775800;");
	CHECK_AGGS("t { if (arg0 == 7) @a = count(); else @b = count(); }", "@1[] 2;@2[] 1;");
}

static void test_stddev_wide(void **state)
{
	struct run *r;

	(void)state;
	NEED_ROOT();
	r = run_start((struct want){ 0 }, "t { @ = stddev(arg0); }");
	fire(r, INT64_MIN, 0, 0);
	fire(r, -0x123456789abcdef0, 0, 0);
	__uint128_t sum =
		((__uint128_t)1 << 126) + (__uint128_t)0x123456789abcdef0 * 0x123456789abcdef0;
	const uint64_t *v = (const uint64_t *)(r->aggs + 64);
	assert_int_equal(v[3], (uint64_t)sum);
	assert_int_equal(v[4], (uint64_t)(sum >> 64));
	run_end(r);
}

static void test_faults(void **state)
{
	struct run *r;

	(void)state;
	NEED_ROOT();
	CHECK("int x; t { trace(arg0); trace(arg0 / x); trace(2); } t { trace(3); }",
	      "fault 1 2 -1 4 0;2: =3;");
	CHECK("int x; t /arg0 % x/ { trace(1); } t { trace(3); }", "fault 1 0 -1 4 0;2: =3;");
	CHECK("int x; t { trace(1 / x); } ERROR { trace(arg1); trace(arg2); trace(arg3); trace(arg4); trace(arg5); "
	      "trace(id); trace(probename); } t { trace(arg1); }",
	      "fault 1 1 -1 4 0;2: 1 1 -1 4 0 3 probe3;3: -3;");
	CHECK("t { this->v = 5; trace(*(int *)16); } ERROR { trace(this->v); trace(arg5); }",
	      "fault 1 2 -1 1 16;2: 5 16;");
	CHECK("int x; t { @ = count(); @b = sum(1 / x); }", "fault 1 2 -1 4 0;");
	r = run_start((struct want){ 0 },
		      "int x; t { trace(1 / x); } ERROR { trace(2 / x); } t { trace(3); }");
	fire(r, 0, 0, 0);
	assert_string_equal(records(r), "fault 1 1 -1 4 0;3: =3;");
	assert_int_equal(this_cpu(r)->drops[ABI_DROP_DBLERROR], 1);
	run_end(r);
	/* under ring with strings nothing is reserved before the fault */
	r = run_start((struct want){ .policy = CG_RING },
		      "int x; t { trace(execname); trace(1 / x); }");
	fire(r, 0, 0, 0);
	assert_string_equal(ring_records(r), "fault 1 2 -1 4 0;");
	run_end(r);
}

static void test_exit(void **state)
{
	struct run *r;

	(void)state;
	NEED_ROOT();
	r = run_start((struct want){ .accounting = true },
		      "t { trace(1); exit(3); trace(arg0); } t { trace(arg1); }");
	fire(r, 7, 0, 0);
	fire(r, 8, 0, 0);
	assert_string_equal(records(r), "1: =1 =3 7;");
	assert_int_equal(r->state->activity, ABI_DRAINING);
	assert_int_equal(r->state->exits, 1);
	const struct abi_acct *a = (const struct abi_acct *)r->acct;
	assert_int_equal(a[1].n[ABI_ACCT_FIRED], 2);
	assert_int_equal(a[1].n[ABI_ACCT_STOPPED], 1);
	assert_int_equal(a[2].n[ABI_ACCT_STOPPED], 2);
	run_end(r);
	r = run_start((struct want){ .activity = ABI_WARMUP }, "t { exit(arg0); }");
	fire(r, 7, 0, 0);
	assert_string_equal(records(r), "1: 7;");
	assert_int_equal(r->state->activity, ABI_DRAINING);
	run_end(r);
	r = run_start((struct want){ .activity = ABI_COOLDOWN }, "t { exit(1); }");
	fire(r, 0, 0, 0);
	assert_int_equal(r->state->activity, ABI_COOLDOWN);
	run_end(r);
}

static void test_full_switch(void **state)
{
	struct run *r;

	(void)state;
	NEED_ROOT();
	r = run_start((struct want){ .bufsize = 48 }, "t { trace(arg0); }");
	for (int i = 0; i < 5; i++)
		fire(r, i, 0, 0);
	assert_string_equal(records(r), "1: 0;1: 1;1: 2;");
	assert_int_equal(this_cpu(r)->drops[ABI_DROP_PRINCIPAL], 2);
	__atomic_store_n(&this_cpu(r)->word,
			 (this_cpu(r)->word & ~ABI_WORD_OFFSET) | ABI_OFF_CLOSED, __ATOMIC_SEQ_CST);
	fire(r, 9, 0, 0);
	assert_int_equal(this_cpu(r)->drops[ABI_DROP_PRINCIPAL], 2);
	run_end(r);
	/* larger than the buffer: always dropped */
	r = run_start((struct want){ .bufsize = 64 }, "t { trace(execname); }");
	fire(r, 0, 0, 0);
	assert_string_equal(records(r), "");
	assert_int_equal(this_cpu(r)->drops[ABI_DROP_PRINCIPAL], 1);
	run_end(r);
}

static void test_full_fill(void **state)
{
	struct run *r;

	(void)state;
	NEED_ROOT();
	r = run_start((struct want){ .policy = CG_FILL, .bufsize = 64, .reserve = 24 },
		      "t { trace(arg0); }");
	for (int i = 0; i < 5; i++)
		fire(r, i, 0, 0);
	assert_string_equal(records(r), "1: 0;1: 1;");
	assert_int_equal(this_cpu(r)->drops[ABI_DROP_PRINCIPAL], 0);
	assert_int_equal(this_cpu(r)->word & ABI_WORD_OFFSET, ABI_OFF_FULL);
	assert_int_equal(r->state->filled, 1);
	assert_int_equal(r->state->activity, ABI_ACTIVE);
	run_end(r);
	r = run_start(
		(struct want){
			.policy = CG_FILL, .bufsize = 64, .reserve = 24, .activity = ABI_COOLDOWN },
		"t { trace(arg0); }");
	for (int i = 0; i < 5; i++)
		fire(r, i, 0, 0);
	assert_string_equal(records(r), "1: 0;1: 1;1: 2;1: 3;");
	run_end(r);
}

static void test_ring(void **state)
{
	struct run *r;
	struct str want = { 0 };

	(void)state;
	NEED_ROOT();
	r = run_start((struct want){ .policy = CG_RING, .bufsize = 16360 }, "t { trace(arg0); }");
	for (int i = 0; i < 3000; i++)
		fire(r, i, 0, 0);
	for (int i = 2999; i > 2999 - 16360 / 16; i--)
		str_printf(&want, "1: %d;", i);
	assert_string_equal(ring_records(r), str_c(&want));
	str_free(&want);
	run_end(r);
	/* records of changing length, built in the frame; the reader sees whole ones only */
	r = run_start((struct want){ .policy = CG_RING, .bufsize = 200, .strsize = 64 },
		      "t { trace(arg0); trace(arg0 % 2 ? \"odd\" : \"an even number\"); }");
	for (int i = 0; i < 100; i++)
		fire(r, i, 0, 0);
	assert_string_equal(ring_records(r), "1: 99 \"odd\";1: 98 \"an even number\";1: 97 \"odd\";"
					     "1: 96 \"an even number\";1: 95 \"odd\";");
	run_end(r);
	r = run_start((struct want){ .policy = CG_RING, .bufsize = 8 }, "t { trace(arg0); }");
	fire(r, 1, 0, 0);
	assert_int_equal(this_cpu(r)->drops[ABI_DROP_PRINCIPAL], 1);
	run_end(r);
}

/*
 * Who is alone in a half leaves without an atomic addition; who finds another one inside does not, and the one
 * inside has the count of the lonely for itself until it has left. A half that the counts of another life are
 * in is no different.
 */
static void test_alone(void **state)
{
	struct run *r;
	struct abi_cpu *c;

	(void)state;
	NEED_ROOT();
	for (uint64_t life = 0; life < 3; life++) {
		r = run_start((struct want){ 0 }, "t { trace(arg0); }");
		c = this_cpu(r);
		c->word += life * (ABI_LEFT_MASK - 2) * ABI_WORD_ENTER;
		c->left[0] = life * (ABI_LEFT_MASK - 2);
		for (int i = 0; i < 5; i++)
			fire(r, i, 0, 0);
		assert_int_equal(c->left[0], life * (ABI_LEFT_MASK - 2));
		assert_int_equal(c->alone[0], 5);
		c->word += ABI_WORD_ENTER;
		for (int i = 0; i < 3; i++)
			fire(r, i, 0, 0);
		assert_int_equal(c->left[0], life * (ABI_LEFT_MASK - 2) + 3);
		assert_int_equal(c->alone[0], 5);
		c->alone[0]++;
		fire(r, 9, 0, 0);
		assert_int_equal(c->alone[0], 7);
		c->word -= life * (ABI_LEFT_MASK - 2) * ABI_WORD_ENTER;
		c->left[0] -= life * (ABI_LEFT_MASK - 2);
		run_end(r);
	}
}

/* A program that is interrupted when it has reserved its record: it has entered, and left nothing yet. */
static uint32_t ring_enter(struct run *r, uint32_t need)
{
	struct abi_cpu *c = this_cpu(r);
	uint32_t off = c->word & ABI_WORD_OFFSET;
	uint32_t pos = off >= need ? off - need : off + r->env.conf.bufsize - need;

	c->word = (c->word & ~ABI_WORD_OFFSET) + ABI_WORD_ENTER + pos;
	memset(r->bufs + pos, 0xaa, need);
	return pos;
}

static bool is_whole(const struct run *r, uint32_t pos, uint32_t need)
{
	for (uint32_t i = 0; i < need; i++)
		if (r->bufs[pos + i] != (char)0xaa)
			return false;
	return true;
}

/*
 * Those who interrupt a program in the middle of a record do not lap it, wherever in the ring it stands;
 * they may use all of the ring but for an eighth, are counted where they find no room, and go on when it
 * has left.
 */
static void test_ring_nested(void **state)
{
	static const uint32_t sizes[] = { 48, 200, 4096, 16360 };
	struct run *r;

	(void)state;
	NEED_ROOT();
	for (size_t k = 0; k < ARRAY_SIZE(sizes); k++) {
		uint32_t size = sizes[k], room = size / 16, seg;

		r = run_start((struct want){ .policy = CG_RING, .bufsize = size, .accounting = true },
			      "t { trace(arg0); }");
		seg = r->env.conf.ring_segment;
		this_cpu(r)->mark[0] = size;
		for (uint32_t before = 0; before < 2 * room; before += room / 4 + 1) {
			uint64_t lost = this_cpu(r)->drops[ABI_DROP_BUSY], word;
			uint32_t pos, n;

			for (uint32_t i = 0; i < before; i++)
				fire(r, 1000 + i, 0, 0);
			assert_int_equal(this_cpu(r)->drops[ABI_DROP_BUSY], lost);
			pos = ring_enter(r, 16);
			word = this_cpu(r)->word;
			for (uint32_t i = 0; i < 3 * room; i++)
				fire(r, i, 0, 0);
			assert_true(is_whole(r, pos, 16));
			n = ABI_WORD_ENTERED(this_cpu(r)->word) - ABI_WORD_ENTERED(word);
			assert_in_range(n, (size - 2 * seg) / 16 - 1, room - 1);
			assert_int_equal(this_cpu(r)->drops[ABI_DROP_BUSY], lost + 3 * room - n);
			__atomic_fetch_add(&this_cpu(r)->left[0], 1, __ATOMIC_SEQ_CST);
			fire(r, 77, 0, 0);
			assert_memory_equal(ring_records(r), "1: 77;", 6);
			assert_int_equal(this_cpu(r)->drops[ABI_DROP_BUSY], lost + 3 * room - n);
		}
		assert_int_equal(((struct abi_acct *)r->acct)[1].n[ABI_ACCT_BUSY],
				 this_cpu(r)->drops[ABI_DROP_BUSY]);
		run_end(r);
	}
	/* What can be larger than the ring is never recorded. */
	r = run_start((struct want){ .policy = CG_RING, .bufsize = 64, .strsize = 64 },
		      "t { trace(execname); exit(3); }");
	fire(r, 1, 0, 0);
	assert_string_equal(ring_records(r), "");
	assert_int_equal(this_cpu(r)->drops[ABI_DROP_PRINCIPAL], 1);
	assert_int_equal(r->state->activity, ABI_ACTIVE);
	run_end(r);
}

/* With no frame free the firing is lost and counted. */
static void test_frames(void **state)
{
	struct run *r;

	(void)state;
	NEED_ROOT();
	r = run_start((struct want){ .accounting = true }, "t { trace(execname); }");
	this_cpu(r)->frames = 0xff;
	fire(r, 0, 0, 0);
	assert_int_equal(this_cpu(r)->drops[ABI_DROP_FRAME], 1);
	assert_int_equal(((struct abi_acct *)r->acct)[1].n[ABI_ACCT_NOFRAME], 1);
	this_cpu(r)->frames = 0x7f;
	fire(r, 0, 0, 0);
	assert_int_equal(this_cpu(r)->frames, 0x7f);
	assert_int_equal(this_cpu(r)->drops[ABI_DROP_FRAME], 1);
	this_cpu(r)->frames = 0;
	run_end(r);
}

static void test_closed_aggs(void **state)
{
	struct run *r;

	(void)state;
	NEED_ROOT();
	r = run_start((struct want){ 0 }, "t { @ = sum(1); trace(1); }");
	this_cpu(r)->agg_word = ABI_OFF_CLOSED;
	fire(r, 0, 0, 0);
	assert_string_equal(aggs(r), "");
	assert_string_equal(records(r), "");
	this_cpu(r)->agg_word &= ~ABI_WORD_OFFSET;
	run_end(r);
}

/* Programs of size: real buffers, large strings, many clauses. */
static void test_large(void **state)
{
	struct str text = { 0 };
	struct run *r;

	(void)state;
	NEED_ROOT();
	r = run_start(
		(struct want){ .strsize = 4096, .accounting = true, .temporal = true },
		"t { a[execname, probefunc] = strjoin(execname, copyinstr(arg0)); @[execname, a[execname, probefunc]] = "
		"quantize(arg1); printf(\"%s %s %d %s\", a[execname, \"func0\"], execname, arg2, probefunc); }"
		"ERROR { printf(\"%s %d\", execname, arg4); }");
	fire(r, (intptr_t) "x", 1, 2);
	run_end(r);
	for (int i = 0; i < 60; i++)
		str_printf(
			&text,
			"t /arg0 == %d || execname == \"p%d\"/ { trace(arg1 / %d); @[execname, %d] = count(); }\n",
			i, i, i + 1, i);
	r = run_start((struct want){ 0 }, str_c(&text));
	fire(r, 5, 12, 0);
	assert_string_equal(records(r), "6: 2;");
	run_end(r);
	str_free(&text);
}

/* Every way of generating code for clauses of every shape is accepted by the verifier. */
static void test_every_way(void **state)
{
	static const char *const texts[] = {
		"t { }",
		"t /0/ { trace(1); }",
		"t /1/ { trace(arg0); }",
		"t { exit(0); }",
		"t /arg0 && execname != \"abc\"/ { @[execname] = max(arg1); }",
		"int x; t /arg0 / x/ { trace(execname); trace(timestamp); } ERROR { trace(timestamp); @ = count(); }",
		"int x; t { @a[pid] = quantize(arg0); trace(arg1 % x); if (arg0) { trace(execname); @ = sum(1); } else exit(1); }"
		"ERROR /arg4 == 4/ { self->x = arg4; trace(strjoin(execname, \"z\")); }"
		"t { this->s = copyinstr(arg0); self->x++; a[this->s, arg0] = execname; trace(a[\"q\", 1]); }",
	};

	(void)state;
	NEED_ROOT();
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		for (int way = 0; way < 3 * 8; way++) {
			struct run *r = run_start((struct want){ .policy = way / 8,
								 .accounting = way & 1,
								 .temporal = way >> 1 & 1,
								 .rows = way >> 2 & 1 },
						  texts[i]);

			fire(r, 1, 2, 3);
			fire(r, 0, 2, 3);
			if (r->env.policy == CG_RING)
				ring_records(r);
			else
				records(r);
			run_end(r);
		}
	}
}

static void test_refused(void **state)
{
	struct run *r;

	(void)state;
	NEED_ROOT();
	r = run_start((struct want){ .may_fail = true },
		      "struct a { char c[200000000]; }; "
		      "t { trace(*(struct a *)0); trace(*(struct a *)0); }");
	assert_non_null(r->refused);
	run_end(r);
}

/* ---- speculation ---- */

#define SPEC_TEXT                                   \
	"t /arg0 == 0/ { trace(speculation()); }"   \
	"t /arg0 == 1/ { speculate(arg1); trace(arg2); }" \
	"t /arg0 == 2/ { commit(arg1); }"           \
	"t /arg0 == 3/ { discard(arg1); }"
enum { SPECULATION, SPECULATE, COMMIT, DISCARD };

static uint64_t spec_state(struct run *r, uint32_t id)
{
	return r->specst[id - 1];
}

static uint64_t *spec_part(struct run *r, uint32_t slot, uint32_t id)
{
	struct abi_spec_part *p = (void *)((char *)r->specst + SPEC_PARTS);

	return &p[slot * NSPEC + id - 1].word;
}

/* The program of the cleaner moves a part of the CPU that is played. What it gives. */
static uint32_t clean(struct run *r, uint32_t id, uint32_t len)
{
	uint64_t ctx[2] = { id - 1, len };
	struct arena *a = arena_create();
	uint32_t ret = 99;
	struct bpf_code code;
	struct diag d = { 0 };
	struct ir ir;
	int fd = r->prog_fd;

	ir_init(&ir, a);
	assert_int_equal(cg_cleaner_emit(&r->env, &ir, &d), 0);
	assert_int_equal(bpf_assemble(&ir, "cleaner", r->fd, &code), 0);
	load(r, &code);
	assert_int_equal(kern_prog_test_run(r->prog_fd, ctx, sizeof(ctx), -1, &ret), 0);
	close(r->prog_fd);
	r->prog_fd = fd;
	bpf_code_free(&code);
	ir_destroy(&ir);
	arena_destroy(a);
	return ret;
}

#define ONE(slot) (ABI_SPEC_ACTIVEONE | (uint64_t)(slot) << 32)
#define STATE(id, s) assert_int_equal(spec_state(r, id), s)
#define STATE_KIND(id, s) assert_int_equal(ABI_SPEC_STATE(spec_state(r, id)), s)
#define USED(slot, id, n) assert_int_equal(*spec_part(r, slot, id), n)

/* Every transition. */
static void test_spec_states(void **state)
{
	struct run *r;

	(void)state;
	NEED_ROOT();
	r = run_start((struct want){ 0 }, SPEC_TEXT);
	fire(r, SPECULATION, 0, 0);
	STATE(1, ABI_SPEC_ACTIVE);
	fire(r, SPECULATION, 0, 0);
	STATE(2, ABI_SPEC_ACTIVE);
	fire(r, SPECULATION, 0, 0);
	assert_string_equal(records(r), "1: 1;1: 2;1: 0;");
	assert_int_equal(this_cpu(r)->drops[ABI_DROP_SPECUNAVAIL], 1);
	/* ACTIVE, committed without data */
	fire(r, COMMIT, 2, 0);
	STATE_KIND(2, ABI_SPEC_INACTIVE);
	fire(r, COMMIT, 2, 0);
	STATE_KIND(2, ABI_SPEC_INACTIVE);
	fire(r, SPECULATE, 2, 5);
	STATE_KIND(2, ABI_SPEC_INACTIVE);
	USED(0, 2, 0);
	fire(r, SPECULATION, 0, 0);
	STATE(2, ABI_SPEC_ACTIVE);
	/* one CPU: at once */
	fire(r, SPECULATE, 1, 10);
	STATE(1, ONE(0));
	fire(r, SPECULATE, 1, 11);
	STATE(1, ONE(0));
	USED(0, 1, 32);
	fire(r, COMMIT, 1, 0);
	STATE_KIND(1, ABI_SPEC_INACTIVE);
	USED(0, 1, 0);
	assert_string_equal(records(r), "1: 1;1: 2;1: 0;1: 2;2: 10;2: 11;");
	fire(r, SPECULATION, 0, 0);
	fire(r, SPECULATE, 1, 12);
	fire(r, DISCARD, 1, 0);
	STATE_KIND(1, ABI_SPEC_INACTIVE);
	USED(0, 1, 0);
	/* two CPUs, committed */
	fire(r, SPECULATION, 0, 0);
	fire(r, SPECULATE, 1, 20);
	cpu_swap(r);
	fire(r, SPECULATE, 1, 21);
	STATE(1, ABI_SPEC_ACTIVEMANY);
	cpu_swap(r);
	fire(r, SPECULATE, 1, 22);
	STATE(1, ABI_SPEC_ACTIVEMANY);
	fire(r, COMMIT, 1, 0);
	STATE_KIND(1, ABI_SPEC_COMMITTINGMANY);
	USED(0, 1, 0);
	USED(1, 1, 16);
	assert_string_equal(records(r),
			    "1: 1;1: 2;1: 0;1: 2;2: 10;2: 11;1: 1;1: 1;2: 20;2: 22;");
	/* nothing has an effect until the cleaner has come, and it counts as busy */
	cpu_swap(r);
	fire(r, SPECULATE, 1, 23);
	fire(r, COMMIT, 1, 0);
	fire(r, DISCARD, 1, 0);
	STATE_KIND(1, ABI_SPEC_COMMITTINGMANY);
	USED(1, 1, 16);
	assert_string_equal(records(r), "");
	fire(r, SPECULATION, 0, 0);
	assert_int_equal(this_cpu(r)->drops[ABI_DROP_SPECBUSY], 1);
	assert_int_equal(this_cpu(r)->drops[ABI_DROP_SPECUNAVAIL], 0);
	assert_int_equal(clean(r, 1, 16), 0);
	assert_string_equal(records(r), "1: 0;2: 21;");
	*spec_part(r, 1, 1) = 0;
	r->specst[0] = ABI_SPEC_INACTIVE;
	run_end(r);
}

static void test_spec_elsewhere(void **state)
{
	struct run *r;

	(void)state;
	NEED_ROOT();
	r = run_start((struct want){ 0 }, SPEC_TEXT);
	/* data of another CPU only: committed, discarded */
	fire(r, SPECULATION, 0, 0);
	fire(r, SPECULATION, 0, 0);
	fire(r, SPECULATE, 1, 1);
	fire(r, SPECULATE, 2, 2);
	cpu_swap(r);
	fire(r, COMMIT, 1, 0);
	STATE_KIND(1, ABI_SPEC_COMMITTINGMANY);
	USED(0, 1, 16);
	fire(r, DISCARD, 2, 0);
	STATE(2, ABI_SPEC_DISCARDING);
	USED(0, 2, 16);
	fire(r, SPECULATE, 2, 3);
	fire(r, COMMIT, 2, 0);
	STATE(2, ABI_SPEC_DISCARDING);
	fire(r, SPECULATION, 0, 0);
	assert_int_equal(this_cpu(r)->drops[ABI_DROP_SPECBUSY], 1);
	/* ACTIVE and ACTIVEMANY, discarded */
	r->specst[0] = r->specst[1] = ABI_SPEC_ACTIVE;
	fire(r, DISCARD, 1, 0);
	STATE(1, ABI_SPEC_DISCARDING);
	r->specst[0] = ABI_SPEC_ACTIVEMANY;
	fire(r, DISCARD, 1, 0);
	STATE(1, ABI_SPEC_DISCARDING);
	assert_string_equal(records(r), "1: 0;");
	run_end(r);
}

/* A program was interrupted in the middle of its record: the cleaner will do it. */
static void test_spec_busy(void **state)
{
	struct run *r;

	(void)state;
	NEED_ROOT();
	r = run_start((struct want){ 0 }, SPEC_TEXT);
	fire(r, SPECULATION, 0, 0);
	fire(r, SPECULATION, 0, 0);
	fire(r, SPECULATE, 1, 1);
	fire(r, SPECULATE, 2, 2);
	*spec_part(r, 0, 1) += ABI_SPEC_ENTER;
	*spec_part(r, 0, 2) += ABI_SPEC_ENTER;
	fire(r, COMMIT, 1, 0);
	STATE_KIND(1, ABI_SPEC_COMMITTINGMANY);
	fire(r, DISCARD, 2, 0);
	STATE_KIND(2, ABI_SPEC_DISCARDING);
	USED(0, 1, 16 + ABI_SPEC_ENTER);
	USED(0, 2, 16 + ABI_SPEC_ENTER);
	assert_string_equal(records(r), "1: 1;1: 2;");
	/* Tracing is just being stopped: nothing can be reserved, nothing is lost. */
	*spec_part(r, 0, 1) -= ABI_SPEC_ENTER;
	r->specst[0] = ONE(0);
	uint64_t word = this_cpu(r)->word;
	this_cpu(r)->word = ABI_OFF_CLOSED;
	fire(r, COMMIT, 1, 0);
	STATE_KIND(1, ABI_SPEC_COMMITTINGMANY);
	USED(0, 1, 16);
	assert_int_equal(clean(r, 1, 16), 1);
	assert_int_equal(this_cpu(r)->drops[ABI_DROP_PRINCIPAL], 0);
	this_cpu(r)->word = word;
	assert_int_equal(clean(r, 1, 16), 0);
	assert_string_equal(records(r), "1: 1;1: 2;2: 1;");
	run_end(r);
}

static void test_spec_ids(void **state)
{
	struct run *r;

	(void)state;
	NEED_ROOT();
	r = run_start((struct want){ 0 }, "t /arg0 == 1/ { speculate(arg1); n++; trace(arg2); }"
					  "t /arg0 == 2/ { commit(arg1); n++; }"
					  "t /arg0 == 3/ { discard(arg1); n++; }"
					  "t /arg0 == 4/ { trace(n); }");
	for (int op = 1; op <= 3; op++)
		for (int id = -1; id <= NSPEC + 1; id++)
			fire(r, op, id, 0);
	fire(r, 4, 0, 0);
	/* speculate(): silently the end of the clause. The others: 0 and unused ones do nothing. */
	assert_string_equal(records(r), "fault 2 1 -1 3 0;fault 2 1 -1 3 0;"
					"fault 3 1 -1 3 0;fault 3 1 -1 3 0;4: 6;");
	for (int i = 0; i < ABI_DROP_NCAUSES; i++)
		assert_int_equal(this_cpu(r)->drops[i], 0);
	run_end(r);
}

/* Sizes at which two records of 16 and 24 bytes fit, or do not; and a commit without room. */
static void test_spec_full(void **state)
{
	static const struct {
		uint32_t specsize, bufsize;
		int spec, principal;
		const char *records;
	} t[] = {
		{ 8, 256, 2, 0, "" },
		{ 16, 256, 1, 0, "2: 1;" },
		{ 32, 256, 1, 0, "2: 1;" },
		{ 40, 256, 0, 0, "2: 1;3: 1 2;" },
		{ 40, 40, 0, 0, "2: 1;3: 1 2;" },
		{ 40, 32, 0, 1, "" },
		{ 40, 8, 0, 1, "" },
	};

	(void)state;
	NEED_ROOT();
	for (int way = 0; way < 3; way++)
		for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
			struct run *r = run_start(
				(struct want){ .policy = way,
					       .specsize = t[i].specsize,
					       .bufsize = t[i].bufsize,
					       .accounting = true },
				"int s; t { s = speculation(); } t { speculate(s); trace(arg0); }"
				"t { speculate(s); trace(arg0); trace(arg1); } t { commit(s); }");
			const struct abi_acct *a = (const struct abi_acct *)r->acct;

			fire(r, 1, 2, 3);
			if (way == CG_RING && *t[i].records)
				assert_string_equal(ring_records(r), t[i].spec ? "2: 1;"
									       : "3: 1 2;2: 1;");
			else
				assert_string_equal(records(r), t[i].records);
			assert_int_equal(this_cpu(r)->drops[ABI_DROP_SPEC], t[i].spec);
			assert_int_equal(this_cpu(r)->drops[ABI_DROP_PRINCIPAL],
					 way == CG_FILL ? 0 : t[i].principal);
			if (way == CG_FILL)
				assert_int_equal(r->state->filled, t[i].principal);
			assert_int_equal(a[2].n[ABI_ACCT_SPECDROP] + a[3].n[ABI_ACCT_SPECDROP],
					 t[i].spec);
			assert_int_equal(a[2].n[ABI_ACCT_SPECLOST], t[i].principal);
			assert_int_equal(a[3].n[ABI_ACCT_SPECLOST], t[i].principal);
			STATE_KIND(1, ABI_SPEC_INACTIVE);
			USED(0, 1, 0);
			run_end(r);
		}
}

/* What a clause records, and where, with speculate() in every place. */
static void test_spec_clauses(void **state)
{
	static const char text[] =
		"int s; t /!s/ { s = speculation(); }"
		"t { speculate(s); }" /* the default record */
		"t { this->x = arg0; speculate(s); }" /* no record */
		"t { if (arg0) { speculate(s); trace(execname != \"x\"); trace(strjoin(\"a\", \"b\")); } "
		"    else trace(strjoin(\"c\", \"d\")); trace(arg1); }"
		"t { if (arg0 > 1) speculate(0); n++; trace(arg2); }"
		"t { speculate(s); trace(1 / arg1); }"
		"t /arg2/ { commit(s); s = 0; }"
		"t { trace(n); }";

	(void)state;
	NEED_ROOT();
	for (int way = 0; way < 12; way++) {
		enum cg_policy policy = way / 4;
		struct run *r = run_start((struct want){ .policy = policy,
							 .temporal = way & 1,
							 .accounting = way >> 1 & 1 },
					  text);
		fire(r, 0, 5, 0);
		fire(r, 1, 0, 9); /* its last speculating clause faults: nothing of it stays */
		if (policy == CG_RING)
			assert_string_equal(
				ring_records(r),
				"8: 2;4: 1 \"ab\" 0;2:;6: 0;2:;fault 6 2 -1 4 0;5: 9;8: 1;5: 0;4: \"cd\" 5;");
		else
			assert_string_equal(
				records(r),
				"4: \"cd\" 5;5: 0;8: 1;5: 9;fault 6 2 -1 4 0;2:;6: 0;2:;4: 1 \"ab\" 0;8: 2;");
		fire(r, 2, 1, 1);
		STATE_KIND(1, ABI_SPEC_INACTIVE);
		USED(0, 1, 0);
		run_end(r);
	}
}

/* A block that goes over the end of the ring; the time of the commit; larger than one copy. */
static void test_spec_blocks(void **state)
{
	struct run *r;

	(void)state;
	NEED_ROOT();
	r = run_start((struct want){ .policy = CG_RING, .bufsize = 88, .specsize = 256 }, SPEC_TEXT);
	fire(r, SPECULATION, 0, 0);
	fire(r, SPECULATE, 1, 1);
	fire(r, SPECULATE, 1, 2);
	fire(r, SPECULATE, 1, 3);
	fire(r, COMMIT, 1, 0);
	assert_string_equal(ring_records(r), "2: 3;2: 2;2: 1;1: 1;");
	fire(r, SPECULATION, 0, 0);
	fire(r, SPECULATE, 1, 4);
	fire(r, SPECULATE, 1, 5);
	fire(r, SPECULATE, 1, 6);
	fire(r, COMMIT, 1, 0);
	assert_string_equal(ring_records(r), "2: 6;2: 5;2: 4;1: 1;2: 3;");
	run_end(r);
	r = run_start((struct want){ .temporal = true }, SPEC_TEXT);
	fire(r, SPECULATION, 0, 0);
	fire(r, SPECULATE, 1, 1);
	fire(r, SPECULATE, 1, 2);
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	fire(r, COMMIT, 1, 0);
	assert_string_equal(records(r), "1: 1;2: 1;2: 2;");
	const struct abi_rec_time *first = (const void *)(r->bufs + 24);
	const struct abi_rec_time *second = (const void *)(r->bufs + 48);
	assert_true(first->time >= (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec);
	assert_int_equal(first->time, second->time);
	run_end(r);
	/* exactly up to the ends of both areas, and over many copies */
	for (uint32_t n = 1; n <= 2000; n = n * 5 / 3 + 1)
		for (int way = 0; way < 2; way++) {
			r = run_start((struct want){ .policy = way ? CG_RING : CG_SWITCH,
						     .specsize = n * 16,
						     .bufsize = n * 16 },
				      "t /arg0 == 1/ { speculate(1); trace(arg1); }"
				      "t /arg0 == 2/ { commit(1); }");
			r->specst[0] = ABI_SPEC_ACTIVE;
			for (uint32_t i = 0; i < n + 3; i++)
				fire(r, 1, i, 0);
			assert_int_equal(this_cpu(r)->drops[ABI_DROP_SPEC], 3);
			fire(r, 2, 0, 0);
			for (uint32_t i = 0; i < n; i++) {
				const struct abi_rec *rec = (const void *)(r->bufs + 16 * i);

				assert_int_equal(rec->epid, 1);
				assert_int_equal(*(int64_t *)(rec + 1), way ? n - 1 - i : i);
			}
			run_end(r);
		}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),	    cmocka_unit_test(test_arithmetic),
		cmocka_unit_test(test_variables),   cmocka_unit_test(test_strings),
		cmocka_unit_test(test_user),	    cmocka_unit_test(test_if),
		cmocka_unit_test(test_times),	    cmocka_unit_test(test_virtual_time),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_aggs),	    cmocka_unit_test(test_stddev_wide),
		cmocka_unit_test(test_faults),	    cmocka_unit_test(test_exit),
		cmocka_unit_test(test_full_switch), cmocka_unit_test(test_full_fill),
		cmocka_unit_test(test_ring),	    cmocka_unit_test(test_alone),
		cmocka_unit_test(test_ring_nested),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_closed_aggs), cmocka_unit_test(test_large),
		cmocka_unit_test(test_every_way),   cmocka_unit_test(test_refused),
		cmocka_unit_test(test_spec_states), cmocka_unit_test(test_spec_elsewhere),
		cmocka_unit_test(test_spec_busy),   cmocka_unit_test(test_spec_ids),
		cmocka_unit_test(test_spec_full),   cmocka_unit_test(test_spec_clauses),
		cmocka_unit_test(test_spec_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
