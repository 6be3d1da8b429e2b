/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The provider profile: profile-N on every CPU and tick-N on one, at an interval (providers.md 5).
 *
 * The obvious source, a program on a cpu-clock event, loses firings without a trace: on an idle CPU the core
 * throttles the event until a scheduler tick that does not come. So each probe and CPU has a cpu-clock event
 * that excludes user and kernel, which never overflows and is never throttled, and whose timer nevertheless
 * expires for ever in hard interrupt context, on idle CPUs too. One program on the tracepoint
 * hrtimer_expire_entry serves all of them. It finds the event around the timer and knows ours by a random
 * number in attr.config2; attr.config1 is the row of the probe.
 *
 * A firing can still be late, or pass unseen: while the machine below takes the CPU away, or while the kernel
 * mutes its tracepoints (up to 6 ms at a time, seen once in 300 expiries). So a timer of a long period runs
 * at a fraction of it, and the program keeps, per probe and CPU, when the next firing is due: expiries before that
 * are left at once, the first one after it fires. Periods that passed without an expiry are counted as lost.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/now.h"
#include "base/str.h"
#include "provider/tracepoint.h"

#define NROWS 256		/* different profile and tick probes of a session */
#define PERIOD_MIN 200000ull	/* ns: 5000 a second */
#define NS 1000000000ull

/* probe->data: bit 63 tick; below it the row. */
#define DATA_TICK (1ull << 63)
#define DATA_ROW(d) ((uint32_t)((d) & 0xffff))

struct periods { /* of the provider: period of each row in ns */
	uint64_t ns[NROWS];
	uint32_t n;
};

/* ---- names ------------------------------------------------------------------------------------------- */

static const struct {
	const char *suffix;
	uint64_t ns; /* 0: N is a rate per second */
} units[] = {
	{ "", 0 }, { "hz", 0 },
	{ "ns", 1 }, { "nsec", 1 },
	{ "us", 1000 }, { "usec", 1000 },
	{ "ms", 1000000 }, { "msec", 1000000 },
	{ "s", NS }, { "sec", NS },
	{ "m", 60 * NS }, { "min", 60 * NS },
	{ "h", 3600 * NS }, { "hour", 3600 * NS },
	{ "d", 86400 * NS }, { "day", 86400 * NS },
};

/* The period that a name like "tick-10ms" asks for, 0 if it asks for none that can be had. */
static uint64_t name_period(const char *name, const char *kind)
{
	size_t n = strlen(kind);
	uint64_t value, ns = 0;
	char *end;

	if (strncmp(name, kind, n) || name[n] < '0' || name[n] > '9')
		return 0;
	errno = 0;
	value = strtoull(name + n, &end, 10);
	if (errno || !value)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcasecmp(end, units[i].suffix))
			continue;
		if (!units[i].ns)
			ns = NS / value;
		else if (value <= INT64_MAX / units[i].ns)
			ns = value * units[i].ns;
	}
	return ns >= PERIOD_MIN ? ns : 0;
}

static struct probe *publish(struct probes *t, struct provider *p, const char *name)
{
	struct periods *periods = p->data;
	uint64_t tick = name_period(name, "tick-");
	uint64_t ns = tick ? tick : name_period(name, "profile-");
	struct probe *probe;

	if (!ns || !periods || periods->n == NROWS)
		return NULL;
	probe = probes_add(t, p, "", "", name, (tick ? DATA_TICK : 0) | periods->n);
	if (probe)
		periods->ns[periods->n++] = ns;
	return probe;
}

static int profile_provide(struct probes *t, struct provider *p)
{
	static const char *const listed[] = {
		"profile-97", "profile-199", "profile-499", "profile-997", "profile-1999", "profile-4001",
		"profile-4999", "tick-1", "tick-10", "tick-100", "tick-500", "tick-1000", "tick-5000",
	};

	p->data = arena_alloc(t->arena, sizeof(struct periods));
	for (size_t i = 0; i < ARRAY_SIZE(listed); i++)
		publish(t, p, listed[i]);
	return 0;
}

static int profile_demand(struct probes *t, struct provider *p, const struct probespec *spec, struct diag *d)
{
	(void)d;
	if (*spec->mod || *spec->func || glob_has(spec->name))
		return 0;
	if (*spec->prov && !glob_match(spec->prov, "profile"))
		return 0;
	publish(t, p, spec->name);
	return 0;
}

/* tick-N and profile-N, whatever stands behind the number. */
static bool profile_owns(const char *name)
{
	static const char *const kinds[] = { "tick-", "profile-" };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t n = strlen(kinds[i]);

		if (!strncmp(name, kinds[i], n) && name[n] >= '0' && name[n] <= '9')
			return true;
	}
	return false;
}

static const char *const *profile_args(struct probes *t, const struct probe *probe)
{
	static const char *const pcs[] = { "uint64_t", "uint64_t", "uint64_t", NULL };

	(void)t;
	(void)probe;
	return pcs;
}

/* ---- the program ------------------------------------------------------------------------------------- */

/* One per row and CPU in map CG_MAP_AUX, shared with the program. Times are ns of CLOCK_MONOTONIC. */
struct cell {
	uint64_t due;	 /* next firing */
	uint64_t period; /* between firings, 0: this timer does not run here */
	uint64_t lost;	 /* firings that were due and did not happen */
	uint64_t fired;
};

struct timer {
	int fd;
	int cpu;
	const struct probe *probe;
};

struct profile_group {
	uint64_t token;
	int timer_to_event;  /* bytes from the start of struct perf_event to its timer */
	int config1;	     /* offset of attr.config1; config2 follows it */
	int timer_expires;   /* hrtimer.node.expires */
	int ncpus;
	struct cell *cells;  /* [row * ncpus + cpu], mapped */
	const struct periods *periods;
	VEC(struct timer) timers;
};

static vreg profile_prologue(struct cg *cg, vreg ctx, void *data, label out)
{
	struct profile_group *pg = data;
	struct ir *ir = cg_ir(cg);
	int at = ir_stack_alloc(ir, 16);

	ir_comment(ir, "the event around the timer: is it ours?");
	vreg event = ir_load(ir, 8, ctx, 0);

	ir_alui(ir, IR_ADD, event, pg->config1 - pg->timer_to_event);
	ir_call(ir, BPF_FUNC_probe_read_kernel, 3, ir_stack(ir, at), ir_imm(ir, 16), event);
	vreg token = ir_load(ir, 8, ir_stack(ir, at), 8);

	ir_jcc(ir, IR_NE, token, ir_imm(ir, (int64_t)pg->token), out);
	vreg row = ir_load(ir, 8, ir_stack(ir, at), 0);

	ir_jcci(ir, IR_UGE, row, NROWS, out);
	ir_comment(ir, "is it due?");
	vreg cpu = ir_call(ir, BPF_FUNC_get_smp_processor_id, 0);

	ir_jcci(ir, IR_UGE, cpu, pg->ncpus, out);
	vreg cell = ir_mov(ir, row);

	ir_alui(ir, IR_MUL, cell, pg->ncpus);
	ir_alu(ir, IR_ADD, cell, cpu);
	ir_alui(ir, IR_MUL, cell, sizeof(struct cell));
	vreg where = ir_mapval(ir, CG_MAP_AUX, 0);

	ir_alu(ir, IR_ADD, where, cell);
	vreg expires = cg_read(cg, ir_load(ir, 8, ctx, 0), pg->timer_expires, 8);
	vreg due = ir_load(ir, 8, where, offsetof(struct cell, due));
	vreg period = ir_load(ir, 8, where, offsetof(struct cell, period));

	ir_jcc(ir, IR_ULT, expires, due, out);
	ir_jcci(ir, IR_EQ, period, 0, out);
	ir_comment(ir, "periods that passed without an expiry");
	ir_alu(ir, IR_SUB, expires, due);
	ir_alu(ir, IR_UDIV, expires, period);
	ir_atomic(ir, IR_ATOMIC_ADD, where, offsetof(struct cell, lost), expires);
	ir_alui(ir, IR_ADD, expires, 1);
	ir_alu(ir, IR_MUL, expires, period);
	ir_alu(ir, IR_ADD, due, expires);
	ir_store(ir, 8, where, offsetof(struct cell, due), due);
	ir_atomic(ir, IR_ATOMIC_ADD, where, offsetof(struct cell, fired), ir_imm(ir, 1));
	return row;
}

/* struct pt_regs of x86-64. */
enum { REG_IP = 128, REG_CS = 136 };

/* arg0: kernel pc, arg1: user pc, the other one is 0. Both are where the interrupted registers are not known. */
static vreg profile_arg(struct cg *cg, vreg ctx, void *data, int n)
{
	struct ir *ir = cg_ir(cg);
	vreg pc = ir_vreg(ir);
	label done = ir_label(ir);

	(void)data;
	ir_imm_to(ir, pc, 0);
	if (n > 1)
		return pc;
	vreg regs = tracepoint_timer_regs(cg, ir_load(ir, 8, ctx, 0));
	vreg cs = cg_read(cg, regs, REG_CS, 8);

	ir_alui(ir, IR_AND, cs, 3);
	ir_jcci(ir, n == 0 ? IR_NE : IR_EQ, cs, 0, done);
	ir_mov_to(ir, pc, cg_read(cg, regs, REG_IP, 8));
	ir_place(ir, done);
	return pc;
}

static vreg profile_kernel_pc(struct cg *cg, vreg ctx, void *data)
{
	return profile_arg(cg, ctx, data, 0);
}

static const struct cg_probe_ops profile_cg = {
	.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
	.prologue = profile_prologue,
	.bounded = true,
	.arg = profile_arg,
	.kernel_pc = profile_kernel_pc,
};

static uint64_t profile_group_key(const struct probe *probe)
{
	(void)probe;
	return 0;
}

static size_t profile_rows(const struct probe *probe, uint32_t *rows, size_t max)
{
	if (max)
		rows[0] = DATA_ROW(probe->data);
	return max ? 1 : 0;
}

static size_t cells_size(const struct profile_group *pg)
{
	return sizeof(*pg->cells) * NROWS * pg->ncpus;
}

static void profile_group_init(struct probe_group *g, const struct probe *probe)
{
	struct profile_group *pg = mem_alloc(sizeof(*pg));
	void *area;

	snprintf(g->name, sizeof(g->name), "profile");
	g->ops = &profile_cg;
	g->ops_data = pg;
	g->nrows = NROWS;
	g->activity = ABI_ACTIVE;
	pg->periods = probe->provider->data;
	pg->timer_to_event = kern_btf_member_offset("perf_event", "hw.hrtimer");
	pg->config1 = kern_btf_member_offset("perf_event", "attr.config1");
	pg->timer_expires = kern_btf_member_offset("hrtimer", "node.expires");
	pg->ncpus = kern_cpus_possible();
	if (getrandom(&pg->token, sizeof(pg->token), 0) != sizeof(pg->token))
		pg->token = (uint64_t)getpid() << 32 ^ (uint64_t)(uintptr_t)pg;
	g->aux_fd = kern_area_create("dt_timers", cells_size(pg), &area);
	pg->cells = area;
}

static void profile_group_destroy(struct probe_group *g)
{
	struct profile_group *pg = g->ops_data;

	if (!pg)
		return;
	for (size_t i = 0; i < pg->timers.n; i++)
		kern_close(&pg->timers.v[i].fd);
	vec_free(&pg->timers);
	kern_area_destroy(&g->aux_fd, pg->cells, cells_size(pg));
	free(pg);
	g->ops_data = NULL;
}

/* ---- timers ------------------------------------------------------------------------------------------ */

#define STEP 5000000ull /* ns: timers of more than two of these run at about this period */

static uint64_t period_steps(uint64_t period)
{
	return period <= 2 * STEP ? 1 : (period + STEP - 1) / STEP;
}

static int timer_add(struct profile_group *pg, const struct probe *probe, int cpu)
{
	uint32_t row = DATA_ROW(probe->data);
	uint64_t steps = period_steps(pg->periods->ns[row]);
	uint64_t step = pg->periods->ns[row] / steps;
	int fd = kern_perf_timer_open(cpu, step, row, pg->token);
	struct timer *t;

	if (fd < 0)
		return fd;
	pg->cells[(size_t)row * pg->ncpus + cpu].period = step * steps;
	t = vec_add(&pg->timers);
	t->fd = fd;
	t->cpu = cpu;
	t->probe = probe;
	return 0;
}

static int profile_attach(struct probe_group *g, const struct attach_env *env, const char **why)
{
	struct profile_group *pg = g->ops_data;
	int err;

	*why = "this kernel's timers cannot be found";
	if (pg->timer_to_event < 0 || pg->config1 < 0 || pg->timer_expires < 0 || !pg->cells)
		return -EOPNOTSUPP;
	*why = "failed to attach to the tracepoint hrtimer_expire_entry";
	err = kern_raw_tp_attach(g->prog_fd, "hrtimer_expire_entry");
	if (err < 0)
		return err;
	vec_push(&g->fds, err);
	*why = "failed to create a timer";
	for (size_t i = 0; i < g->probes.n; i++) {
		const struct probe *probe = g->probes.v[i];
		bool tick = probe->data & DATA_TICK;

		for (size_t c = 0; c < env->ncpus; c++) {
			err = timer_add(pg, probe, env->cpus[c]);
			if (err < 0)
				return err;
			if (tick)
				break;
		}
	}
	return 0;
}

static struct cell *timer_cell(const struct profile_group *pg, const struct timer *t)
{
	return &pg->cells[(size_t)DATA_ROW(t->probe->data) * pg->ncpus + t->cpu];
}

static int profile_start(struct probe_group *g, const struct attach_env *env)
{
	struct profile_group *pg = g->ops_data;

	(void)env;
	for (size_t i = 0; i < pg->timers.n; i++) {
		struct cell *c = timer_cell(pg, &pg->timers.v[i]);
		int err;

		/* Read before the timer starts: its expiries are never earlier than whole steps from here. */
		c->due = now_ns() + c->period;
		err = kern_perf_enable(pg->timers.v[i].fd);
		if (err < 0)
			return err;
	}
	return 0;
}

/*
 * Firings that were due at the end and had not happened count as lost, but for one that may be under way. A
 * timer that was never started (BEGIN called exit()) has none.
 */
#define UNDER_WAY 1000000ull /* ns */

static void profile_stop(struct probe_group *g)
{
	struct profile_group *pg = g->ops_data;

	for (size_t i = 0; i < pg->timers.n; i++) {
		struct cell *c = timer_cell(pg, &pg->timers.v[i]);
		uint64_t end = now_ns() - UNDER_WAY;

		kern_perf_disable(pg->timers.v[i].fd);
		if (c->due && end > c->due)
			c->lost += (end - c->due) / c->period + 1;
	}
}

/* A profile is a sample, and its size matters; ticks are the script's own rhythm, and a late one is made up for. */
static uint64_t profile_missed(struct probe_group *g, const struct probe *probe, int cpu, bool all)
{
	struct profile_group *pg = g->ops_data;

	if (probe->data & DATA_TICK && !all)
		return 0;
	return pg->cells[(size_t)DATA_ROW(probe->data) * pg->ncpus + cpu].lost;
}

const struct provider_ops provider_profile = {
	.name = "profile",
	.stability = { "Evolving/Evolving/Common", "Unstable/Unstable/Unknown", "Private/Private/Unknown",
		       "Evolving/Evolving/Common", "Evolving/Evolving/Common" },
	.provide = profile_provide,
	.owns = profile_owns,
	.demand = profile_demand,
	.args = profile_args,
	.group_key = profile_group_key,
	.group_init = profile_group_init,
	.group_destroy = profile_group_destroy,
	.rows = profile_rows,
	.attach = profile_attach,
	.start = profile_start,
	.stop = profile_stop,
	.missed = profile_missed,
};
