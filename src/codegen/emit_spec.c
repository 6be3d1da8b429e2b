/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Speculations (the states are in abi/abi.h, their changes in runtime/spec.c).
 *
 * A clause whose records all come behind speculate() reserves nothing in the principal buffer. One in
 * which speculate() stands in an `if` reserves there first, as any clause, and gives that up when it
 * gets to speculate(). Behind it the record is filled through the same registers, wherever it is.
 *
 * commit() moves all of this CPU's records as one block with one reservation. What other CPUs have is
 * moved by the cleaner's program, which runs on each of them.
 */
#include <stddef.h>

#include "codegen/cg_impl.h"

static vreg spec_part(struct cg *cg, vreg id)
{
	struct ir *ir = cg->ir;
	vreg part = ir_mov(ir, cg->slot);

	ir_alui(ir, IR_MUL, part, cg->env->conf.nspec);
	ir_alu(ir, IR_ADD, part, id);
	ir_alui(ir, IR_SUB, part, 1);
	return part;
}

/* The element of map specs where this clause has its record. */
static vreg own_part(struct cg *cg)
{
	vreg part = ir_mov(cg->ir, cg->cur.spec);

	ir_alui(cg->ir, IR_SUB, part, 1);
	return part;
}

vreg speculation_value(struct cg *cg, const struct node *n)
{
	(void)n;
	cg->cur.cl->uses_specs = true;
	if (cg->env->conf.nspec)
		return ir_callrt(cg->ir, "rt_speculation", 0);
	cg_count(cg, ABI_DROP_SPECUNAVAIL);
	return ir_imm(cg->ir, 0);
}

/* ---- speculate() ---- */

/* At the start of a clause with speculate(). */
void spec_begin(struct cg *cg)
{
	struct cg_cur *cur = &cg->cur;

	cur->spec = ir_imm(cg->ir, 0);
	cur->spec_off = ir_imm(cg->ir, 0);
	cur->spec_rec = ir_vreg(cg->ir);
	if (cur->cl->spec == CG_SPEC_ALL) {
		cur->rv.rec = cur->spec_rec;
		cur->rv.off = cur->spec_off;
		cur->pos = ir_vreg(cg->ir);
	}
}

static void count_refused(struct cg *cg, vreg why)
{
	struct ir *ir = cg->ir;
	label drop = ir_label(ir), done = ir_label(ir);

	if (!cg->env->accounting)
		return;
	ir_jcci(ir, IR_EQ, why, ABI_SPEC_NOROOM, drop);
	cg_account(cg, ABI_ACCT_SPECSKIP);
	ir_jmp(ir, done);
	ir_place(ir, drop);
	cg_account(cg, ABI_ACCT_SPECDROP);
	ir_place(ir, done);
}

/* Where the record is, from its offset in the part. The jumps are never taken: they tell the verifier. */
static void find_record(struct cg *cg, vreg id, vreg off, uint32_t max)
{
	struct cg_cur *cur = &cg->cur;
	struct ir *ir = cg->ir;
	uint32_t size = cg->env->conf.specsize;

	if (max <= size)
		ir_jcci(ir, IR_UGT, off, size - max, cur->lost);
	else
		ir_jcci(ir, IR_UGE, off, 0, cur->lost);
	vreg part = spec_part(cg, id);
	vreg data = ir_map_elem(ir, CG_MAP_SPECS, part, cur->lost);
	ir_alu(ir, IR_ADD, data, off);
	ir_mov_to(ir, cur->spec_rec, data);
	ir_mov_to(ir, cur->spec_off, off);
	ir_alui(ir, IR_ADD, part, 1);
	ir_jcci(ir, IR_EQ, part, 0, cur->lost);
	ir_mov_to(ir, cur->spec, part);
}

void speculate_emit(struct cg *cg, const struct stmt *s, const struct action *a)
{
	struct cg_cur *cur = &cg->cur;
	const struct layout *l = cur->cl->layout;
	struct ir *ir = cg->ir;
	label ok = ir_label(ir);

	(void)a;
	cur->cl->uses_specs = true;
	vreg id = expr_value(cg, s->expr->u.call.args.v[0]);
	if (cur->records && cur->cl->spec == CG_SPEC_SOME && !cur->staged)
		rec_release(cg);
	vreg off = ir_callrt(ir, "rt_speculate", 3, id, cg->slot, ir_imm(ir, l->max));
	ir_jcci(ir, IR_SGE, off, 0, ok);
	count_refused(cg, off);
	ir_jmp(ir, cur->lost);
	ir_place(ir, ok);
	if (!cur->records)
		return;
	find_record(cg, id, off, l->max);
	if (cur->staged) { /* filled at the end; a fault before that makes filler of it, whose size must be there */
		ir_storei(ir, 4, cur->spec_rec, offsetof(struct abi_rec, size), l->max);
		return;
	}
	if (cur->cl->spec == CG_SPEC_SOME) {
		ir_mov_to(ir, cur->rv.rec, cur->spec_rec);
		ir_mov_to(ir, cur->rv.off, cur->spec_off);
	}
	rec_start(cg, l);
}

/* The record is complete; what its strings or stack did not use is given back. */
void spec_commit(struct cg *cg, const struct layout *l)
{
	struct cg_cur *cur = &cg->cur;
	struct ir *ir = cg->ir;
	label ok = ir_label(ir);

	if (l->nstrings || l->tail) {
		vreg size = rec_size(cg, cur->spec_off);
		vreg end = ir_mov(ir, cur->spec_off);
		ir_alui(ir, IR_ADD, end, l->max);
		vreg unused = ir_imm(ir, l->max);
		ir_alu(ir, IR_SUB, unused, size);
		vreg done = ir_callrt(ir, "rt_spec_give_back", 3, own_part(cg), end, unused);
		ir_jcci(ir, IR_NE, done, 0, ok);
		ir_imm_to(ir, size, l->max);
		ir_place(ir, ok);
		ir_store(ir, 4, cur->spec_rec, offsetof(struct abi_rec, size), size);
	}
	ir_callrt(ir, "rt_spec_leave", 1, own_part(cg));
}

void spec_abandon(struct cg *cg)
{
	ir_callrt(cg->ir, "rt_spec_abandon", 2, own_part(cg), cg->cur.spec_off);
}

/* ---- commit() and discard() ---- */

/* Reserves len bytes in this CPU's principal buffer and copies the part there. */
static void block_move(struct cg *cg, vreg part, vreg len, label lost, label retry)
{
	struct ir *ir = cg->ir;
	struct resv rv = { .retry = retry };

	rec_reserve(cg, &rv, len, cg->env->conf.specsize, RESV_BLOCK, lost);
	vreg time = cg->env->temporal ? rec_time(cg) : ir_imm(ir, 0);
	ir_callrt(ir, "rt_spec_copy", 5, rv.elem, rv.off, part, len, time);
	rec_leave(cg, &rv);
}

static void block_account(struct cg *cg, vreg part, vreg len, enum abi_acct_cause cause)
{
	if (cg->env->accounting)
		ir_callrt(cg->ir, "rt_spec_account", 3, part, len, ir_imm(cg->ir, cause));
}

void commit_emit(struct cg *cg, const struct stmt *s, const struct action *a)
{
	struct ir *ir = cg->ir;
	label good = ir_label(ir), lost = ir_label(ir), retry = ir_label(ir), moved = ir_label(ir),
	      done = ir_label(ir);

	(void)a;
	cg->cur.cl->uses_specs = true;
	vreg id = expr_value(cg, s->expr->u.call.args.v[0]);
	vreg len = ir_callrt(ir, "rt_commit", 2, id, cg->slot);
	ir_jcci(ir, IR_SGE, len, 0, good);
	fault_throw(cg, ABI_FAULT_ILLOP, VREG_NONE);
	ir_place(ir, good);
	ir_jcci(ir, IR_EQ, len, 0, done);
	vreg part = spec_part(cg, id);
	block_move(cg, part, len, lost, retry);
	ir_jmp(ir, moved);
	ir_place(ir, retry);
	ir_imm_to(ir, len, 0);
	ir_jmp(ir, moved);
	ir_place(ir, lost);
	block_account(cg, part, len, ABI_ACCT_SPECLOST);
	ir_place(ir, moved);
	ir_callrt(ir, "rt_spec_done", 3, id, cg->slot, len);
	ir_place(ir, done);
}

void discard_emit(struct cg *cg, const struct stmt *s, const struct action *a)
{
	struct ir *ir = cg->ir;
	label good = ir_label(ir), done = ir_label(ir);

	(void)a;
	cg->cur.cl->uses_specs = true;
	vreg id = expr_value(cg, s->expr->u.call.args.v[0]);
	vreg len = ir_callrt(ir, "rt_discard", 2, id, cg->slot);
	ir_jcci(ir, IR_SGE, len, 0, good);
	fault_throw(cg, ABI_FAULT_ILLOP, VREG_NONE);
	ir_place(ir, good);
	ir_jcci(ir, IR_EQ, len, 0, done);
	block_account(cg, spec_part(cg, id), len, ABI_ACCT_DISCARDED);
	ir_callrt(ir, "rt_spec_done", 3, id, cg->slot, len);
	ir_place(ir, done);
}

/* ---- the cleaner ---- */

int cg_cleaner_emit(struct cg_env *env, struct ir *ir, struct diag *d)
{
	struct cg_group g = { .name = "cleaner", .activity = ABI_ACTIVE };
	struct cg cg = { .env = env,
			 .g = &g,
			 .ir = ir,
			 .d = d,
			 .row = VREG_NONE,
			 .rows = VREG_NONE,
			 .frame = VREG_NONE,
			 .frame_idx = VREG_NONE,
			 .frame_bit = VREG_NONE,
			 .acct = VREG_NONE };
	label lost = ir_label(ir), retry = ir_label(ir);
	struct srcloc none = { 0 };

	cg.ctx = ir_arg(ir, 0);
	vreg id = ir_load(ir, 8, cg.ctx, 0);
	vreg len = ir_load(ir, 8, cg.ctx, 8);
	cg_cpu_find(&cg, retry);
	ir_alui(ir, IR_ADD, id, 1);
	vreg part = spec_part(&cg, id);
	block_move(&cg, part, len, lost, retry);
	ir_exit(ir, 0);
	ir_place(ir, lost);
	block_account(&cg, part, len, ABI_ACCT_SPECLOST);
	ir_exit(ir, 0);
	ir_place(ir, retry);
	ir_exit(ir, 1);
	if (d->set || !ir->error)
		return d->set ? -1 : 0;
	return diag_error(d, NULL, none, "cleaner: %s",
			  ir->error_text ? ir->error_text : "cannot be compiled");
}
