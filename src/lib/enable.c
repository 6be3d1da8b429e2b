/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Enabling (lib/enable.h): clauses and probes become ECBs, sorted into groups that share a program. Buffers and
 * programs are made of them in enable_load.c; enable_run.c starts and stops them.
 */
#include <errno.h>
#include <string.h>

#include "lib/enable_impl.h"

struct enabling *enabling_get(dtrace_hdl_t *dtp)
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
void enabling_options(dtrace_hdl_t *dtp, struct cg_env *env)
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

	enabling_options(dtp, &e->env);
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

int enable_program(dtrace_hdl_t *dtp, const struct dtrace_prog *prog, uint32_t known, unsigned int *matches,
		   struct diag *d)
{
	struct enable_one one = { .dtp = dtp, .known = known };
	struct enabling *e = dtp->enabling;
	int err = 0;

	for (const struct clause *c = prog->tree->clauses; c && !err; c = c->next) {
		one.clause = c;
		one.cg = prepared_find(e, c);
		e->destructive |= c->destructive;
		for (size_t i = 0; i < c->nspecs && !err; i++)
			if (probes_match(dtp->probes, &c->specs[i], d, enable_probe, &one) < 0 && d->set)
				err = -1;
	}
	*matches += one.matches;
	return err;
}

int dtrace_program_exec(dtrace_hdl_t *dtp, dtrace_prog_t *pgp, dtrace_proginfo_t *pip)
{
	unsigned int matches = 0;
	struct diag d = {0};

	enabling_get(dtp);
	if (pip)
		dtrace_program_info(dtp, pgp, pip);
	if (dtp->active || dtp->stopped)
		return hdl_error(dtp, EDT_ACTIVE);
	if (pgp->enabled)
		return hdl_error(dtp, EINVAL);
	if (enable_program(dtp, pgp, 0, &matches, &d) < 0) {
		hdl_errorf(dtp, EDT_COMPILER, "%s", d.text);
		diag_clear(&d);
		return -1;
	}
	pgp->enabled = true;
	if (pip)
		pip->dpi_matches = matches;
	return 0;
}

void enable_close(dtrace_hdl_t *dtp)
{
	struct enabling *e = dtp->enabling;

	if (e) {
		enabling_watches_stop(dtp, e);
		enabling_detach(e, 0);
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
