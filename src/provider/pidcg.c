/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programs of the provider pid (provider/pid.h).
 *
 * One program serves all entry probes, one all returns, one all instructions; the attach cookie is the row.
 * A probe is a uprobe on the file: links of many are confined to the process by the kernel; where each is a perf
 * event, or forks are followed, the program looks at the process, and the probe's stands in the upper half of the cookie.
 */
#include "provider/pid.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "kern/insns.h"
#include "provider/regs.h"
#include "provider/uprobe.h"

const struct place *pid_place(const struct probe *probe)
{
	return &((struct pid_data *)probe->provider->data)->places.v[probe->data];
}

static struct follow *follow_of(const struct probe_group *g)
{
	return ((struct pid_data *)g->provider->data)->follow;
}

/* By the kernel, to the process; else the program compares it. */
static bool is_confined(const struct probe_group *g)
{
	return uprobes_multi(g) && !follow_of(g);
}

static vreg pid_prologue(struct cg *cg, vreg ctx, void *data, label out)
{
	const struct probe_group *g = data;
	struct ir *ir = cg_ir(cg);

	if (is_confined(g))
		return g->nrows == 1 ? VREG_NONE : ir_call(ir, BPF_FUNC_get_attach_cookie, 1, ctx);
	vreg row = ir_call(ir, BPF_FUNC_get_attach_cookie, 1, ctx);
	vreg want = ir_mov(ir, row);

	ir_alui(ir, IR_SHR, want, 32);
	follow_check(cg, follow_of(g), want, out);
	ir_ext(ir, row, 4, false);
	return row;
}

static vreg entry_arg(struct cg *cg, vreg ctx, void *data, int n)
{
	(void)data;
	return regs_entry_arg(cg, ctx, n, BPF_FUNC_probe_read_user);
}

/* At a function's first instruction its return address is on top of the stack; it has no frame yet. */
static vreg entry_caller(struct cg *cg, vreg ctx, void *data)
{
	struct ir *ir = cg_ir(cg);
	int at = cg_probe_stack(cg);

	(void)data;
	ir_call(ir, BPF_FUNC_probe_read_user, 3, ir_stack(ir, at), ir_imm(ir, 8),
		ir_load(ir, 8, ctx, REGS_SP));
	return ir_load(ir, 8, ir_stack(ir, at), 0);
}

static vreg offset_arg(struct cg *cg, vreg ctx, void *data, int n)
{
	(void)ctx;
	(void)data;
	(void)n;
	return ir_imm(cg_ir(cg), 0);
}

#define PID_CG(attach, how, caller)                                                               \
	{                                                                                         \
		.prog_type = BPF_PROG_TYPE_KPROBE, .attach_type = (enum bpf_attach_type)(attach), \
		.prologue = pid_prologue, .arg = how, .user_caller = caller,                      \
	}

static const struct cg_probe_ops multi_cg[] = {
	[PID_ENTRY] = PID_CG(KERN_UPROBE_MULTI, entry_arg, entry_caller),
	[PID_RETURN] = PID_CG(KERN_UPROBE_MULTI, regs_return_arg, NULL),
	[PID_OFFSET] = PID_CG(KERN_UPROBE_MULTI, offset_arg, NULL),
};
static const struct cg_probe_ops perf_cg[] = {
	[PID_ENTRY] = PID_CG(0, entry_arg, entry_caller),
	[PID_RETURN] = PID_CG(0, regs_return_arg, NULL),
	[PID_OFFSET] = PID_CG(0, offset_arg, NULL),
};

uint64_t pid_group_key(const struct probe *probe)
{
	return pid_place(probe)->kind;
}

void pid_group_init(struct probe_group *g, const struct probe *probe)
{
	static const char *const names[] = { "entry", "return", "offset" };
	enum pid_kind kind = pid_place(probe)->kind;

	snprintf(g->name, sizeof(g->name), "pid_%s", names[kind]);
	g->ops = kern_feature(KERN_FEATURE_UPROBE_MULTI) ? &multi_cg[kind] : &perf_cg[kind];
	g->ops_data = g;
	if (follow_of(g))
		g->aux_fd = follow_map(follow_of(g));
	g->nrows = 0;
	g->activity = ABI_ACTIVE;
}

/* ---- returns that are missed ---------------------------------------------------------------------------- */

/*
 * The kernel notes the return addresses of at most 64 calls of a thread; the return of a call deeper than that it does not
 * see. It decides when the function is entered, by a number that a program sees there just before.
 */
#define DEPTH_MAX 64
/* Where each probe is a perf event, which takes the kernel 12 ms and more, returns of no more probes are counted. */
#define COUNTED_MAX 64

struct missed {
	int prog, map;
	size_t rows;
	const uint64_t *n; /* by row; mapped */
};

static int missed_load(const struct missed *m, const struct probe_group *g, int state_fd)
{
	int utask = kern_btf_member_offset("task_struct", "utask"),
	    depth = kern_btf_member_offset("uprobe_task", "depth");
	struct insns c = { .n = 0 };
	uint32_t over[4], n = 0;

	if (utask < 0 || depth < 0)
		return -EOPNOTSUPP;
	insns_put(&c, CALL(BPF_FUNC_get_attach_cookie));
	insns_put(&c, MOV(BPF_REG_7, BPF_REG_0));
	if (!is_confined(g)) {
		insns_put(&c, MOV(BPF_REG_6, BPF_REG_7));
		insns_put(&c, SHRI(BPF_REG_6, 32));
		over[n++] = follow_put_check(&c, follow_of(g), BPF_REG_6);
		insns_put(&c, INSN(BPF_ALU | BPF_MOV | BPF_X, BPF_REG_7, BPF_REG_7, 0, 0));
	}
	insns_put(&c, CALL(BPF_FUNC_get_current_task_btf));
	insns_put(&c, LOAD(BPF_DW, BPF_REG_1, BPF_REG_0, utask));
	insns_put(&c, LOAD(BPF_W, BPF_REG_1, BPF_REG_1, depth));
	over[n++] = insns_jump_if(&c, BPF_JLT, BPF_REG_1, DEPTH_MAX);
	insns_put_imm64(&c, BPF_REG_1, BPF_PSEUDO_MAP_VALUE, state_fd);
	insns_put(&c, LOAD(BPF_W, BPF_REG_1, BPF_REG_1, offsetof(struct abi_state, activity)));
	over[n++] = insns_jump_if(&c, BPF_JNE, BPF_REG_1, ABI_ACTIVE);
	over[n++] = insns_jump_if(&c, BPF_JGE, BPF_REG_7, m->rows);
	insns_put(&c, INSN(BPF_ALU64 | BPF_LSH | BPF_K, BPF_REG_7, 0, 0, 3));
	insns_put_imm64(&c, BPF_REG_1, BPF_PSEUDO_MAP_VALUE, m->map);
	insns_put(&c, INSN(BPF_ALU64 | BPF_ADD | BPF_X, BPF_REG_1, BPF_REG_7, 0, 0));
	insns_put(&c, MOVI(BPF_REG_2, 1));
	insns_put(&c, INSN(BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_1, BPF_REG_2, 0, BPF_ADD));
	while (n)
		insns_land(&c, over[--n]);
	return insns_load(&c, BPF_PROG_TYPE_KPROBE, g->ops->attach_type, "pid_deep");
}

static void missed_destroy(struct missed *m)
{
	kern_close(&m->prog);
	kern_area_destroy(&m->map, (void *)m->n, m->rows * sizeof(*m->n));
	free(m);
}

/* NULL: this kernel does not tell. */
static struct missed *missed_create(const struct probe_group *g, int state_fd)
{
	struct missed *m = mem_alloc(sizeof(*m));
	size_t rows = g->probes.n;
	void *area;

	m->rows = rows;
	m->prog = -1;
	m->map = kern_area_create("dt_deep", rows * sizeof(*m->n), &area);
	m->n = area;
	if (m->n)
		m->prog = missed_load(m, g, state_fd);
	if (m->prog >= 0)
		return m;
	missed_destroy(m);
	return NULL;
}

uint64_t pid_skipped_row(struct probe_group *g, size_t row)
{
	const struct missed *m = g->attached;

	return m && row < m->rows ? __atomic_load_n(&m->n[row], __ATOMIC_RELAXED) : 0;
}

uint64_t pid_skipped(struct probe_group *g)
{
	uint64_t all = 0;

	for (size_t i = 0; i < g->probes.n; i++)
		all += pid_skipped_row(g, i);
	return all;
}

void pid_group_destroy(struct probe_group *g)
{
	if (g->attached)
		missed_destroy(g->attached);
	g->attached = NULL;
}

/* ---- attaching ------------------------------------------------------------------------------------------ */

static struct uprobe_site *sites_make(const struct probe_group *g)
{
	struct uprobe_site *sites = mem_alloc(sizeof(*sites) * g->probes.n);
	bool confined = is_confined(g);

	for (size_t i = 0; i < g->probes.n; i++) {
		const struct place *pl = pid_place(g->probes.v[i]);

		sites[i].probe = g->probes.v[i];
		sites[i].file = pl->file;
		sites[i].pid = follow_forks(follow_of(g), pl->pid) ? 0 : pl->pid;
		sites[i].u.offset = pl->offset;
		sites[i].u.cookie = confined ? i : i | (uint64_t)pl->pid << 32;
	}
	return sites;
}

static int missed_attach(struct probe_group *g, const struct attach_env *env)
{
	struct uprobe_site *sites;
	struct missed *m;
	int err;

	if (!uprobes_multi(g) && g->probes.n > COUNTED_MAX)
		return 0;
	m = g->attached = missed_create(g, env->state_fd);
	if (!m)
		return 0;
	sites = sites_make(g);
	err = uprobes_attach_beside(g, m->prog, sites, g->probes.n);
	free(sites);
	return err;
}

static int follow_processes(const struct probe_group *g)
{
	struct follow *f = follow_of(g);
	int err = 0;

	for (size_t i = 0; f && i < g->probes.n && !err; i++)
		err = follow_add(f, pid_place(g->probes.v[i])->pid);
	return err;
}

int pid_attach(struct probe_group *g, const struct attach_env *env, const char **why)
{
	bool is_return = pid_place(g->probes.v[0])->kind == PID_RETURN;
	struct uprobe_site *sites;
	int err = follow_processes(g);

	*why = "failed to follow forks";
	if (err)
		return err;
	sites = sites_make(g);
	err = uprobes_attach(g, env, sites, g->probes.n, is_return, why);
	free(sites);
	return err || !is_return ? err : missed_attach(g, env);
}
