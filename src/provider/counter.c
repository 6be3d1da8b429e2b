/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes that are a counter of the kernel's or the processor's: a perf event on each CPU, with a program (counter.h).
 *
 * The kernel runs no program of a perf event while another one of that kind or of a perf tracepoint runs on the CPU,
 * and throttles events; neither is counted by it. The counter of the event goes on meanwhile, so the firings that it
 * should have brought are known at the end.
 */
#include <stdlib.h>

#include "provider/counter.h"

struct counting {
	int cpu, fd;
};

struct counter_group {
	struct kern_perf_event ev;
	bool times;
	int ncpus;
	uint64_t *fired; /* by CPU, mapped: what the program saw */
	VEC(struct counting) events;
};

vreg counter_prologue(struct cg *cg, vreg ctx, void *data, label out)
{
	const struct counter_group *g = data;
	struct ir *ir = cg_ir(cg);
	vreg cpu = ir_call(ir, BPF_FUNC_get_smp_processor_id, 0);

	(void)ctx;
	ir_jcci(ir, IR_UGE, cpu, g->ncpus, out);
	ir_alui(ir, IR_SHL, cpu, 3);
	vreg cell = ir_mapval(ir, CG_MAP_AUX, 0);

	ir_alu(ir, IR_ADD, cell, cpu);
	ir_atomic(ir, IR_ATOMIC_ADD, cell, 0, ir_imm(ir, 1));
	return VREG_NONE;
}

void counter_group_init(struct probe_group *g, const struct kern_perf_event *ev, bool times)
{
	struct counter_group *cg = mem_alloc(sizeof(*cg));
	void *area;

	cg->ev = *ev;
	cg->times = times;
	cg->ncpus = kern_cpus_possible();
	g->ops_data = cg;
	g->nrows = 1;
	g->activity = ABI_ACTIVE;
	g->aux_fd = kern_area_create("dt_fired", 8 * cg->ncpus, &area);
	cg->fired = area;
}

void counter_group_destroy(struct probe_group *g)
{
	struct counter_group *cg = g->ops_data;

	if (!cg)
		return;
	for (size_t i = 0; i < cg->events.n; i++)
		kern_close(&cg->events.v[i].fd);
	vec_free(&cg->events);
	kern_area_destroy(&g->aux_fd, cg->fired, 8 * cg->ncpus);
	free(cg);
	g->ops_data = NULL;
}

int counter_attach(struct probe_group *g, const struct attach_env *env, const char **why)
{
	struct counter_group *cg = g->ops_data;

	*why = "failed to open a counter";
	for (size_t c = 0; c < env->ncpus; c++) {
		int fd = kern_perf_event_open(env->cpus[c], &cg->ev), err;

		if (fd < 0)
			return fd;
		vec_push(&cg->events, ((struct counting){ env->cpus[c], fd }));
		err = kern_perf_set_prog(fd, g->prog_fd);
		if (err < 0)
			return err;
	}
	return 0;
}

int counter_start(struct probe_group *g, const struct attach_env *env)
{
	struct counter_group *cg = g->ops_data;
	int err = 0;

	(void)env;
	for (size_t i = 0; i < cg->events.n && !err; i++)
		err = kern_perf_enable(cg->events.v[i].fd);
	return err;
}

void counter_stop(struct probe_group *g)
{
	struct counter_group *cg = g->ops_data;

	for (size_t i = 0; i < cg->events.n; i++)
		kern_perf_disable(cg->events.v[i].fd);
}

/* What a clock counts is time in every mode, so that nothing follows from it in one of them. */
uint64_t counter_missed(struct probe_group *g, const struct probe *probe, int cpu, bool all)
{
	struct counter_group *cg = g->ops_data;
	uint64_t count = 0;

	(void)probe;
	(void)all;
	if (!cg->fired || (cg->times && (cg->ev.exclude_user || cg->ev.exclude_kernel)))
		return 0;
	for (size_t i = 0; i < cg->events.n; i++)
		if (cg->events.v[i].cpu == cpu && kern_perf_read(cg->events.v[i].fd, &count) < 0)
			return 0;
	count /= cg->ev.period;
	/* One may be under way. */
	return count > cg->fired[cpu] + 1 ? count - cg->fired[cpu] : 0;
}
