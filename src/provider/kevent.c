/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The providers whose probes are tracepoints under names of DTrace's (providers.md 8 to 21, doc/providers.md): proc,
 * sched, io, fsinfo, ip, tcp, udp, vminfo, sysinfo, mib.
 *
 * A probe is a row of kevent.def: the tracepoint, the condition under which it is this event, how arguments are
 * had and as what args[] shows them. Each probe has a raw tracepoint program of its own, attached to one tracepoint or
 * to several of the same arguments. A row is published if the kernel has its tracepoints.
 */
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "provider/counter.h"
#include "provider/kevent.h"
#include "provider/regs.h"
#include "sym/ksymaddr.h"


/* ---- reading ----------------------------------------------------------------------------------------- */

static vreg current(struct cg *cg, vreg ctx)
{
	(void)ctx;
	return ir_call(cg_ir(cg), BPF_FUNC_get_current_task, 0);
}

static vreg one(struct cg *cg, vreg ctx)
{
	(void)ctx;
	return ir_imm(cg_ir(cg), 1);
}

static vreg this_cpu(struct cg *cg, vreg ctx)
{
	(void)ctx;
	return ir_call(cg_ir(cg), BPF_FUNC_get_smp_processor_id, 0);
}

static vreg task_cpu(struct cg *cg, vreg ctx)
{
	bool own = kern_btf_member_offset("task_struct", "thread_info.cpu") < 0;

	return tracepoint_member(cg, raw0(cg, ctx), "task_struct", own ? "cpu" : "thread_info.cpu", 4);
}

/* ---- conditions -------------------------------------------------------------------------------------- */

/* sched_process_fork(parent, child) */
static void child_is_leader(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	vreg pid = tracepoint_member(cg, raw1(cg, ctx), "task_struct", "pid", 4);
	vreg tgid = tracepoint_member(cg, raw1(cg, ctx), "task_struct", "tgid", 4);

	(void)k;
	ir_jcc(cg_ir(cg), IR_NE, pid, tgid, out);
}

/* sched_process_exit(task) and, in newer kernels, (task, is it the last one) */
static void last_thread(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	struct ir *ir = cg_ir(cg);
	struct kern_btf_args types;

	if (!kern_btf_tracepoint_args(k->tracepoint[0], &types) && types.n > 1) {
		vreg last = raw1(cg, ctx);

		ir_ext(ir, last, 1, false);
		ir_jcci(ir, IR_EQ, last, 0, out);
		return;
	}
	vreg signal = tracepoint_member(cg, raw0(cg, ctx), "task_struct", "signal", 8);

	ir_jcci(ir, IR_NE, tracepoint_member(cg, signal, "signal_struct", "live", 4), 0, out);
}

/* signal_generate(signal, info, task, group, result) */
static void signal_result(struct cg *cg, vreg ctx, int result, label out)
{
	struct ir *ir = cg_ir(cg);
	vreg v = ir_load(ir, 8, ctx, 8 * 4);

	ir_ext(ir, v, 4, false);
	ir_jcci(ir, IR_NE, v, result, out);
}

static void signal_sent(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	(void)k;
	signal_result(cg, ctx, 0, out);
}

static void signal_ignored(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	(void)k;
	signal_result(cg, ctx, 1, out);
}

enum { FLTILL = 1, FLTTRACE = 4, FLTACCESS = 5, FLTBOUNDS = 6, FLTFPE = 9 };

/* The fault that a signal of the kernel's to the thread itself tells; 0: none. */
static vreg fault_kind(struct cg *cg, vreg ctx)
{
	static const struct {
		int signal, fault;
	} kinds[] = { { SIGILL, FLTILL }, { SIGTRAP, FLTTRACE }, { SIGBUS, FLTACCESS }, { SIGSEGV, FLTBOUNDS },
		      { SIGFPE, FLTFPE } };
	struct ir *ir = cg_ir(cg);
	vreg v = ir_imm(ir, 0), signal = raw0(cg, ctx);
	label done = ir_label(ir);

	ir_ext(ir, signal, 4, false);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		label next = ir_label(ir);

		ir_jcci(ir, IR_NE, signal, kinds[i].signal, next);
		ir_imm_to(ir, v, kinds[i].fault);
		ir_jmp(ir, done);
		ir_place(ir, next);
	}
	ir_place(ir, done);
	return v;
}

/* Users' signals have codes of 0 and below; the lowest addresses stand for no information. */
static void is_fault(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	struct ir *ir = cg_ir(cg);

	(void)k;
	ir_jcci(ir, IR_EQ, fault_kind(cg, ctx), 0, out);
	ir_jcc(ir, IR_NE, raw2(cg, ctx), current(cg, ctx), out);
	ir_jcci(ir, IR_ULE, raw1(cg, ctx), 2, out);
	vreg code = tracepoint_member(cg, raw1(cg, ctx), "kernel_siginfo", "si_code", 4);

	ir_ext(ir, code, 4, true);
	ir_jcci(ir, IR_SLE, code, 0, out);
}

/* The first word of struct k_sigaction. */
static vreg handler(struct cg *cg, vreg ctx)
{
	return tracepoint_read(cg, raw2(cg, ctx), 0, 8);
}

static void has_handler(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	(void)k;
	ir_jcci(cg_ir(cg), IR_ULE, handler(cg, ctx), 1, out);
}

/* Flags are one byte of their word. */
static void flag0(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	vreg v = raw0(cg, ctx);

	(void)k;
	ir_ext(cg_ir(cg), v, 1, false);
	ir_jcci(cg_ir(cg), IR_EQ, v, 0, out);
}

/* sched_switch(preempt, prev, next, state of prev): the thread stops running because it waits */
static void goes_to_sleep(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	struct ir *ir = cg_ir(cg);
	vreg preempt = raw0(cg, ctx), state = raw3(cg, ctx);

	(void)k;
	ir_ext(ir, preempt, 1, false);
	ir_jcci(ir, IR_NE, preempt, 0, out);
	ir_ext(ir, state, 4, false);
	ir_jcci(ir, IR_EQ, state, 0, out);
}

/*
 * The same: a thread that could go on is taken off its CPU. The kernel calls only what happens within itself preemption;
 * most threads lose their CPU on the way back to their program. Those that asked for it with sched_yield() are among
 * them, as in the kernel's own count.
 */
static void is_involuntary(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	struct ir *ir = cg_ir(cg);
	label yes = ir_label(ir);
	vreg preempt = raw0(cg, ctx), state = raw3(cg, ctx);

	(void)k;
	ir_ext(ir, preempt, 1, false);
	ir_jcci(ir, IR_NE, preempt, 0, yes);
	ir_ext(ir, state, 4, false);
	ir_jcci(ir, IR_NE, state, 0, out);
	/* The idle thread. */
	ir_jcci(ir, IR_EQ, tracepoint_member(cg, raw1(cg, ctx), "task_struct", "pid", 4), 0, out);
	ir_place(ir, yes);
}

/* Without sched_yield(), by the call that the thread is in. */
static void is_preempted(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	struct ir *ir = cg_ir(cg);
	vreg task, regs;

	is_involuntary(cg, ctx, k, out);
	if (!kern_feature(KERN_FEATURE_TASK_PT_REGS))
		return;
	task = ir_call(ir, BPF_FUNC_get_current_task_btf, 0);
	regs = ir_call(ir, BPF_FUNC_task_pt_regs, 1, task);
	ir_jcci(ir, IR_EQ, ir_load(ir, 8, regs, REGS_ORIG_AX), NR_SCHED_YIELD, out);
}

/* sched_exit_tp(has the thread changed?) */
static void not_flag0(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	vreg v = raw0(cg, ctx);

	(void)k;
	ir_ext(cg_ir(cg), v, 1, false);
	ir_jcci(cg_ir(cg), IR_NE, v, 0, out);
}

/* The bit that a thread has set while it waits for I/O. */
static void in_iowait(struct cg *cg, vreg task, label out)
{
	struct ir *ir = cg_ir(cg);
	int64_t bit = kern_btf_member_bit("task_struct", "in_iowait");

	if (bit < 0) {
		ir_jmp(ir, out);
		return;
	}
	vreg v = tracepoint_read(cg, task, bit / 8, 1);

	ir_alui(ir, IR_AND, v, 1 << bit % 8);
	ir_jcci(ir, IR_EQ, v, 0, out);
}

static void starts_iowait(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	goes_to_sleep(cg, ctx, k, out);
	in_iowait(cg, raw1(cg, ctx), out);
}

static void ends_iowait(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	flag0(cg, ctx, k, out);
	in_iowait(cg, current(cg, ctx), out);
}

/*
 * The timer that is the scheduler's tick, by its function; the idle thread is charged with nothing. Before 6.9 the second
 * name is another function's.
 */
static uint64_t tick_function(void)
{
	static const char *const names[] = { "tick_sched_timer", "tick_nohz_handler" };
	static uint64_t addr;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !addr; i++)
		if (ksym_address("vmlinux", names[i], &addr, NULL))
			addr = 0;
	return addr;
}

static void is_tick(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	struct ir *ir = cg_ir(cg);

	(void)k;
	ir_jcc(ir, IR_NE, tracepoint_member(cg, raw0(cg, ctx), "hrtimer", "function", 8), ir_imm(ir, (int64_t)tick_function()), out);
	ir_jcci(ir, IR_EQ, ir_call(ir, BPF_FUNC_get_current_pid_tgid, 0), 0, out);
}

static void tick_in(struct cg *cg, vreg ctx, const struct kevent *k, bool user, label out)
{
	struct ir *ir = cg_ir(cg);

	is_tick(cg, ctx, k, out);
	vreg cs = tracepoint_read(cg, tracepoint_timer_regs(cg, raw0(cg, ctx)), REGS_CS, 8);

	ir_alui(ir, IR_AND, cs, 3);
	ir_jcci(ir, user ? IR_EQ : IR_NE, cs, 0, out);
}

static void is_user_tick(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	tick_in(cg, ctx, k, true, out);
}

static void is_kernel_tick(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	tick_in(cg, ctx, k, false, out);
}

static void next_is_idle(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	(void)k;
	ir_jcci(cg_ir(cg), IR_NE, tracepoint_member(cg, raw2(cg, ctx), "task_struct", "pid", 4), 0, out);
}

/* Operations of requests: reads are even, writes odd. */
static vreg rq_op(struct cg *cg, vreg ctx)
{
	vreg op = tracepoint_member(cg, raw0(cg, ctx), "request", "cmd_flags", 4);

	ir_alui(cg_ir(cg), IR_AND, op, 0xff);
	return op;
}

static void rq_read(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	(void)k;
	ir_jcci(cg_ir(cg), IR_NE, rq_op(cg, ctx), 0, out);
}

static void rq_write(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	(void)k;
	ir_jcci(cg_ir(cg), IR_NE, rq_op(cg, ctx), 1, out);
}

#define REQ_SYNC 0x800 /* someone waits for it */

static void rq_write_behind(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	struct ir *ir = cg_ir(cg);
	vreg flags = tracepoint_member(cg, raw0(cg, ctx), "request", "cmd_flags", 4);

	rq_write(cg, ctx, k, out);
	ir_alui(ir, IR_AND, flags, REQ_SYNC);
	ir_jcci(ir, IR_NE, flags, 0, out);
}

static vreg none(struct cg *cg, vreg ctx)
{
	(void)ctx;
	return ir_imm(cg_ir(cg), 0);
}

/* contention_begin(lock, flags) */
static void contention(struct cg *cg, vreg ctx, int mask, int value, label out)
{
	vreg flags = raw1(cg, ctx);

	ir_alui(cg_ir(cg), IR_AND, flags, mask);
	ir_jcci(cg_ir(cg), IR_NE, flags, value, out);
}

#define CONTENTION(name, mask, value)                                                       \
	static void name(struct cg *cg, vreg ctx, const struct kevent *k, label out)        \
	{                                                                                   \
		(void)k;                                                                    \
		contention(cg, ctx, mask, value, out);                                      \
	}
CONTENTION(contention_mutex, 32, 32)
CONTENTION(contention_read, 2, 2)
CONTENTION(contention_write, 4, 4)

/* ---- values ------------------------------------------------------------------------------------------ */

static vreg exit_reason(struct cg *cg, vreg ctx)
{
	struct ir *ir = cg_ir(cg);
	vreg code = tracepoint_member(cg, raw0(cg, ctx), "task_struct", "exit_code", 4);
	vreg reason = ir_imm(ir, CLD_DUMPED);
	label done = ir_label(ir);
	vreg low = ir_mov(ir, code);

	ir_alui(ir, IR_AND, low, 0x80);
	ir_jcci(ir, IR_NE, low, 0, done);
	ir_imm_to(ir, reason, CLD_KILLED);
	ir_alui(ir, IR_AND, code, 0x7f);
	ir_jcci(ir, IR_NE, code, 0, done);
	ir_imm_to(ir, reason, CLD_EXITED);
	ir_place(ir, done);
	return reason;
}

/* sched_pi_setprio(task, the one that lends its priority or NULL) */
static vreg lent_priority(struct cg *cg, vreg ctx)
{
	struct ir *ir = cg_ir(cg);
	label done = ir_label(ir);
	vreg pri = tracepoint_member(cg, raw0(cg, ctx), "task_struct", "normal_prio", 4);

	ir_jcci(ir, IR_EQ, raw1(cg, ctx), 0, done);
	ir_mov_to(ir, pri, tracepoint_member(cg, raw1(cg, ctx), "task_struct", "prio", 4));
	ir_place(ir, done);
	return pri;
}

/* ---- the rows ---------------------------------------------------------------------------------------- */

static const struct kevent rows[] = {
#include "provider/kevent.def"
};

/* Conditions for which the tracepoint alone is not enough. */
static bool has_condition(const struct kevent *k)
{
	kevent_cond *cond = k->cond;

	if (cond == vm_swaps_in || cond == vm_swaps_out)
		return vm_have_swap();
	if (cond == net_dropped)
		return net_have_drop(k);
	return cond != net_refuses || net_have_refusals();
}

static bool is_counter(const struct kevent *k)
{
	return !strcmp(k->tracepoint[0], SOFTWARE_EVENT);
}

static bool has_source(const struct kevent *k, struct hmap *tracepoints)
{
	if (is_counter(k))
		return kern_feature(KERN_FEATURE_PERF_EVENT);
	for (int i = 0; i < TPS_MAX && k->tracepoint[i]; i++)
		if (!hmap_get(tracepoints, k->tracepoint[i]))
			return false;
	return has_condition(k);
}

static const struct kevent *row_of(const struct probe *probe)
{
	return &rows[probe->data];
}

static void add_name(void *arg, const char *name)
{
	hmap_put(arg, name, arg);
}

static int kevent_provide(struct probes *t, struct provider *p)
{
	struct hmap *have;
	int err;

	if (!kern_feature(KERN_FEATURE_RAW_TP))
		return 0;
	have = hmap_create();
	err = kern_btf_tracepoints(add_name, have);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].prov, p->ops->name) && has_source(&rows[i], have))
			probes_add(t, p, "vmlinux", "", rows[i].name, i);
	hmap_destroy(have);
	return err;
}

static const char *const *kevent_args(struct probes *t, const struct probe *probe)
{
	(void)t;
	return row_of(probe)->type;
}

static const struct probe_xarg *kevent_xargs(struct probes *t, const struct probe *probe)
{
	(void)t;
	return row_of(probe)->xarg[0].type ? row_of(probe)->xarg : NULL;
}

static vreg kevent_prologue(struct cg *cg, vreg ctx, void *data, label out)
{
	const struct kevent *k = data;

	ir_comment(cg_ir(cg), "is it this event?");
	if (k->cond)
		k->cond(cg, ctx, k, out);
	return VREG_NONE;
}

static vreg kevent_raw(struct cg *cg, vreg ctx, void *data, int n)
{
	const struct kevent *k = data;

	if (n >= ARGS_MAX || !k->arg[n])
		return ir_imm(cg_ir(cg), 0);
	return k->arg[n](cg, ctx);
}

static const struct cg_probe_ops kevent_cg = {
	.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
	.prologue = kevent_prologue,
	.arg = kevent_raw,
};

static vreg counted(struct cg *cg, vreg ctx, void *data, int n)
{
	(void)ctx;
	(void)data;
	return ir_imm(cg_ir(cg), n == 0);
}

static const struct cg_probe_ops counter_cg = {
	.prog_type = BPF_PROG_TYPE_PERF_EVENT,
	.prologue = counter_prologue,
	.arg = counted,
};

static uint64_t kevent_group_key(const struct probe *probe)
{
	return probe->data;
}

static void kevent_group_init(struct probe_group *g, const struct probe *probe)
{
	const struct kevent *k = row_of(probe);

	snprintf(g->name, sizeof(g->name), "%.7s_%.7s", probe->prov, probe->name);
	if (is_counter(k)) {
		struct kern_perf_event ev = { .type = PERF_TYPE_SOFTWARE, .config = k->nr[0], .period = 1 };

		g->ops = &counter_cg;
		counter_group_init(g, &ev, false);
		return;
	}
	g->ops = &kevent_cg;
	g->ops_data = (void *)k;
	g->tracepoint = k->tracepoint[0];
	g->nrows = 1;
	g->activity = ABI_ACTIVE;
}

static int kevent_attach(struct probe_group *g, const struct attach_env *env, const char **why)
{
	const struct kevent *k = g->ops_data;
	int err = 0;

	if (g->ops == &counter_cg)
		return counter_attach(g, env, why);
	for (int i = 0; i < TPS_MAX && k->tracepoint[i] && !err; i++)
		err = tracepoint_attach(g, k->tracepoint[i], why);
	return err;
}

static int kevent_start(struct probe_group *g, const struct attach_env *env)
{
	return g->ops == &counter_cg ? counter_start(g, env) : 0;
}

static void kevent_stop(struct probe_group *g)
{
	if (g->ops == &counter_cg)
		counter_stop(g);
}

static uint64_t kevent_missed(struct probe_group *g, const struct probe *probe, int cpu, bool all)
{
	return g->ops == &counter_cg ? counter_missed(g, probe, cpu, all) : 0;
}

static void kevent_group_destroy(struct probe_group *g)
{
	if (g->ops == &counter_cg)
		counter_group_destroy(g);
}

#define PROVIDER(prov, argument_stability)                                                    \
	const struct provider_ops provider_##prov = {                                         \
		.name = #prov,                                                                \
		.stability = { "Evolving/Evolving/ISA", "Private/Private/Unknown",            \
			       "Private/Private/Unknown", "Evolving/Evolving/ISA",            \
			       argument_stability },                                          \
		.provide = kevent_provide,                                                    \
		.args = kevent_args,                                                          \
		.xargs = kevent_xargs,                                                        \
		.group_key = kevent_group_key,                                                \
		.group_init = kevent_group_init,                                              \
		.group_destroy = kevent_group_destroy,                                        \
		.attach = kevent_attach,                                                      \
		.start = kevent_start,                                                        \
		.stop = kevent_stop,                                                          \
		.missed = kevent_missed,                                                      \
	}

PROVIDER(proc, "Evolving/Evolving/ISA");
PROVIDER(sched, "Evolving/Evolving/ISA");
PROVIDER(io, "Evolving/Evolving/ISA");
PROVIDER(fsinfo, "Evolving/Evolving/ISA");
PROVIDER(ip, "Evolving/Evolving/ISA");
PROVIDER(tcp, "Evolving/Evolving/ISA");
PROVIDER(udp, "Evolving/Evolving/ISA");
PROVIDER(vminfo, "Private/Private/ISA");
PROVIDER(sysinfo, "Private/Private/ISA");
PROVIDER(mib, "Evolving/Evolving/ISA");
