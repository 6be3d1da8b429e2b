/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Subroutines on memory: alloca() and copyin() take scratch of the frame, which is kernel memory
 * like any other: what they give is its address. bcopy() and copyinto() write to scratch only.
 */
#include "codegen/cg_impl.h"

/* ---- taking scratch ---- */

static vreg scratch_end(struct cg *cg)
{
	cg->cur.cl->uses_scratch = true;
	return ir_imm(cg->ir, frame_scratch(cg) + cg->env->scratch);
}

/* Result of rt_copyin() or rt_alloca(), as an address. */
static vreg scratch_address(struct cg *cg, vreg off, vreg from)
{
	struct ir *ir = cg->ir;
	label some = ir_label(ir), ok = ir_label(ir);

	ir_jcci(ir, IR_UGT, off, 1, ok);
	if (from != VREG_NONE) {
		ir_jcci(ir, IR_EQ, off, 1, some);
		fault_throw(cg, ABI_FAULT_BADADDR, from);
		ir_place(ir, some);
	}
	fault_throw(cg, ABI_FAULT_NOSCRATCH, VREG_NONE);
	ir_place(ir, ok);
	ir_alu(ir, IR_ADD, off, frame_address(cg));
	return off;
}

vreg copyin_value(struct cg *cg, const struct node *n)
{
	vreg addr = expr_value(cg, call_arg(n, 0)), size = expr_value(cg, call_arg(n, 1));
	vreg off = ir_callrt(cg->ir, "rt_copyin", 4, frame_index(cg), addr, size, scratch_end(cg));

	return scratch_address(cg, off, addr);
}

vreg alloca_value(struct cg *cg, const struct node *n)
{
	vreg size = expr_value(cg, call_arg(n, 0));
	vreg off = ir_callrt(cg->ir, "rt_alloca", 3, frame_index(cg), size, scratch_end(cg));

	return scratch_address(cg, off, VREG_NONE);
}

/* ---- writing to scratch ---- */

static void scratch_copy(struct cg *cg, vreg from, vreg to, vreg size, bool user)
{
	struct ir *ir = cg->ir;
	label some = ir_label(ir), ok = ir_label(ir);

	cg->cur.cl->uses_scratch = true;
	vreg off = ir_callrt(ir, "rt_scratch_place", 4, frame_index(cg), to, size,
			     ir_imm(ir, frame_scratch(cg)));
	ir_jcci(ir, IR_UGT, off, 1, ok);
	ir_jcci(ir, IR_EQ, off, 1, some);
	fault_throw(cg, ABI_FAULT_BADADDR, to);
	ir_place(ir, some);
	fault_throw(cg, ABI_FAULT_BADSIZE, size);
	ir_place(ir, ok);
	vreg bad = ir_callrt(ir, "rt_scratch_copy", 5, frame_index(cg), off, from, size,
			     ir_imm(ir, user));
	fault_if_nonzero(cg, bad, ABI_FAULT_BADADDR, from);
}

vreg bcopy_value(struct cg *cg, const struct node *n)
{
	vreg from = expr_value(cg, call_arg(n, 0)), to = expr_value(cg, call_arg(n, 1));

	scratch_copy(cg, from, to, expr_value(cg, call_arg(n, 2)), false);
	return ir_imm(cg->ir, 0);
}

vreg copyinto_value(struct cg *cg, const struct node *n)
{
	vreg from = expr_value(cg, call_arg(n, 0)), size = expr_value(cg, call_arg(n, 1));

	scratch_copy(cg, from, expr_value(cg, call_arg(n, 2)), size, true);
	return ir_imm(cg->ir, 0);
}

/* ---- user strings ---- */

/*
 * The largest number of bytes with the NUL, at most strsize. The argument counts characters: where
 * DTrace's documents differ, the one that shows copyinstr(s, 4) giving four of them is followed.
 */
static vreg copyinstr_max(struct cg *cg, const struct node *n)
{
	struct ir *ir = cg->ir;
	uint32_t strsize = cg_strsize(cg);

	if (!n)
		return ir_imm(ir, strsize);
	if (n->kind == NODE_INT)
		return ir_imm(ir, (int64_t)MIN(n->u.integer.value, strsize - 1) + 1);
	label low = ir_label(ir);
	vreg max = expr_value(cg, n);
	ir_jcci(ir, IR_ULE, max, strsize - 1, low);
	ir_imm_to(ir, max, strsize - 1);
	ir_place(ir, low);
	ir_alui(ir, IR_ADD, max, 1);
	return max;
}

void copyinstr_string(struct cg *cg, const struct node *n, struct sval *sv)
{
	struct ir *ir = cg->ir;
	vreg addr = expr_value(cg, call_arg(n, 0));
	vreg max = copyinstr_max(cg, call_arg(n, 1));
	uint32_t dst = frame_temp_string(cg);
	vreg bad = ir_callrt(ir, "rt_str_user", 4, frame_index(cg), ir_imm(ir, dst), addr, max);

	fault_if_nonzero(cg, bad, ABI_FAULT_BADADDR, addr);
	*sv = (struct sval){ .kind = SVAL_FRAME, .off = dst };
}
