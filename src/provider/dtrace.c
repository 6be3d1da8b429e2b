/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The provider dtrace: BEGIN, END and ERROR (providers.md 3). BEGIN and END are raw tracepoint programs that
 * are attached to nothing: the session fires them with a test run. ERROR has no program of its own: its
 * clauses are compiled into the fault path of every other program.
 */
#include <stdio.h>
#include <string.h>

#include "provider/provider.h"

enum { PROBE_BEGIN, PROBE_END, PROBE_ERROR };

static int dtrace_provide(struct probes *t, struct provider *p)
{
	probes_add(t, p, "", "", "BEGIN", PROBE_BEGIN);
	probes_add(t, p, "", "", "END", PROBE_END);
	probes_add(t, p, "", "", "ERROR", PROBE_ERROR);
	return 0;
}

static const char *const *dtrace_args(struct probes *t, const struct probe *probe)
{
	static const char *const none[] = { NULL };

	(void)t;
	(void)probe;
	return none;
}

static vreg dtrace_prologue(struct cg *cg, vreg ctx, void *data, label out)
{
	(void)cg;
	(void)ctx;
	(void)data;
	(void)out;
	return VREG_NONE;
}

static vreg dtrace_arg(struct cg *cg, vreg ctx, void *data, int n)
{
	(void)ctx;
	(void)data;
	(void)n;
	return ir_imm(cg_ir(cg), 0);
}

static const struct cg_probe_ops dtrace_cg = {
	.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
	.prologue = dtrace_prologue,
	.arg = dtrace_arg,
};

static uint64_t dtrace_group_key(const struct probe *probe)
{
	return probe->data;
}

static void dtrace_group_init(struct probe_group *g, const struct probe *probe)
{
	snprintf(g->name, sizeof(g->name), "dtrace_%s", probe->name);
	g->ops = &dtrace_cg;
	g->nrows = 1;
	g->activity = probe->data == PROBE_BEGIN ? ABI_WARMUP : ABI_COOLDOWN;
}

static bool dtrace_owns(const char *name)
{
	return !strcmp(name, "BEGIN") || !strcmp(name, "END") || !strcmp(name, "ERROR");
}

const struct provider_ops provider_dtrace = {
	.name = "dtrace",
	.owns = dtrace_owns,
	.stability = { "Stable/Stable/Common", "Private/Private/Unknown", "Private/Private/Unknown",
		       "Stable/Stable/Common", "Stable/Stable/Common" },
	.provide = dtrace_provide,
	.args = dtrace_args,
	.group_key = dtrace_group_key,
	.group_init = dtrace_group_init,
};
