/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The provider lockstat: waits for locks of the kernel (providers.md 14), from the tracepoints contention_begin(lock,
 * flags) and contention_end(lock, result).
 *
 * A small program on contention_begin notes in a table, under the thread and the lock, when the wait began and what
 * kind of lock it is; the programs of the probes are on contention_end and find it there. A wait can have several parts (a
 * mutex is spun for, then slept for, then spun for again), each with a beginning of its own: the first tells the
 * time, and it was a sleep if any was one.
 *
 * Locks that are had at once pass no tracepoint: there are no probes for acquisition and release.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>

#include "kern/insns.h"
#include "provider/tracepoint.h"

/* Flags of contention_begin. */
enum { LCB_SPIN = 1, LCB_READ = 2, LCB_WRITE = 4, LCB_RT = 8, LCB_MUTEX = 32 };

#define ARGS_MAX 3

enum value { NOTHING, LOCK, NS, KIND, ERROR };

static const struct lock_probe {
	const char *name;
	uint32_t mask, flags; /* flags & mask == flags */
	uint32_t any;	      /* 0, or some of these are set */
	bool failed;	      /* only waits that came to nothing */
	enum value value[ARGS_MAX];
	const char *type[ARGS_MAX + 1];
} rows[] = {
	{ "adaptive-acquire-error", LCB_MUTEX, LCB_MUTEX, 0, true, { LOCK, ERROR }, { "struct mutex *", "int" } },
	{ "adaptive-block", LCB_MUTEX | LCB_SPIN, LCB_MUTEX, 0, false, { LOCK, NS }, { "struct mutex *", "uint64_t" } },
	{ "adaptive-spin", LCB_MUTEX | LCB_SPIN, LCB_MUTEX | LCB_SPIN, 0, false, { LOCK, NS },
	  { "struct mutex *", "uint64_t" } },
	{ "rw-block", LCB_MUTEX | LCB_SPIN | LCB_RT, 0, LCB_READ | LCB_WRITE, false, { LOCK, NS, KIND },
	  { "struct rw_semaphore *", "uint64_t", "int" } },
	{ "rw-spin", LCB_MUTEX | LCB_SPIN, LCB_SPIN, LCB_READ | LCB_WRITE, false, { LOCK, NS, KIND },
	  { "rwlock_t *", "uint64_t", "int" } },
	{ "spin-spin", LCB_MUTEX | LCB_SPIN | LCB_READ | LCB_WRITE, LCB_SPIN, 0, false, { LOCK, NS },
	  { "spinlock_t *", "uint64_t" } },
};

/* One wait. Cells that are under way and overwritten are lost and counted in the cell before the first. */
struct cell {
	uint64_t task, lock;
	uint64_t since, ns;
	uint32_t flags, ended;
};

#define CELL_SHIFT 6
#define NCELLS_SHIFT 12
#define TABLE (((1u << NCELLS_SHIFT) + 1) << CELL_SHIFT)
#define MIX 0x61c88647 /* spreads the numbers of threads and locks */

_Static_assert(sizeof(struct cell) <= 1u << CELL_SHIFT, "cells are that far apart");

struct lockstat {
	int map, prog, link;
	const uint64_t *lost;
};

/* ---- the beginning ----------------------------------------------------------------------------------- */

#define ALUI(op, d, i) INSN(BPF_ALU64 | (op) | BPF_K, d, 0, 0, i)
#define ALU(op, d, s) INSN(BPF_ALU64 | (op) | BPF_X, d, s, 0, 0)
#define JCC(op, d, s, o) INSN(BPF_JMP | (op) | BPF_X, d, s, o, 0)
#define JCCI(op, d, i, o) INSN(BPF_JMP | (op) | BPF_K, d, 0, o, i)
#define AT(member) ((int)offsetof(struct cell, member))

static int begin_load(int map)
{
	const struct bpf_insn insns[] = {
		MOV(BPF_REG_6, BPF_REG_1),
		LOAD(BPF_DW, BPF_REG_7, BPF_REG_6, 0), /* the lock */
		LOAD(BPF_DW, BPF_REG_8, BPF_REG_6, 8), /* flags */
		CALL(BPF_FUNC_get_current_task),
		MOV(BPF_REG_9, BPF_REG_0),
		/* r6: the cell, as cell_find() does it */
		MOV(BPF_REG_1, BPF_REG_9),
		ALU(BPF_XOR, BPF_REG_1, BPF_REG_7),
		ALUI(BPF_RSH, BPF_REG_1, 3),
		ALUI(BPF_MUL, BPF_REG_1, MIX),
		ALUI(BPF_RSH, BPF_REG_1, 20),
		ALUI(BPF_AND, BPF_REG_1, (1 << NCELLS_SHIFT) - 1),
		ALUI(BPF_ADD, BPF_REG_1, 1),
		ALUI(BPF_LSH, BPF_REG_1, CELL_SHIFT),
		INSN(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_6, BPF_PSEUDO_MAP_VALUE, 0, map),
		INSN(0, 0, 0, 0, 0),
		MOV(BPF_REG_2, BPF_REG_6),
		ALU(BPF_ADD, BPF_REG_6, BPF_REG_1),
		/* Is it in use? */
		LOAD(BPF_DW, BPF_REG_3, BPF_REG_6, AT(task)),
		JCCI(BPF_JEQ, BPF_REG_3, 0, 12),
		LOAD(BPF_W, BPF_REG_4, BPF_REG_6, AT(ended)),
		JCCI(BPF_JNE, BPF_REG_4, 0, 10),
		LOAD(BPF_DW, BPF_REG_4, BPF_REG_6, AT(lock)),
		JCC(BPF_JNE, BPF_REG_3, BPF_REG_9, 6),
		JCC(BPF_JNE, BPF_REG_4, BPF_REG_7, 5),
		/* By another part of this wait: it sleeps if one does. */
		LOAD(BPF_W, BPF_REG_3, BPF_REG_6, AT(flags)),
		ALU(BPF_AND, BPF_REG_3, BPF_REG_8),
		STORE(BPF_W, BPF_REG_6, AT(flags), BPF_REG_3),
		ALUI(BPF_MOV, BPF_REG_0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
		/* By another wait. */
		ALUI(BPF_MOV, BPF_REG_3, 1),
		INSN(BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_2, BPF_REG_3, 0, BPF_ADD),
		CALL(BPF_FUNC_ktime_get_ns),
		STORE(BPF_DW, BPF_REG_6, AT(since), BPF_REG_0),
		STORE(BPF_DW, BPF_REG_6, AT(lock), BPF_REG_7),
		STORE(BPF_W, BPF_REG_6, AT(flags), BPF_REG_8),
		STOREI(BPF_W, BPF_REG_6, AT(ended), 0),
		STORE(BPF_DW, BPF_REG_6, AT(task), BPF_REG_9),
		ALUI(BPF_MOV, BPF_REG_0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	struct kern_prog_attr attr = {
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.name = "lock_begin",
		.insns = insns,
		.insn_cnt = ARRAY_SIZE(insns),
	};

	return kern_prog_load(&attr);
}

/* ---- the end ----------------------------------------------------------------------------------------- */

/* The cell of this thread and the lock; another one's is not taken for it: -> out. */
static vreg cell_find(struct cg *cg, vreg ctx, label out)
{
	struct ir *ir = cg_ir(cg);
	vreg task = ir_call(ir, BPF_FUNC_get_current_task, 0);
	vreg lock = ir_load(ir, 8, ctx, 0);
	vreg cell = ir_mov(ir, task);

	ir_alu(ir, IR_XOR, cell, lock);
	ir_alui(ir, IR_SHR, cell, 3);
	ir_alui(ir, IR_MUL, cell, MIX);
	ir_alui(ir, IR_SHR, cell, 20);
	ir_alui(ir, IR_AND, cell, (1 << NCELLS_SHIFT) - 1);
	ir_alui(ir, IR_ADD, cell, 1);
	ir_alui(ir, IR_SHL, cell, CELL_SHIFT);
	vreg where = ir_mapval(ir, CG_MAP_AUX, 0);

	ir_alu(ir, IR_ADD, where, cell);
	ir_jcc(ir, IR_NE, ir_load(ir, 8, where, AT(task)), task, out);
	ir_jcc(ir, IR_NE, ir_load(ir, 8, where, AT(lock)), lock, out);
	return where;
}

static vreg lock_prologue(struct cg *cg, vreg ctx, void *data, label out)
{
	const struct lock_probe *k = data;
	struct ir *ir = cg_ir(cg);

	if (k->failed) {
		vreg result = ir_load(ir, 8, ctx, 8);

		ir_ext(ir, result, 4, true);
		ir_jcci(ir, IR_SGE, result, 0, out);
	}
	ir_comment(ir, "when and how did the wait begin?");
	vreg cell = cell_find(cg, ctx, out);
	vreg ns = ir_call(ir, BPF_FUNC_ktime_get_ns, 0);
	vreg flags = ir_load(ir, 4, cell, AT(flags));

	ir_alu(ir, IR_SUB, ns, ir_load(ir, 8, cell, AT(since)));
	ir_store(ir, 8, cell, AT(ns), ns);
	ir_storei(ir, 4, cell, AT(ended), 1);
	if (k->any) {
		vreg some = ir_mov(ir, flags);

		ir_alui(ir, IR_AND, some, k->any);
		ir_jcci(ir, IR_EQ, some, 0, out);
	}
	ir_alui(ir, IR_AND, flags, k->mask);
	ir_jcci(ir, IR_NE, flags, k->flags, out);
	return VREG_NONE;
}

static vreg lock_arg(struct cg *cg, vreg ctx, void *data, int n)
{
	const struct lock_probe *k = data;
	struct ir *ir = cg_ir(cg);
	enum value value = n < ARGS_MAX ? k->value[n] : NOTHING;

	if (value == LOCK)
		return ir_load(ir, 8, ctx, 0);
	if (value == NOTHING)
		return ir_imm(ir, 0);
	if (value == ERROR) {
		vreg result = ir_load(ir, 8, ctx, 8);

		ir_ext(ir, result, 4, true);
		ir_neg(ir, result);
		return result;
	}
	label done = ir_label(ir);
	vreg v = ir_vreg(ir);

	ir_imm_to(ir, v, 0);
	vreg cell = cell_find(cg, ctx, done);

	if (value == NS) {
		ir_mov_to(ir, v, ir_load(ir, 8, cell, AT(ns)));
	} else {
		/* RW_WRITER 0, RW_READER 1 */
		vreg flags = ir_load(ir, 4, cell, AT(flags));

		ir_alui(ir, IR_AND, flags, LCB_READ);
		ir_alui(ir, IR_SHR, flags, 1);
		ir_mov_to(ir, v, flags);
	}
	ir_place(ir, done);
	return v;
}

static const struct cg_probe_ops lock_cg = {
	.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
	.prologue = lock_prologue,
	.arg = lock_arg,
};

/* ---- hooks ------------------------------------------------------------------------------------------- */

static void look(void *arg, const char *name)
{
	*(int *)arg += !strcmp(name, "contention_begin") || !strcmp(name, "contention_end");
}

static bool available(void)
{
	int have = 0;

	kern_btf_tracepoints(look, &have);
	return have == 2 && kern_feature(KERN_FEATURE_RAW_TP);
}

static const char *lockstat_unavailable(const struct probespec *spec)
{
	(void)spec;
	return available() ? NULL : "this kernel has no tracepoints for waits for locks";
}

static int lockstat_provide(struct probes *t, struct provider *p)
{
	if (!available())
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		probes_add(t, p, "vmlinux", "", rows[i].name, i);
	return 0;
}

static const char *const *lockstat_args(struct probes *t, const struct probe *probe)
{
	(void)t;
	return rows[probe->data].type;
}

static uint64_t lockstat_group_key(const struct probe *probe)
{
	return probe->data;
}

/* The table is shared by the programs of all probes. */
static struct lockstat *lockstat_get(struct provider *p)
{
	struct lockstat *ls = p->data;
	void *area;

	if (ls)
		return ls;
	ls = p->data = mem_alloc(sizeof(*ls));
	ls->prog = ls->link = -1;
	ls->map = kern_map_create(BPF_MAP_TYPE_ARRAY, "dt_locks", 4, TABLE, 1, BPF_F_MMAPABLE);
	if (ls->map >= 0 && !kern_map_mmap(ls->map, sizeof(uint64_t), PROT_READ, &area))
		ls->lost = area;
	return ls;
}

static void lockstat_group_init(struct probe_group *g, const struct probe *probe)
{
	snprintf(g->name, sizeof(g->name), "%.15s", probe->name);
	g->ops = &lock_cg;
	g->ops_data = (void *)&rows[probe->data];
	g->tracepoint = "contention_end";
	g->aux_fd = lockstat_get(probe->provider)->map;
	g->nrows = 1;
	g->activity = ABI_ACTIVE;
}

static int lockstat_attach(struct probe_group *g, const struct attach_env *env, const char **why)
{
	struct lockstat *ls = g->provider->data;
	int err;

	(void)env;
	if (ls->link < 0) {
		*why = "failed to follow the waits for locks";
		if (ls->map < 0)
			return ls->map;
		if (ls->prog < 0)
			ls->prog = begin_load(ls->map);
		if (ls->prog < 0)
			return ls->prog;
	}
	/* The end first: no wait is noted of which the end would not be seen. */
	err = tracepoint_attach(g, g->tracepoint, why);
	if (!err && ls->link < 0) {
		*why = "failed to attach to a tracepoint";
		ls->link = kern_raw_tp_attach(ls->prog, "contention_begin");
		err = ls->link < 0 ? ls->link : 0;
	}
	return err;
}

/* Waits whose beginning was overwritten: of whichever probe, so that they are told once. */
static uint64_t lockstat_skipped(struct probe_group *g)
{
	struct lockstat *ls = g->provider->data;
	uint64_t lost = ls->lost ? *ls->lost : 0;

	if (ls->lost)
		munmap((void *)ls->lost, sizeof(uint64_t));
	ls->lost = NULL;
	return lost;
}

static void lockstat_destroy(struct provider *p)
{
	struct lockstat *ls = p->data;

	if (!ls)
		return;
	if (ls->lost)
		munmap((void *)ls->lost, sizeof(uint64_t));
	kern_close(&ls->link);
	kern_close(&ls->prog);
	kern_close(&ls->map);
	free(ls);
	p->data = NULL;
}

const struct provider_ops provider_lockstat = {
	.name = "lockstat",
	.stability = { "Evolving/Evolving/ISA", "Private/Private/Unknown", "Private/Private/Unknown",
		       "Evolving/Evolving/ISA", "Evolving/Evolving/ISA" },
	.provide = lockstat_provide,
	.unavailable = lockstat_unavailable,
	.args = lockstat_args,
	.group_key = lockstat_group_key,
	.group_init = lockstat_group_init,
	.attach = lockstat_attach,
	.skipped = lockstat_skipped,
	.destroy = lockstat_destroy,
};
