/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The provider rawtp: every tracepoint of the kernel, with the arguments of its prototype (providers.md 7).
 *
 * BTF has a type btf_trace_NAME for each: a function whose first parameter is the tracer's own. Trace events
 * tell the group; tracepoints without an event have none, their module is empty. One raw tracepoint program per
 * probe.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "provider/tracepoint.h"

struct publishing {
	struct probes *t;
	struct provider *p;
	struct hmap *typed; /* names that BTF has and no event had yet */
};

static void add_typed(void *arg, const char *name)
{
	hmap_put(((struct publishing *)arg)->typed, name, arg);
}

static void add_event(void *arg, const char *group, const char *name)
{
	struct publishing *pub = arg;

	if (hmap_get(pub->typed, name) == pub) {
		probes_add(pub->t, pub->p, group, "", name, 0);
		hmap_put(pub->typed, name, pub->typed);
	}
}

static void add_rest(void *arg, const char *name)
{
	struct publishing *pub = arg;

	if (hmap_get(pub->typed, name) == pub)
		probes_add(pub->t, pub->p, "", "", name, 0);
}

static int rawtp_provide(struct probes *t, struct provider *p)
{
	struct publishing pub = { .t = t, .p = p };
	int err;

	if (!kern_feature(KERN_FEATURE_RAW_TP))
		return 0;
	pub.typed = hmap_create();
	err = kern_btf_tracepoints(add_typed, &pub);
	/* Without tracefs the groups are unknown; the probes are there. */
	tracepoint_events(add_event, &pub);
	if (!err)
		kern_btf_tracepoints(add_rest, &pub);
	hmap_destroy(pub.typed);
	return err;
}

static const char *const *rawtp_args(struct probes *t, const struct probe *probe)
{
	struct kern_btf_args types;
	const char **out;

	if (kern_btf_tracepoint_args(probe->name, &types) < 0)
		return NULL;
	out = arena_alloc(t->arena, sizeof(*out) * (types.n + 1));
	for (int i = 0; i < types.n; i++)
		out[i] = arena_strdup(t->arena, types.type[i]);
	return out;
}

struct rawtp_group {
	const char *tracepoint;
	int nargs;
};

static vreg rawtp_prologue(struct cg *cg, vreg ctx, void *data, label out)
{
	(void)cg;
	(void)ctx;
	(void)data;
	(void)out;
	return VREG_NONE;
}

static vreg rawtp_arg(struct cg *cg, vreg ctx, void *data, int n)
{
	return tracepoint_arg(cg, ctx, ((struct rawtp_group *)data)->nargs, n);
}

static const struct cg_probe_ops rawtp_cg = {
	.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
	.prologue = rawtp_prologue,
	.arg = rawtp_arg,
};

static uint64_t rawtp_group_key(const struct probe *probe)
{
	return probe->id;
}

static void rawtp_group_init(struct probe_group *g, const struct probe *probe)
{
	struct rawtp_group *rg = mem_alloc(sizeof(*rg));
	struct kern_btf_args types;

	rg->tracepoint = probe->name;
	rg->nargs = kern_btf_tracepoint_args(probe->name, &types) < 0 ? 0 : types.n;
	snprintf(g->name, sizeof(g->name), "rawtp_%.9s", probe->name);
	g->ops = &rawtp_cg;
	g->ops_data = rg;
	g->tracepoint = probe->name;
	g->nrows = 1;
	g->activity = ABI_ACTIVE;
}

static int rawtp_attach(struct probe_group *g, const struct attach_env *env, const char **why)
{
	(void)env;
	return tracepoint_attach(g, ((struct rawtp_group *)g->ops_data)->tracepoint, why);
}

static void rawtp_group_destroy(struct probe_group *g)
{
	free(g->ops_data);
	g->ops_data = NULL;
}

const struct provider_ops provider_rawtp = {
	.name = "rawtp",
	.stability = { "Evolving/Evolving/ISA", "Private/Private/Unknown", "Private/Private/Unknown",
		       "Private/Private/ISA", "Private/Private/ISA" },
	.provide = rawtp_provide,
	.args = rawtp_args,
	.group_key = rawtp_group_key,
	.group_init = rawtp_group_init,
	.group_destroy = rawtp_group_destroy,
	.attach = rawtp_attach,
};
