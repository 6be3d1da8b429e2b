/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Enabling, start and stop of tracing (lib/enable.h). Joins language, code generator, providers and buffers;
 * decoding what they record is the consumer's.
 */
#include "lib/enable.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "codegen/bpf.h"
#include "codegen/layout_dump.h"
#include "kern/kern.h"
#include "lang/ident.h"
#include "lib/cleaner.h"

/* A clause of a group, with its EPID in each row. A description that names a probe twice makes two of them. */
struct group_clause {
	struct cg_clause *cg;
	uint32_t *epid; /* [nrows], 0: not enabled there */
};

struct group {
	struct probe_group g;
	VEC(struct group_clause) clauses;
	const struct probe **probe; /* [nrows] */
	bool loaded;		    /* probes that come later make a group of their own */
	bool grows;		    /* a row for each probe, given in order */
	size_t room;		    /* rows that the arrays have */
	struct hmap *row_of;	    /* of a group that grows: probe id -> row + 1 */
};

struct prepared {
	const struct clause *clause;
	struct cg_clause *cg;
};

/* A provider that may have new probes while tracing. */
struct watching {
	struct provider *provider;
	int fd;
};

struct enabling {
	struct cg_env env;
	VEC(struct prepared) clauses;
	VEC(struct group *) groups;
	/* dtrace:::ERROR has no program: its clauses are part of all others. */
	VEC(struct cg_clause *) error_clauses;
	VEC(uint32_t) error_epids;
	uint32_t error_id;
	VEC(struct watching) watches;
	uint32_t known; /* probes up to this one have been matched with all descriptions */
	bool destructive;
	int *cpus;	  /* traced */
	size_t ncpus;
	int begin_cpu;
	int cleaner_fd; /* program that moves speculations, -1: none */
};

static struct enabling *enabling_get(dtrace_hdl_t *dtp)
{
	struct enabling *e = dtp->enabling;

	if (e)
		return e;
	e = dtp->enabling = mem_alloc(sizeof(*e));
	if (!dtp->strtab)
		dtp->strtab = strtab_create();
	e->cleaner_fd = -1;
	e->env.ses = dtp->ses;
	e->env.ecbs = &dtp->ecbs;
	e->env.strtab = dtp->strtab;
	e->env.ksym = symapi_ksym_range;
	e->env.ksym_arg = dtp;
	return e;
}

/* Options that a layout depends on may change with every program compiled; the last word counts. */
static void env_options(dtrace_hdl_t *dtp, struct cg_env *env)
{
	env->temporal = opt_on(dtp->opt, OPT_TEMPORAL) && dtp->opt[OPT_TEMPORAL];
	env->accounting = opt_on(dtp->opt, OPT_ACCOUNTING) && dtp->opt[OPT_ACCOUNTING];
	env->policy = dtp->opt[OPT_BUFPOLICY];
	env->scratch = dtp->opt[OPT_SCRATCHSIZE];
	env->unwinds = dtp->opt[OPT_USTACKUNWIND] == 0;
}

int enable_prepare(dtrace_hdl_t *dtp, struct dtrace_prog *prog, struct diag *d)
{
	struct enabling *e = enabling_get(dtp);

	env_options(dtp, &e->env);
	for (const struct clause *c = prog->tree->clauses; c; c = c->next) {
		struct cg_clause *cg = cg_clause_prepare(&e->env, c, d);
		struct prepared *p;

		if (!cg)
			return -1;
		p = vec_add(&e->clauses);
		p->clause = c;
		p->cg = cg;
	}
	return 0;
}

static struct cg_clause *prepared_find(struct enabling *e, const struct clause *c)
{
	for (size_t i = 0; i < e->clauses.n; i++)
		if (e->clauses.v[i].clause == c)
			return e->clauses.v[i].cg;
	return NULL;
}

/* ---- ECBs and groups --------------------------------------------------------------------------------- */

static struct group *group_get(struct enabling *e, struct probe *p)
{
	const struct provider_ops *ops = p->provider->ops;
	uint64_t key = ops->group_key(p);
	struct group *g;

	for (size_t i = 0; i < e->groups.n; i++)
		if (!e->groups.v[i]->loaded && e->groups.v[i]->g.provider == p->provider &&
		    e->groups.v[i]->g.key == key)
			return e->groups.v[i];
	g = mem_alloc(sizeof(*g));
	g->g.provider = p->provider;
	g->g.key = key;
	g->g.prog_fd = g->g.aux_fd = -1;
	ops->group_init(&g->g, p);
	g->grows = g->g.nrows == 0;
	g->room = g->g.nrows;
	g->probe = mem_alloc(sizeof(*g->probe) * g->room);
	if (g->grows)
		g->row_of = hmap_create();
	vec_push(&e->groups, g);
	return g;
}

static void *rows_grow(void *v, size_t size, size_t from, size_t to)
{
	v = mem_realloc(v, size * to);
	memset((char *)v + size * from, 0, size * (to - from));
	return v;
}

/* The row of a probe in a group that grows. */
static uint32_t row_get(struct group *g, struct probe *p)
{
	size_t row = (uintptr_t)hmap_get_u64(g->row_of, p->id), room = MAX(g->room * 2, (size_t)8);

	if (row)
		return row - 1;
	if (g->g.nrows == g->room) {
		g->probe = rows_grow(g->probe, sizeof(*g->probe), g->room, room);
		for (size_t i = 0; i < g->clauses.n; i++)
			g->clauses.v[i].epid = rows_grow(g->clauses.v[i].epid, sizeof(uint32_t), g->room, room);
		g->room = room;
	}
	row = g->g.nrows++;
	hmap_put_u64(g->row_of, p->id, (void *)(row + 1));
	return row;
}

static size_t probe_rows(struct group *g, struct probe *p, uint32_t *rows)
{
	rows[0] = g->grows ? row_get(g, p) : 0;
	return p->provider->ops->rows ? p->provider->ops->rows(p, rows, PROBE_ROWS_MAX) : 1;
}

static bool group_has(const struct group *g, const struct probe *p, uint32_t row)
{
	if (g->grows)
		return row < g->g.probes.n;
	for (size_t i = 0; i < g->g.probes.n; i++)
		if (g->g.probes.v[i] == p)
			return true;
	return false;
}

/* The entry of the clause in the group that is still free at the probe's rows. */
static struct group_clause *group_clause_get(struct group *g, struct cg_clause *cg, uint32_t row)
{
	struct group_clause *gc;

	for (size_t i = g->clauses.n; i-- > 0;)
		if (g->clauses.v[i].cg == cg && !g->clauses.v[i].epid[row])
			return &g->clauses.v[i];
	gc = vec_add(&g->clauses);
	gc->cg = cg;
	gc->epid = mem_alloc(sizeof(*gc->epid) * g->room);
	return gc;
}

static uint32_t ecb_add(dtrace_hdl_t *dtp, const struct clause *c, struct cg_clause *cg, const struct probe *p)
{
	struct ecb *ecb = vec_add(&dtp->ecbs.v);

	ecb->epid = dtp->ecbs.v.n;
	ecb->probe = p;
	ecb->layout = cg_clause_layout(cg);
	ecb->clause = c->index;
	ecb->prov = p->prov;
	ecb->mod = p->mod;
	ecb->func = p->func;
	ecb->name = p->name;
	ecb->probe_id = p->id;
	/* Programs find names in the string table, which is frozen before they are generated. */
	for (size_t i = 0; i < 4; i++) {
		const char *s = ((const char *const[]){ p->prov, p->mod, p->func, p->name })[i];

		strtab_add(dtp->strtab, s, strlen(s));
	}
	return ecb->epid;
}

struct enable_one {
	dtrace_hdl_t *dtp;
	const struct clause *clause;
	struct cg_clause *cg;
	unsigned int matches;
	uint32_t known; /* probes up to this one have been enabled before */
};

static void enable_probe(void *arg, struct probe *p)
{
	struct enable_one *one = arg;
	struct enabling *e = one->dtp->enabling;
	uint32_t rows[PROBE_ROWS_MAX];
	uint32_t epid;
	size_t nrows;

	if (p->id <= one->known)
		return;
	one->matches++;
	epid = ecb_add(one->dtp, one->clause, one->cg, p);
	if (!strcmp(p->prov, "dtrace") && !strcmp(p->name, "ERROR")) {
		vec_push(&e->error_clauses, one->cg);
		vec_push(&e->error_epids, epid);
		e->error_id = p->id;
		return;
	}
	struct group *g = group_get(e, p);

	nrows = probe_rows(g, p, rows);
	for (size_t i = 0; i < nrows; i++) {
		struct group_clause *gc = group_clause_get(g, one->cg, rows[i]);

		gc->epid[rows[i]] = epid;
		g->probe[rows[i]] = p;
	}
	if (!group_has(g, p, rows[0]))
		vec_push(&g->g.probes, p);
}

static int enable_program(struct enable_one *one, const struct dtrace_prog *prog, struct diag *d)
{
	struct enabling *e = one->dtp->enabling;

	for (const struct clause *c = prog->tree->clauses; c; c = c->next) {
		one->clause = c;
		one->cg = prepared_find(e, c);
		e->destructive |= c->destructive;
		for (size_t i = 0; i < c->nspecs; i++)
			if (probes_match(one->dtp->probes, &c->specs[i], d, enable_probe, one) < 0 && d->set)
				return -1;
	}
	return 0;
}

int dtrace_program_exec(dtrace_hdl_t *dtp, dtrace_prog_t *pgp, dtrace_proginfo_t *pip)
{
	struct enable_one one = { .dtp = dtp };
	struct diag d = {0};

	enabling_get(dtp);
	if (pip)
		dtrace_program_info(dtp, pgp, pip);
	if (dtp->active || dtp->stopped)
		return hdl_error(dtp, EDT_ACTIVE);
	if (pgp->enabled)
		return hdl_error(dtp, EINVAL);
	if (enable_program(&one, pgp, &d) < 0) {
		hdl_errorf(dtp, EDT_COMPILER, "%s", d.text);
		diag_clear(&d);
		return -1;
	}
	pgp->enabled = true;
	if (pip)
		pip->dpi_matches = one.matches;
	return 0;
}

/* ---- buffers ----------------------------------------------------------------------------------------- */

static int traced_cpus(dtrace_hdl_t *dtp, struct enabling *e)
{
	int err;

	free(e->cpus);
	e->cpus = NULL;
	err = kern_cpus_online(&e->cpus, &e->ncpus);
	if (err)
		return hdl_error(dtp, -err);
	if (!opt_on(dtp->opt, OPT_CPU))
		return 0;
	for (size_t i = 0; i < e->ncpus; i++)
		if (e->cpus[i] == dtp->opt[OPT_CPU]) {
			e->cpus[0] = e->cpus[i];
			e->ncpus = 1;
			return 0;
		}
	return hdl_errorf(dtp, EINVAL, "CPU %lld is not online", (long long)dtp->opt[OPT_CPU]);
}

/* Bytes that the END clauses may record. */
static uint64_t end_space(const struct enabling *e)
{
	uint64_t n = 0;

	for (size_t i = 0; i < e->groups.n; i++)
		if (e->groups.v[i]->g.activity == ABI_COOLDOWN)
			for (size_t k = 0; k < e->groups.v[i]->clauses.n; k++)
				n += cg_clause_layout(e->groups.v[i]->clauses.v[k].cg)->max;
	return n;
}

static void buffer_wants(dtrace_hdl_t *dtp, struct enabling *e, struct buffer_request *req)
{
	const dtrace_optval_t *opt = dtp->opt;
	struct cg_env *env = &e->env;

	req->policy = env->policy;
	req->temporal = env->temporal;
	req->manual = opt[OPT_BUFRESIZE] != 0;
	req->cpu = opt_on(opt, OPT_CPU) ? (int)opt[OPT_CPU] : -1;
	req->principal = env->uses_principal;
	req->bufsize = opt[OPT_BUFSIZE];
	req->max_record = env->max_record;
	req->reserve = env->policy == CG_FILL ? end_space(e) : 0;
	req->aggs = env->uses_aggs;
	req->aggsize = opt[OPT_AGGSIZE];
	req->agg_fixed = env->agg_fixed;
	req->agg_min = env->agg_min;
	req->frames = env->uses_frames;
	/* Behind any temporary there is room for the largest dynamic variable: the kernel reads so much of each. */
	req->frame_size = ROUND_UP(sizeof(struct abi_frame) + dtp->ses->locals_size + env->frame_temps +
				   (env->uses_scratch ? env->scratch : 0) +
				   (env->uses_strtok ? ABI_STR_BYTES(opt[OPT_STRSIZE]) : 0) +
				   (env->uses_dvars ? env->dvar_value : 0), 8);
	req->strsize = opt[OPT_STRSIZE];
	req->globals_size = dtp->ses->globals_size;
	req->strtab = strtab_data(env->strtab, &req->strtab_size);
	req->dvars = env->uses_dvars;
	req->dvarsize = opt[OPT_DYNVARSIZE];
	req->dvar_size = env->dvar_value;
	req->specs = env->uses_specs;
	req->nspec = opt[OPT_NSPEC];
	req->specsize = opt[OPT_SPECSIZE];
	if (!env->uses_unwind || unwind_conf(&req->unwind))
		env->unwinds = false;
	/* Those that come while tracing are accounted as far as there is room. */
	req->acct_epids = env->accounting ? dtp->ecbs.v.n + 1 + 1000 : 0;
}

static int buffers_make(dtrace_hdl_t *dtp, struct enabling *e)
{
	struct buffer_request req = {0};
	struct buffer_result res = {0};
	int err;

	buffer_wants(dtp, e, &req);
	err = buffers_create(&dtp->buffers, &req, &res);
	switch (err ? res.why : BUFFER_OK) {
	case BUFFER_OK:
		break;
	case BUFFER_NOSPACE:
		return hdl_error(dtp, EDT_NOSPACE);
	case BUFFER_ENDTOOLARGE:
		return hdl_error(dtp, EDT_ENDTOOBIG);
	case BUFFER_TOOSMALL:
		return hdl_error(dtp, EDT_BUFTOOSMALL);
	case BUFFER_SYSTEM:
		return hdl_error(dtp, err == -EPERM || err == -EACCES ? EDT_ACCESS : -err);
	}
	if (res.buf_lowered)
		dtp->opt[OPT_BUFSIZE] = res.bufsize;
	if (res.agg_lowered)
		dtp->opt[OPT_AGGSIZE] = res.aggsize;
	if (res.spec_lowered)
		dtp->opt[OPT_SPECSIZE] = res.specsize;
	if (res.dvar_lowered)
		dtp->opt[OPT_DYNVARSIZE] = res.dvarsize;
	e->env.conf = *buffers_conf(dtp->buffers);
	return 0;
}

/* ---- programs ---------------------------------------------------------------------------------------- */

static struct cg_group *group_view(struct enabling *e, struct group *g, struct arena *a)
{
	struct cg_group *v = arena_new(a, struct cg_group);

	v->name = g->g.name;
	v->ops = g->g.ops;
	v->data = g->g.ops_data;
	v->tracepoint = g->g.tracepoint;
	v->nclauses = g->clauses.n;
	v->clauses = arena_alloc(a, sizeof(*v->clauses) * g->clauses.n);
	v->nrows = g->g.nrows;
	v->rows = arena_alloc(a, sizeof(*v->rows) * g->g.nrows);
	v->activity = g->g.activity;
	v->nerror = e->error_clauses.n;
	v->error_clauses = e->error_clauses.v;
	v->error_epid = e->error_epids.v;
	v->error_probe_id = e->error_id;
	for (size_t i = 0; i < g->clauses.n; i++)
		v->clauses[i] = g->clauses.v[i].cg;
	for (size_t r = 0; r < g->g.nrows; r++) {
		const struct probe *p = g->probe[r];
		struct cg_row *row = &v->rows[r];

		if (!p)
			continue;
		row->used = true;
		row->probe_id = p->id;
		row->prov = p->prov;
		row->mod = p->mod;
		row->func = p->func;
		row->name = p->name;
		row->epid = arena_alloc(a, sizeof(*row->epid) * g->clauses.n);
		for (size_t i = 0; i < g->clauses.n; i++)
			row->epid[i] = g->clauses.v[i].epid[r];
	}
	return v;
}

/* The rows of a group in a map of their own; one row needs none. */
static int group_rows(dtrace_hdl_t *dtp, struct enabling *e, const struct cg_group *v, int *fd)
{
	uint32_t size;
	void *rows;

	*fd = -1;
	if (v->nrows <= 1)
		return 0;
	size = v->nrows * cg_row_stride(v);
	rows = mem_alloc(size);
	cg_rows_fill(&e->env, v, rows);
	*fd = buffers_rows_create(dtp->buffers, rows, size);
	free(rows);
	return *fd < 0 ? *fd : 0;
}

#define VERIFIER_LOG (4u << 20)

/*
 * The kernel refused the program. The user is told which one and, in a line, why; the verifier's own words only
 * on request (-x bpflog).
 */
static int load_refused(dtrace_hdl_t *dtp, const struct group *g, struct kern_prog_attr *attr, int err)
{
	bool show = opt_on(dtp->opt, OPT_BPFLOG) && dtp->opt[OPT_BPFLOG];

	if (err == -EPERM || err == -EACCES) {
		if (geteuid() != 0)
			return hdl_error(dtp, EDT_ACCESS);
	}
	if (show) {
		attr->log = mem_alloc(VERIFIER_LOG);
		attr->log_size = VERIFIER_LOG;
		attr->log_level = 1;
		int fd = kern_prog_load(attr);

		kern_close(&fd);
		fprintf(stderr, "%s", attr->log);
		free(attr->log);
	}
	return hdl_errorf(dtp, EDT_ENABLING_ERR, "failed to load the program of %s:%s:%s:%s: %s",
			  g->g.probes.v[0]->prov, g->g.probes.n == 1 ? g->g.probes.v[0]->mod : "",
			  g->g.probes.n == 1 ? g->g.probes.v[0]->func : "", g->g.probes.v[0]->name,
			  err == -E2BIG ? "it is too large: the kernel looks at 1000000 instructions at most" :
			  err == -EFAULT ? "it is too large: the kernel follows 8192 jumps at most" :
			  err == -EACCES || err == -EINVAL ? "it was not accepted by the kernel (-x bpflog tells why)" :
			  kern_why(err));
}

static int group_code(dtrace_hdl_t *dtp, struct enabling *e, struct group *g, struct ir *ir, struct bpf_code *code,
		      struct arena *a)
{
	struct cg_group *v = group_view(e, g, a);
	int maps[CG_MAP_MAX];
	struct diag d = {0};
	int err;

	for (int m = 0; m < CG_MAP_MAX; m++)
		maps[m] = dtp->buffers ? buffers_fd(dtp->buffers, m) : m + 1; /* shown only: any number */
	if (dtp->unwinding) {
		maps[CG_MAP_UNWFILES] = unwindapi_fd(dtp, UNWIND_FILES);
		maps[CG_MAP_UNWROWS] = unwindapi_fd(dtp, UNWIND_ROWS);
		maps[CG_MAP_UNWASKS] = unwindapi_fd(dtp, UNWIND_ASKS);
	}
	maps[CG_MAP_AUX] = dtp->buffers ? g->g.aux_fd : CG_MAP_AUX;
	err = dtp->buffers ? group_rows(dtp, e, v, &maps[CG_MAP_ROWS]) : 0;
	if (err)
		return hdl_errorf(dtp, -err, "failed to create the table of %s: %s", g->g.name, kern_why(err));
	for (v->shape = CG_FUNCTIONS;; v->shape++) {
		ir_init(ir, a);
		if (cg_group_emit(&e->env, v, ir, &d) < 0) {
			hdl_errorf(dtp, EDT_COMPILER, "%s", d.text);
			diag_clear(&d);
			return -1;
		}
		err = bpf_assemble(ir, g->g.name, maps, code);
		if (!err)
			return 0;
		if (err != -ENOSPC || v->shape == CG_FLAT)
			return hdl_errorf(dtp, EDT_NOREG, "failed to generate the program of %s: %s", g->g.name,
					  ir->error_text ? ir->error_text : strerror(-err));
		ir_destroy(ir);
	}
}

/* The stages that were asked for: -x ir, -x regs, -x bpf; -S (-x verbose) for the first and the last. */
static void group_show(dtrace_hdl_t *dtp, const struct group *g, const struct ir *ir,
		       const struct bpf_code *code, FILE *out)
{
	bool both = opt_on(dtp->opt, OPT_VERBOSE);

	if (both || opt_on(dtp->opt, OPT_IR)) {
		fprintf(out, "\nIntermediate code of %s:\n", g->g.name);
		ir_dump(ir, out);
	}
	if (opt_on(dtp->opt, OPT_REGS)) {
		fprintf(out, "\nRegisters of %s:\n", g->g.name);
		regs_dump(ir, out);
	}
	if (both || opt_on(dtp->opt, OPT_BPF)) {
		fprintf(out, "\nBPF of %s:\n", g->g.name);
		bpf_disasm(code, out);
	}
}

static void layouts_show(dtrace_hdl_t *dtp, FILE *out)
{
	if (!opt_on(dtp->opt, OPT_LAYOUT))
		return;
	fprintf(out, "\nRecords:\n");
	layout_dump(&dtp->ecbs, dtp->ses->types, out);
}

static int group_load(dtrace_hdl_t *dtp, struct enabling *e, struct group *g)
{
	struct arena *a = arena_create();
	struct kern_prog_attr attr = {0};
	struct bpf_code code = {0};
	struct ir ir = {0};
	int ret = -1, btf_fd = -1, err;

	if (group_code(dtp, e, g, &ir, &code, a) < 0)
		goto out;
	group_show(dtp, g, &ir, &code, stderr);
	attr.type = g->g.ops->prog_type;
	attr.expected_attach_type = g->g.ops->attach_type;
	attr.name = g->g.name;
	if (g->g.tracepoint && attr.type == BPF_PROG_TYPE_TRACING) {
		char name[64];

		snprintf(name, sizeof(name), "btf_trace_%s", g->g.tracepoint);
		err = kern_btf_find_id(BTF_KIND_TYPEDEF, name);
		if (err < 0) {
			hdl_errorf(dtp, EDT_ENABLING_ERR, "this kernel has no tracepoint %s with types", g->g.tracepoint);
			goto out;
		}
		attr.attach_btf_id = err;
	}
	if (g->g.attach_btf_id)
		attr.attach_btf_id = g->g.attach_btf_id;
	btf_fd = kern_btf_load(code.btf, code.btf_size, NULL, 0, 0);
	if (btf_fd < 0) {
		load_refused(dtp, g, &attr, btf_fd);
		goto out;
	}
	attr.btf_fd = btf_fd;
	attr.insns = code.insns;
	attr.insn_cnt = code.n;
	attr.func_info = code.funcs;
	attr.func_info_cnt = code.nfuncs;
	g->g.prog_fd = kern_prog_load(&attr);
	g->loaded = true;
	if (g->g.prog_fd < 0) {
		load_refused(dtp, g, &attr, g->g.prog_fd);
		goto out;
	}
	ret = 0;
out:
	kern_close(&btf_fd);
	bpf_code_free(&code);
	ir_destroy(&ir);
	arena_destroy(a);
	return ret;
}

static int group_attach(dtrace_hdl_t *dtp, struct group *g, const struct attach_env *env)
{
	const char *why = "";
	int err;

	if (!g->g.provider->ops->attach)
		return 0;
	err = g->g.provider->ops->attach(&g->g, env, &why);
	if (err < 0)
		return hdl_errorf(dtp, EDT_ENABLING_ERR, "%s: %s", why, kern_why(err));
	return 0;
}

/* Options that the last program changed hold for all: sizes and layouts of the clauses before it are made again. */
static int options_settle(dtrace_hdl_t *dtp, struct enabling *e)
{
	struct diag d = {0};

	env_options(dtp, &e->env);
	ident_layout(dtp->ses);
	for (size_t i = 0; i < e->clauses.n; i++)
		if (cg_clause_renew(e->clauses.v[i].cg, &d) < 0) {
			hdl_errorf(dtp, EDT_COMPILER, "%s", d.text);
			diag_clear(&d);
			return -1;
		}
	return 0;
}

/* Sizes for code that is only shown: as dtrace_go() would choose them, on memory that is given back at once. */
static int dump_sizes(dtrace_hdl_t *dtp, struct enabling *e)
{
	struct buffer_request req = {0};
	struct buffer_result res = {0};
	struct buffers *plain;

	if (options_settle(dtp, e) < 0 || traced_cpus(dtp, e) < 0)
		return -1;
	buffer_wants(dtp, e, &req);
	req.plain = (int)e->ncpus;
	req.bufsize = MIN(req.bufsize, 4u << 20);
	req.aggsize = MIN(req.aggsize, 4u << 20);
	if (buffers_create(&plain, &req, &res))
		return hdl_errorf(dtp, EDT_NOSPACE, "%s", buffer_refusal_text(res.why));
	e->env.conf = *buffers_conf(plain);
	buffers_destroy(plain);
	return 0;
}

int enable_dump(dtrace_hdl_t *dtp, FILE *out)
{
	struct enabling *e = enabling_get(dtp);
	int ret = dtp->buffers ? 0 : dump_sizes(dtp, e);

	if (!ret)
		layouts_show(dtp, out);
	for (size_t i = 0; i < e->groups.n && !ret; i++) {
		struct arena *a = arena_create();
		struct bpf_code code = {0};
		struct ir ir = {0};

		ret = group_code(dtp, e, e->groups.v[i], &ir, &code, a);
		if (!ret)
			group_show(dtp, e->groups.v[i], &ir, &code, out);
		bpf_code_free(&code);
		ir_destroy(&ir);
		arena_destroy(a);
	}
	return ret;
}

/* ---- start and stop ---------------------------------------------------------------------------------- */

static void set_activity(dtrace_hdl_t *dtp, uint32_t activity)
{
	__atomic_store_n(&buffers_state(dtp->buffers)->activity, activity, __ATOMIC_SEQ_CST);
}

static bool change_activity(dtrace_hdl_t *dtp, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&buffers_state(dtp->buffers)->activity, &from, to, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

/*
 * BEGIN and END run in this very task, on the CPU it is pinned to: a run on another CPU would happen in an
 * interrupt there, with whatever process it met.
 */
static void fire(dtrace_hdl_t *dtp, uint32_t activity, int cpu)
{
	struct enabling *e = dtp->enabling;
	uint64_t ctx[1] = {0};

	for (size_t i = 0; i < e->groups.n; i++) {
		struct group *g = e->groups.v[i];

		if (g->g.activity != activity || g->g.prog_fd < 0)
			continue;
		struct kern_cpu_mask saved;
		int err = kern_cpu_pin(cpu, &saved);

		kern_prog_test_run(g->g.prog_fd, ctx, sizeof(ctx), -1, NULL);
		if (!err)
			kern_cpu_unpin(&saved);
	}
}

/* The CPU where BEGIN, or END, fires: the one this task is on, if it is traced. */
static int own_cpu(const struct enabling *e)
{
	int cpu = sched_getcpu();

	for (size_t i = 0; i < e->ncpus; i++)
		if (e->cpus[i] == cpu)
			return cpu;
	return e->cpus[0];
}

/* The groups from `from` on. */
static void groups_detach(struct enabling *e, size_t from)
{
	VEC(int) fds = { 0 };

	for (size_t i = from; i < e->groups.n; i++) {
		struct group *g = e->groups.v[i];

		for (size_t k = 0; k < g->g.fds.n; k++)
			vec_push(&fds, g->g.fds.v[k]);
		vec_free(&g->g.fds);
	}
	kern_close_all(fds.v, fds.n);
	vec_free(&fds);
	for (size_t i = from; i < e->groups.n; i++) {
		struct group *g = e->groups.v[i];

		if (g->g.provider->ops->group_destroy)
			g->g.provider->ops->group_destroy(&g->g);
		kern_close(&g->g.prog_fd);
	}
	if (!from)
		kern_close(&e->cleaner_fd);
}

static void attach_warn(void *arg, const char *text)
{
	work_message(arg, text);
}

static struct attach_env attach_env(dtrace_hdl_t *dtp, const struct enabling *e)
{
	return (struct attach_env){
		.cpu = opt_on(dtp->opt, OPT_CPU) ? (int)dtp->opt[OPT_CPU] : -1,
		.cpus = e->cpus,
		.ncpus = e->ncpus,
		.state_fd = buffers_fd(dtp->buffers, CG_MAP_STATE),
		.warn = attach_warn,
		.arg = dtp,
	};
}

/* The groups from `from` on. */
static int groups_attach(dtrace_hdl_t *dtp, struct enabling *e, size_t from)
{
	struct attach_env env = attach_env(dtp, e);

	for (size_t i = from; i < e->groups.n; i++)
		if (group_load(dtp, e, e->groups.v[i]) < 0)
			return -1;
	for (size_t i = from; i < e->groups.n; i++)
		if (group_attach(dtp, e->groups.v[i], &env) < 0)
			return -1;
	return 0;
}

static int groups_activate(dtrace_hdl_t *dtp, struct enabling *e, size_t from)
{
	struct attach_env env = attach_env(dtp, e);

	for (size_t i = from; i < e->groups.n; i++) {
		const struct provider_ops *ops = e->groups.v[i]->g.provider->ops;
		int err = ops->start ? ops->start(&e->groups.v[i]->g, &env) : 0;

		if (err < 0)
			return hdl_errorf(dtp, EDT_ENABLING_ERR, "failed to start %s: %s", ops->name, kern_why(err));
	}
	return 0;
}

/* ---- probes that come while tracing ------------------------------------------------------------------- */

/*
 * They make groups of their own, with programs, rows and a string table of their own, so that nothing in use changes.
 * What cannot be had now is told and left out: tracing goes on.
 */
static void enable_more(dtrace_hdl_t *dtp)
{
	struct enabling *e = dtp->enabling;
	struct enable_one one = { .dtp = dtp, .known = e->known };
	size_t from = e->groups.n;
	const void *strtab;
	uint32_t size;

	for (size_t i = 0; i < dtp->progs.n; i++) {
		struct diag d = {0};

		if (dtp->progs.v[i]->enabled)
			enable_program(&one, dtp->progs.v[i], &d);
		diag_clear(&d);
	}
	e->known = dtp->probes->v.n;
	if (!one.matches)
		return;
	strtab = strtab_data(dtp->strtab, &size);
	if (dtp->consumer)
		aggs_strtab(consumer_aggs(dtp->consumer), strtab, size);
	int err = buffers_strtab_renew(dtp->buffers, strtab, size);

	e->env.conf = *buffers_conf(dtp->buffers);
	if (err)
		hdl_error(dtp, -err);
	if (err || groups_attach(dtp, e, from) < 0 || groups_activate(dtp, e, from) < 0) {
		work_message(dtp, dtrace_errmsg(dtp, dtrace_errno(dtp)));
		groups_detach(e, from);
	}
}

static void news(void *arg, int fd)
{
	dtrace_hdl_t *dtp = arg;
	struct enabling *e = dtp->enabling;

	for (size_t i = 0; i < e->watches.n; i++) {
		struct provider *p = e->watches.v[i].provider;

		if (e->watches.v[i].fd != fd)
			continue;
		p->ops->refresh(dtp->probes, p);
		if (dtp->active)
			enable_more(dtp);
		p->ops->refreshed(dtp->probes, p);
		return;
	}
}

int enable_watch(dtrace_hdl_t *dtp)
{
	struct enabling *e = dtp->enabling;
	int rc = 0;

	for (size_t i = 0; i < e->watches.n && !rc; i++)
		rc = consumer_add_fd(dtp->consumer, e->watches.v[i].fd, news, dtp);
	return rc;
}

static void watches_start(dtrace_hdl_t *dtp, struct enabling *e)
{
	e->known = dtp->probes->v.n;
	for (size_t i = 0; i < dtp->probes->providers.n; i++) {
		struct provider *p = dtp->probes->providers.v[i];
		int fd = p->ops->watch ? p->ops->watch(dtp->probes, p) : -1;
		struct watching *w;

		if (fd < 0)
			continue;
		w = vec_add(&e->watches);
		w->provider = p;
		w->fd = fd;
	}
}

static void watches_stop(dtrace_hdl_t *dtp, struct enabling *e)
{
	for (size_t i = 0; i < e->watches.n; i++) {
		if (dtp->consumer)
			consumer_del_fd(dtp->consumer, e->watches.v[i].fd);
		e->watches.v[i].provider->ops->unwatch(dtp->probes, e->watches.v[i].provider);
	}
	vec_free(&e->watches);
}

/* ---- start and stop ---------------------------------------------------------------------------------- */

/* What programs refer to, beside the buffers. */
static int helpers_start(dtrace_hdl_t *dtp, struct enabling *e)
{
	e->env.unwinds = e->env.unwinds && unwindapi_start(dtp);
	if (e->env.uses_usyms)
		symapi_follow(dtp);
	return e->env.uses_specs ? cleaner_start(dtp, &e->env, &e->cleaner_fd) : 0;
}

static int groups_start(dtrace_hdl_t *dtp, struct enabling *e)
{
	if (helpers_start(dtp, e) < 0)
		return -1;
	if (groups_attach(dtp, e, 0) < 0)
		return -1;
	watches_start(dtp, e);
	/*
	 * BEGIN fires before any other probe: all are attached, but the words of the other CPUs are closed and the
	 * activity is not theirs yet. exit() in BEGIN leaves it so.
	 */
	e->begin_cpu = own_cpu(e);
	set_activity(dtp, ABI_WARMUP);
	buffers_open(dtp->buffers, e->begin_cpu);
	fire(dtp, ABI_WARMUP, e->begin_cpu);
	buffers_open(dtp->buffers, -1);
	if (!change_activity(dtp, ABI_WARMUP, ABI_ACTIVE))
		return 0;
	return groups_activate(dtp, e, 0);
}

/* All that comes before the programs. */
static int go_prepare(dtrace_hdl_t *dtp, struct enabling *e)
{
	int err;

	if (dtp->active || dtp->stopped)
		return hdl_error(dtp, EDT_ACTIVE);
	err = options_start(dtp);
	if (err)
		return hdl_error(dtp, err);
	if (e->destructive && !(opt_on(dtp->opt, OPT_DESTRUCTIVE) && dtp->opt[OPT_DESTRUCTIVE]))
		return hdl_error(dtp, EDT_DESTRUCTIVE);
	procapi_start(dtp);
	if (options_settle(dtp, e) < 0)
		return -1;
	layouts_show(dtp, stderr);
	return traced_cpus(dtp, e) < 0 || buffers_make(dtp, e) < 0 ? -1 : 0;
}

int enable_load(dtrace_hdl_t *dtp)
{
	struct enabling *e = enabling_get(dtp);

	if (go_prepare(dtp, e) < 0 || helpers_start(dtp, e) < 0)
		return -1;
	for (size_t i = 0; i < e->groups.n; i++)
		if (group_load(dtp, e, e->groups.v[i]) < 0)
			return -1;
	return 0;
}

int dtrace_go(dtrace_hdl_t *dtp)
{
	struct enabling *e = enabling_get(dtp);

	if (go_prepare(dtp, e) < 0)
		return -1;
	if (groups_start(dtp, e) < 0) {
		watches_stop(dtp, e);
		groups_detach(e, 0);
		return -1;
	}
	dtp->active = true;
	return 0;
}

static void report_skipped(dtrace_hdl_t *dtp, uint64_t n, const char *what, const char *why)
{
	char text[512];

	if (!n)
		return;
	snprintf(text, sizeof(text), "%llu firing%s of %s %s", (unsigned long long)n, n > 1 ? "s" : "", what, why);
	work_lost(dtp, DTRACE_CPUALL, n, text);
}

static void report_skipped_rows(dtrace_hdl_t *dtp, struct probe_group *g)
{
	char name[384];

	for (size_t i = 0; i < g->probes.n; i++) {
		const struct probe *p = g->probes.v[i];

		snprintf(name, sizeof(name), "%s:%s:%s:%s", p->prov, p->mod, p->func, p->name);
		report_skipped(dtp, g->provider->ops->skipped_row(g, i), name, "missed by the kernel");
	}
}

static void report_missed_on_cpus(dtrace_hdl_t *dtp, struct enabling *e, struct probe_group *g)
{
	char text[256];

	for (size_t p = 0; p < g->probes.n; p++)
		for (size_t c = 0; c < e->ncpus; c++) {
			const struct probe *probe = g->probes.v[p];
			uint64_t n = g->provider->ops->missed(g, probe, e->cpus[c], e->env.accounting);

			if (!n)
				continue;
			snprintf(text, sizeof(text), "%llu missed firing%s of %s:::%s on CPU %d",
				 (unsigned long long)n, n > 1 ? "s" : "", probe->prov, probe->name, e->cpus[c]);
			work_lost(dtp, e->cpus[c], n, text);
		}
}

/* Firings that never reached our programs. */
static void report_missed(dtrace_hdl_t *dtp, struct enabling *e)
{
	for (size_t i = 0; i < e->groups.n; i++) {
		struct probe_group *g = &e->groups.v[i]->g;
		const struct provider_ops *ops = g->provider->ops;
		uint64_t misses = 0;

		if (g->prog_fd >= 0 && !kern_prog_recursion_misses(g->prog_fd, &misses))
			report_skipped(dtp, misses, g->name, "skipped by the kernel (recursion)");
		if (ops->skipped_row && e->env.accounting)
			report_skipped_rows(dtp, g);
		else if (ops->skipped)
			report_skipped(dtp, ops->skipped(g), g->name, "missed by the kernel");
		if (ops->missed)
			report_missed_on_cpus(dtp, e, g);
	}
}

/*
 * What is committed on other CPUs is moved, before END and after it. The activity keeps all others out. A buffer
 * that this fills (fill) is closed and opened again, as any full one: END has its own room in it.
 */
static void end_fire(dtrace_hdl_t *dtp, int cpu)
{
	bool specs = buffers_have_specs(dtp->buffers);

	if (specs) {
		buffers_open(dtp->buffers, -1);
		buffers_specs_clean(dtp->buffers);
		buffers_stop(dtp->buffers);
	}
	buffers_open(dtp->buffers, specs ? -1 : cpu);
	fire(dtp, ABI_COOLDOWN, cpu);
	if (specs) {
		buffers_specs_clean(dtp->buffers);
		buffers_specs_end(dtp->buffers);
	}
}

int dtrace_stop(dtrace_hdl_t *dtp)
{
	struct enabling *e = dtp->enabling;
	int cpu, err;

	if (dtp->stopped)
		return 0;
	if (!dtp->active)
		return hdl_error(dtp, EINVAL);
	dtp->active = false;
	dtp->stopped = true;
	if (!change_activity(dtp, ABI_ACTIVE, ABI_DRAINING))
		change_activity(dtp, ABI_WARMUP, ABI_DRAINING);
	for (size_t i = 0; i < e->groups.n; i++)
		if (e->groups.v[i]->g.provider->ops->stop)
			e->groups.v[i]->g.provider->ops->stop(&e->groups.v[i]->g);
	if (e->env.uses_direct)
		kern_wait_programs();
	err = buffers_stop(dtp->buffers);
	cpu = own_cpu(e);
	set_activity(dtp, ABI_COOLDOWN);
	end_fire(dtp, cpu);
	if (!err)
		err = buffers_stop(dtp->buffers);
	else
		buffers_stop(dtp->buffers);
	set_activity(dtp, ABI_STOPPED);
	report_missed(dtp, e);
	symapi_report(dtp);
	unwindapi_report(dtp);
	unwindapi_unwatch(dtp);
	watches_stop(dtp, e);
	groups_detach(e, 0);
	if (dtp->consumer)
		consumer_set_stopped(dtp->consumer);
	return err ? hdl_error(dtp, -err) : 0;
}

void enable_close(dtrace_hdl_t *dtp)
{
	struct enabling *e = dtp->enabling;

	if (e) {
		watches_stop(dtp, e);
		groups_detach(e, 0);
		for (size_t i = 0; i < e->groups.n; i++) {
			struct group *g = e->groups.v[i];

			for (size_t k = 0; k < g->clauses.n; k++)
				free(g->clauses.v[k].epid);
			vec_free(&g->clauses);
			vec_free(&g->g.probes);
			free(g->probe);
			hmap_destroy(g->row_of);
			free(g);
		}
		vec_free(&e->groups);
		for (size_t i = 0; i < e->clauses.n; i++)
			cg_clause_destroy(e->clauses.v[i].cg);
		vec_free(&e->clauses);
		vec_free(&e->error_clauses);
		vec_free(&e->error_epids);
		free(e->cpus);
		free(e);
		dtp->enabling = NULL;
	}
	buffers_destroy(dtp->buffers);
	dtp->buffers = NULL;
	strtab_destroy(dtp->strtab);
	dtp->strtab = NULL;
	vec_free(&dtp->ecbs.v);
	vec_free(&dtp->ecbs.shapes);
	vec_free(&dtp->ecbs.aggs);
	vec_free(&dtp->ecbs.layouts);
}
