/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The provider cpc: every so many events of the processor or of the kernel's software counters (providers.md 15).
 *
 * EVENT-MODE-COUNT: a perf event on each CPU with COUNT as its period (counter.c).
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "provider/counter.h"
#include "provider/regs.h"

#define LISTED 1000000000 /* the count that probes are listed with */

#define SW(n) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##n
#define HW(n) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##n
#define CACHE(unit, op, result)                                                                  \
	PERF_TYPE_HW_CACHE, (PERF_COUNT_HW_CACHE_##unit | PERF_COUNT_HW_CACHE_OP_##op << 8 |     \
			     PERF_COUNT_HW_CACHE_RESULT_##result << 16)

/* The first name of an event is listed; others are found if asked for. */
static const struct counter {
	const char *name;
	uint32_t type;
	uint64_t config;
	bool other;
} counters[] = {
	{ "cpu_clock", SW(CPU_CLOCK), false },
	{ "task_clock", SW(TASK_CLOCK), false },
	{ "page_faults", SW(PAGE_FAULTS), false },
	{ "faults", SW(PAGE_FAULTS), true },
	{ "minor_faults", SW(PAGE_FAULTS_MIN), false },
	{ "major_faults", SW(PAGE_FAULTS_MAJ), false },
	{ "context_switches", SW(CONTEXT_SWITCHES), false },
	{ "cs", SW(CONTEXT_SWITCHES), true },
	{ "cpu_migrations", SW(CPU_MIGRATIONS), false },
	{ "migrations", SW(CPU_MIGRATIONS), true },
	{ "alignment_faults", SW(ALIGNMENT_FAULTS), false },
	{ "emulation_faults", SW(EMULATION_FAULTS), false },
	{ "perf_count_sw_cpu_clock", SW(CPU_CLOCK), true },
	{ "perf_count_sw_task_clock", SW(TASK_CLOCK), true },
	{ "perf_count_sw_page_faults", SW(PAGE_FAULTS), true },
	{ "perf_count_sw_page_faults_min", SW(PAGE_FAULTS_MIN), true },
	{ "perf_count_sw_page_faults_maj", SW(PAGE_FAULTS_MAJ), true },
	{ "perf_count_sw_context_switches", SW(CONTEXT_SWITCHES), true },
	{ "perf_count_sw_cpu_migrations", SW(CPU_MIGRATIONS), true },
	{ "cpu_cycles", HW(CPU_CYCLES), false },
	{ "cycles", HW(CPU_CYCLES), true },
	{ "PAPI_tot_cyc", HW(CPU_CYCLES), true },
	{ "perf_count_hw_cpu_cycles", HW(CPU_CYCLES), true },
	{ "instructions", HW(INSTRUCTIONS), false },
	{ "PAPI_tot_ins", HW(INSTRUCTIONS), true },
	{ "perf_count_hw_instructions", HW(INSTRUCTIONS), true },
	{ "cache_references", HW(CACHE_REFERENCES), false },
	{ "perf_count_hw_cache_references", HW(CACHE_REFERENCES), true },
	{ "cache_misses", HW(CACHE_MISSES), false },
	{ "perf_count_hw_cache_misses", HW(CACHE_MISSES), true },
	{ "branch_instructions", HW(BRANCH_INSTRUCTIONS), false },
	{ "branches", HW(BRANCH_INSTRUCTIONS), true },
	{ "PAPI_br_ins", HW(BRANCH_INSTRUCTIONS), true },
	{ "perf_count_hw_branch_instructions", HW(BRANCH_INSTRUCTIONS), true },
	{ "branch_misses", HW(BRANCH_MISSES), false },
	{ "PAPI_br_msp", HW(BRANCH_MISSES), true },
	{ "perf_count_hw_branch_misses", HW(BRANCH_MISSES), true },
	{ "bus_cycles", HW(BUS_CYCLES), false },
	{ "stalled_cycles_frontend", HW(STALLED_CYCLES_FRONTEND), false },
	{ "stalled_cycles_backend", HW(STALLED_CYCLES_BACKEND), false },
	{ "ref_cycles", HW(REF_CPU_CYCLES), false },
	{ "l1_dcache_loads", CACHE(L1D, READ, ACCESS), false },
	{ "l1_dcache_load_misses", CACHE(L1D, READ, MISS), false },
	{ "l1_dcache_stores", CACHE(L1D, WRITE, ACCESS), false },
	{ "l1_icache_load_misses", CACHE(L1I, READ, MISS), false },
	{ "llc_loads", CACHE(LL, READ, ACCESS), false },
	{ "llc_load_misses", CACHE(LL, READ, MISS), false },
	{ "llc_stores", CACHE(LL, WRITE, ACCESS), false },
	{ "llc_store_misses", CACHE(LL, WRITE, MISS), false },
	{ "dtlb_loads", CACHE(DTLB, READ, ACCESS), false },
	{ "dtlb_load_misses", CACHE(DTLB, READ, MISS), false },
	{ "itlb_load_misses", CACHE(ITLB, READ, MISS), false },
	{ "branch_load_misses", CACHE(BPU, READ, MISS), false },
};

enum mode { MODE_USER, MODE_KERNEL, MODE_ALL };

/* What a name asks for; probe->data is its index. */
struct wanted {
	struct kern_perf_event ev;
	bool times; /* counts ns, whatever the mode */
};

struct cpc_data {
	VEC(struct wanted) v;
};

/* ---- names ------------------------------------------------------------------------------------------- */

/* Cuts the last part of a name off. */
static char *part(char *name)
{
	char *dash = strrchr(name, '-');

	if (!dash || dash == name)
		return NULL;
	*dash = '\0';
	return dash + 1;
}

static bool mode_of(const char *s, enum mode *mode)
{
	static const char *const names[] = { "user", "kernel", "all" };

	for (size_t i = 0; s && i < ARRAY_SIZE(names); i++)
		if (!strcmp(s, names[i])) {
			*mode = i;
			return true;
		}
	return false;
}

/* rHEX: an event of this processor by its number. */
static bool event_of(const char *s, struct kern_perf_event *ev)
{
	char *end;

	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		if (!strcmp(s, counters[i].name)) {
			ev->type = counters[i].type;
			ev->config = counters[i].config;
			return true;
		}
	ev->type = PERF_TYPE_RAW;
	ev->config = strtoull(s + 1, &end, 16);
	return *s == 'r' && s[1] && !*end;
}

/* EVENT-MODE-COUNT, or EVENT-MODE-0xMASK-COUNT: the mask of an event by number stands in bits 8 to 15. */
static bool parse(const char *name, struct wanted *w)
{
	char *copy = mem_strdup(name), *count = part(copy), *attr = count ? part(copy) : NULL, *end = NULL;
	enum mode mode;
	bool good = count && *count >= '1' && *count <= '9';

	*w = (struct wanted){0};
	errno = 0;
	if (good)
		w->ev.period = strtoull(count, &end, 10);
	good = good && !errno && !*end;
	if (good && !mode_of(attr, &mode)) {
		char *m = part(copy);

		w->ev.config = attr ? strtoull(attr, &end, 16) << 8 : 0;
		good = m && attr && !strncmp(attr, "0x", 2) && attr[2] && !*end && mode_of(m, &mode);
		uint64_t mask = w->ev.config;

		good = good && event_of(copy, &w->ev) && w->ev.type == PERF_TYPE_RAW;
		w->ev.config |= mask;
	} else {
		good = good && event_of(copy, &w->ev);
	}
	free(copy);
	if (!good)
		return false;
	w->ev.exclude_kernel = mode == MODE_USER;
	w->ev.exclude_user = mode == MODE_KERNEL;
	w->times = w->ev.type == PERF_TYPE_SOFTWARE &&
		   (w->ev.config == PERF_COUNT_SW_CPU_CLOCK || w->ev.config == PERF_COUNT_SW_TASK_CLOCK);
	return true;
}

/* Does this machine count it? */
static int try(const struct kern_perf_event *ev)
{
	size_t n;
	int *cpus, fd = kern_cpus_online(&cpus, &n);

	if (fd < 0)
		return fd;
	fd = kern_perf_event_open(cpus[0], ev);
	free(cpus);
	if (fd < 0)
		return fd;
	kern_close(&fd);
	return 0;
}

static void publish(struct probes *t, struct provider *p, const char *name)
{
	struct cpc_data *cd = p->data;
	struct wanted w;

	if (!parse(name, &w) || probes_lookup(t, "cpc", "", "", name) || try(&w.ev))
		return;
	probes_add(t, p, "", "", name, cd->v.n);
	vec_push(&cd->v, w);
}

static int cpc_provide(struct probes *t, struct provider *p)
{
	p->data = mem_alloc(sizeof(struct cpc_data));
	if (!kern_feature(KERN_FEATURE_PERF_EVENT))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		char name[96];

		if (counters[i].other)
			continue;
		snprintf(name, sizeof(name), "%s-all-%d", counters[i].name, LISTED);
		publish(t, p, name);
	}
	return 0;
}

static int cpc_demand(struct probes *t, struct provider *p, const struct probespec *spec, struct diag *d)
{
	(void)d;
	if (p->data && !*spec->mod && !*spec->func && !glob_has(spec->name) &&
	    (!*spec->prov || glob_match(spec->prov, "cpc")))
		publish(t, p, spec->name);
	return 0;
}

static const char *cpc_unavailable(const struct probespec *spec)
{
	static char why[160];
	struct wanted w;
	int err;

	if (!parse(spec->name, &w))
		return NULL;
	err = try(&w.ev);
	if (!err)
		return NULL;
	snprintf(why, sizeof(why), "%s: %s",
		 w.ev.type == PERF_TYPE_SOFTWARE ? "this kernel does not count it" : "this machine does not count events of its processor",
		 err == -ENOENT ? "it has no such counter" : kern_why(err));
	return why;
}

static void cpc_destroy(struct provider *p)
{
	struct cpc_data *cd = p->data;

	if (cd)
		vec_free(&cd->v);
	free(cd);
	p->data = NULL;
}

/* ---- the program ------------------------------------------------------------------------------------- */

/* The context begins with the registers. arg0: kernel pc, arg1: user pc, the other one is 0. */
static vreg cpc_arg(struct cg *cg, vreg ctx, void *data, int n)
{
	struct ir *ir = cg_ir(cg);
	vreg pc = ir_imm(ir, 0);
	label done = ir_label(ir);

	(void)data;
	if (n > 1)
		return pc;
	vreg cs = ir_load(ir, 8, ctx, REGS_CS);

	ir_alui(ir, IR_AND, cs, 3);
	ir_jcci(ir, n == 0 ? IR_NE : IR_EQ, cs, 0, done);
	ir_mov_to(ir, pc, ir_load(ir, 8, ctx, REGS_IP));
	ir_place(ir, done);
	return pc;
}

static const struct cg_probe_ops cpc_cg = {
	.prog_type = BPF_PROG_TYPE_PERF_EVENT,
	.prologue = counter_prologue,
	.arg = cpc_arg,
};

static const char *const *cpc_args(struct probes *t, const struct probe *probe)
{
	static const char *const pcs[] = { "uint64_t", "uint64_t", NULL };

	(void)t;
	(void)probe;
	return pcs;
}

static uint64_t cpc_group_key(const struct probe *probe)
{
	return probe->data;
}

static void cpc_group_init(struct probe_group *g, const struct probe *probe)
{
	const struct wanted *w = &((struct cpc_data *)probe->provider->data)->v.v[probe->data];

	snprintf(g->name, sizeof(g->name), "cpc_%.11s", probe->name);
	g->ops = &cpc_cg;
	counter_group_init(g, &w->ev, w->times);
}

const struct provider_ops provider_cpc = {
	.name = "cpc",
	.stability = { "Evolving/Evolving/Common", "Unstable/Unstable/Unknown", "Private/Private/Unknown",
		       "Evolving/Evolving/Common", "Evolving/Evolving/Common" },
	.provide = cpc_provide,
	.unavailable = cpc_unavailable,
	.demand = cpc_demand,
	.args = cpc_args,
	.group_key = cpc_group_key,
	.group_init = cpc_group_init,
	.group_destroy = counter_group_destroy,
	.attach = counter_attach,
	.start = counter_start,
	.stop = counter_stop,
	.missed = counter_missed,
	.destroy = cpc_destroy,
};
