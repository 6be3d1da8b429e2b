/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is enabled becomes buffers and programs in the kernel: sizes, rows, code, and what is told when the kernel
 * refuses one.
 */
#include <errno.h>

#include "codegen/bpf.h"
#include "codegen/layout_dump.h"
#include "kern/kern.h"
#include "lang/ident.h"
#include "lib/enable_impl.h"

/* ---- buffers ----------------------------------------------------------------------------------------- */

int enabling_cpus(dtrace_hdl_t *dtp, struct enabling *e)
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
	req->wakes = env->uses_wakes;
	req->nspec = opt[OPT_NSPEC];
	req->specsize = opt[OPT_SPECSIZE];
	if (!env->uses_unwind || unwind_conf(&req->unwind))
		env->unwinds = false;
	/* Those that come while tracing are accounted as far as there is room. */
	req->acct_epids = env->accounting ? dtp->ecbs.v.n + 1 + 1000 : 0;
}

int enabling_buffers_make(dtrace_hdl_t *dtp, struct enabling *e)
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

void enabling_layouts_show(dtrace_hdl_t *dtp, FILE *out)
{
	if (!opt_on(dtp->opt, OPT_LAYOUT))
		return;
	fprintf(out, "\nRecords:\n");
	layout_dump(&dtp->ecbs, dtp->ses->types, out);
}

int enabling_group_load(dtrace_hdl_t *dtp, struct enabling *e, struct group *g)
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

int enabling_group_attach(dtrace_hdl_t *dtp, struct group *g, const struct attach_env *env)
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
int enabling_options_settle(dtrace_hdl_t *dtp, struct enabling *e)
{
	struct diag d = {0};

	enabling_options(dtp, &e->env);
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

	if (enabling_options_settle(dtp, e) < 0 || enabling_cpus(dtp, e) < 0)
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
		enabling_layouts_show(dtp, out);
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
