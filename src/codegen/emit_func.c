/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of long programs.
 *
 * The kernel's verifier looks at a function in a time that grows with the square of its length, and gives up when 8,192
 * jumps lie behind one another on a way through it. So the clauses of a long program stand in functions, "parts", and
 * the record and the ERROR clauses of faults, which every clause would have, in one function for all clauses.
 *
 * They take numbers and find this CPU, the frame and the row again, so that they are global: the verifier looks at each
 * once, alone. Arguments and errno of the probe go by way of the frame. Only a stack needs the context of the
 * program; with that a function is static, and looked at where it is called.
 *
 * A call and what it finds again cost some ns: short programs are one function.
 */
#include <stddef.h>

#include "codegen/cg_impl.h"

#define PART_SIZE 2500 /* instructions of the IR in a part, if it has more than one clause */
#define PARTS_MAX 128  /* the kernel takes 256 functions, those of the runtime among them */

static uint32_t group_size(const struct cg_group *g)
{
	uint32_t n = 0;

	for (size_t k = 0; k < g->nclauses; k++)
		n += g->clauses[k]->size;
	return n;
}

static size_t faulting_clauses(const struct cg_group *g)
{
	size_t n = 0;

	for (size_t k = 0; k < g->nclauses; k++)
		n += g->clauses[k]->can_fault;
	return n;
}

bool func_parts_wanted(const struct cg *cg)
{
	return cg->g->shape != CG_FLAT && cg->g->nclauses > 1 && cg->env->uses_frames &&
	       group_size(cg->g) > FUNC_LONG;
}

/* In a function that was begun: this CPU, what is accounted, the frame. */
static void func_start(struct cg *cg, vreg frame, bool needs_frame)
{
	cg_cpu_find(cg, cg->out);
	if (cg->env->accounting)
		cg->acct = ir_map_elem(cg->ir, CG_MAP_ACCT, cg->slot, cg->out);
	cg->frame_idx = cg->frame = VREG_NONE;
	if (!needs_frame)
		return;
	cg->frame_idx = frame;
	cg->frame = ir_map_elem(cg->ir, CG_MAP_FRAMES, frame, cg->out);
}

/* A function called from cg's; its context is argument n. */
static struct cg func_begin(const struct cg *cg, struct ir_func *f)
{
	struct cg fn = *cg;

	fn.ir = &f->ir;
	fn.probe_slot = fn.comm_slot = fn.time_slot = 0;
	fn.row = fn.rows = fn.acct = VREG_NONE;
	fn.calls++;
	fn.out = ir_label(fn.ir);
	return fn;
}

/* The context is the last argument, and left out where it is not used. */
static void func_end(struct cg *fn, struct ir_func *f, int nargs)
{
	ir_place(fn->ir, fn->out);
	ir_exit(fn->ir, 0);
	f->is_static = ir_reads(&f->ir, fn->ctx);
	f->nargs = nargs + f->is_static;
}

/* ---- parts ---- */

/* Functions that cannot read them themselves find them here. */
static void probe_keep(struct cg *cg)
{
	const struct cg_probe_ops *ops = cg->g->ops;
	unsigned int args = 0;
	bool errnum = false;

	for (size_t k = 0; k < cg->g->nclauses; k++) {
		args |= cg->g->clauses[k]->args;
		errnum |= cg->g->clauses[k]->reads_errno;
	}
	for (int n = 0; n < 10; n++)
		if (args & 1u << n)
			ir_store(cg->ir, 8, cg->frame,
				 (int)offsetof(struct abi_frame, args) + 8 * n,
				 ops->arg(cg, cg->ctx, cg->g->data, n));
	if (!errnum || !ops->err)
		return;
	vreg v = ops->err(cg, cg->ctx, cg->g->data);
	ir_store(cg->ir, 8, cg->frame, offsetof(struct abi_frame, error),
		 v == VREG_NONE ? ir_imm(cg->ir, 0) : v);
}

static void part_emit(struct cg *cg, size_t from, size_t to, vreg index)
{
	struct ir *ir = cg->ir;
	struct ir_func *f = ir_func_add(ir, arena_printf(ir->arena, "clauses_%zu", from + 1));
	struct cg fn = func_begin(cg, f);
	vreg frame = ir_arg(fn.ir, 0), row = ir_arg(fn.ir, 1);

	fn.ctx = ir_arg(fn.ir, 2);
	if (!cg_one_row(cg))
		group_row_find(&fn, row, false, fn.out);
	func_start(&fn, frame, true);
	group_clauses(&fn, from, to);
	func_end(&fn, f, 2);
	ir_comment(ir, "clauses %zu to %zu", from + 1, to);
	ir_callrt(ir, f->name, f->nargs, cg->frame_idx, cg_one_row(cg) ? ir_imm(ir, 0) : index,
		  cg->ctx);
}

void func_parts(struct cg *cg, vreg index)
{
	const struct cg_group *g = cg->g;
	/* Two neighbours are larger than `most` together. */
	uint32_t most = MAX(PART_SIZE, group_size(g) / (PARTS_MAX / 2)), size = 0;
	size_t from = 0;

	probe_keep(cg);
	for (size_t k = 0; k < g->nclauses; k++) {
		if (size && size + g->clauses[k]->size > most) {
			part_emit(cg, from, k, index);
			from = k;
			size = 0;
		}
		size += g->clauses[k]->size;
	}
	part_emit(cg, from, g->nclauses, index);
}

/* ---- faults ---- */

/* The time of the firing is read on the way only if someone asks for it there. */
static bool fault_time(const struct cg *cg)
{
	bool asks = cg->env->temporal;

	for (size_t i = 0; i < cg->g->nerror; i++)
		asks |= cg->g->error_clauses[i]->timestamps > 0;
	return asks && cg->time_kept;
}

/* The function (frame, EPID << 32 | what, value, time, context). */
void func_fault(struct cg *cg)
{
	if (cg->g->shape != CG_FUNCTIONS || faulting_clauses(cg->g) < 2)
		return;
	struct ir_func *f = ir_func_add(cg->ir, "fault");
	struct cg fn = func_begin(cg, f);
	struct ir *ir = fn.ir;
	vreg frame = ir_arg(ir, 0), what = ir_arg(ir, 1), value = ir_arg(ir, 2), t = ir_arg(ir, 3);

	fn.ctx = ir_arg(ir, 4);
	fn.calls += cg->parted;
	fn.time_kept = fault_time(cg);
	if (fn.time_kept) {
		fn.time_slot = ir_stack_alloc(ir, 8);
		ir_store(ir, 8, ir_stack(ir, fn.time_slot), 0, t);
	}
	func_start(&fn, frame, cg->parted || group_frame_needed(cg->g));
	fn.e_packed = true;
	fn.cur = (struct cg_cur){ .cl = group_clause(cg->g, 0),
				  .epid = ir_mov(ir, what),
				  .f_what = what,
				  .f_value = value };
	ir_alui(ir, IR_SHR, fn.cur.epid, 32);
	fault_handle(&fn);
	func_end(&fn, f, 4);
	cg->fault = f;
}

void func_fault_call(struct cg *cg)
{
	struct cg_cur *cur = &cg->cur;
	struct ir *ir = cg->ir;
	vreg what = cg_epid(cg);

	ir_alui(ir, IR_SHL, what, 32);
	ir_alu(ir, IR_OR, what, cur->f_what);
	vreg t = fault_time(cg) ? cg_timestamp(cg) : ir_imm(ir, 0);
	ir_callrt(ir, cg->fault->name, cg->fault->nargs,
		  cg->frame_idx == VREG_NONE ? ir_imm(ir, 0) : cg->frame_idx, what, cur->f_value, t,
		  cg->ctx);
}
