/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expressions whose value is a string. They are named by struct sval and copied only where they must
 * be.
 */
#include <string.h>

#include "codegen/cg_impl.h"

void sval_to(struct cg *cg, const struct sval *sv, uint32_t dst)
{
	struct ir *ir = cg->ir;

	switch (sv->kind) {
	case SVAL_CONST:
		ir_callrt(ir, "rt_str_table", 3, frame_index(cg), ir_imm(ir, dst),
			  ir_imm(ir, sv->off));
		break;
	case SVAL_TABLE:
		ir_callrt(ir, "rt_str_table", 3, frame_index(cg), ir_imm(ir, dst), sv->reg);
		break;
	case SVAL_FRAME:
		if (sv->off != dst)
			ir_callrt(ir, "rt_str_copy", 3, frame_index(cg), ir_imm(ir, dst),
				  ir_imm(ir, sv->off));
		break;
	case SVAL_NULL: frame_storei(cg, 8, dst, -1); break;
	}
}

/* The NULL string is an address like any other: there is nothing to record or to compare. */
void sval_not_null(struct cg *cg, const struct sval *sv)
{
	struct ir *ir = cg->ir;
	label some = ir_label(ir);

	if (sv->kind == SVAL_NULL)
		ir_jcci(ir, IR_NE, ir_imm(ir, 0), 0, some);
	else if (sv->kind == SVAL_FRAME && sv->nullable)
		ir_jcci(ir, IR_NE, frame_load(cg, 8, sv->off), -1, some);
	else
		return;
	fault_throw(cg, ABI_FAULT_BADADDR, VREG_NONE);
	ir_place(ir, some);
}

uint32_t sval_frame(struct cg *cg, const struct sval *sv)
{
	if (sv->kind == SVAL_FRAME)
		return sv->off;
	uint32_t dst = frame_temp_string(cg);
	sval_to(cg, sv, dst);
	return dst;
}

/* The text behind an address in the kernel, or in the frame (copyin). */
static void string_at(struct cg *cg, const struct node *n, struct sval *sv)
{
	struct ir *ir = cg->ir;
	uint32_t dst = frame_temp_string(cg);
	bool is_array = n->type && type_resolve(n->type)->kind == TYPE_ARRAY;
	vreg addr = expr_value(cg, n);
	uint64_t max = cg_strsize(cg);

	if (is_array && type_resolve(n->type)->size && type_resolve(n->type)->size < max)
		max = type_resolve(n->type)->size + 1; /* an array may lack its NUL */
	vreg bad = ir_callrt(ir, "rt_str_kernel", 4, frame_index(cg), ir_imm(ir, dst), addr,
			     ir_imm(ir, (int64_t)max));
	fault_if_nonzero(cg, bad, ABI_FAULT_BADADDR, addr);
	*sv = (struct sval){ .kind = SVAL_FRAME, .off = dst };
}

static void cond_string(struct cg *cg, const struct node *n, struct sval *sv)
{
	label other = ir_label(cg->ir), done = ir_label(cg->ir);
	uint32_t dst = frame_temp_string(cg);
	struct sval arm;

	expr_branch(cg, n->a, false, other);
	cg->cur.depth++;
	expr_string(cg, n->b, &arm);
	sval_to(cg, &arm, dst);
	ir_jmp(cg->ir, done);
	ir_place(cg->ir, other);
	expr_string(cg, n->c, &arm);
	sval_to(cg, &arm, dst);
	ir_place(cg->ir, done);
	cg->cur.depth--;
	*sv = (struct sval){ .kind = SVAL_FRAME, .off = dst, .nullable = true };
}

static void assign_string(struct cg *cg, const struct node *n, struct sval *sv)
{
	struct lval lv;

	expr_string(cg, n->b, sv);
	if (lval_make(cg, n->a, &lv))
		lval_store_string(cg, &lv, sv);
}

void expr_string(struct cg *cg, const struct node *n, struct sval *sv)
{
	*sv = (struct sval){ .kind = SVAL_NULL };
	while (n->kind == NODE_CAST && n->a->type &&
	       expr_is_string(n->a)) /* a string passed as a char * */
		n = n->a;
	if (!expr_is_string(n)) {
		string_at(cg, n, sv);
		return;
	}
	switch (n->kind) {
	case NODE_INT: /* the checker makes NULL so */ break;
	case NODE_STRING:
		*sv = (struct sval){ .kind = SVAL_CONST,
				     .off = strtab_add(cg->env->strtab, n->u.str.s,
						       MIN(strnlen(n->u.str.s, n->u.str.len),
							   cg_strsize(cg) - 1)) };
		break;
	case NODE_VAR:
	case NODE_INDEX:
	case NODE_MEMBER:
	case NODE_UNARY: var_string(cg, n, sv); break;
	case NODE_CALL: call_string(cg, n, sv); break;
	case NODE_CAST:
	case NODE_STRINGOF: expr_string(cg, n->a, sv); break;
	case NODE_COND: cond_string(cg, n, sv); break;
	case NODE_ASSIGN: assign_string(cg, n, sv); break;
	case NODE_COMMA:
		expr_effect(cg, n->a);
		expr_string(cg, n->b, sv);
		break;
	default: cg_error(cg, n->loc, "this string expression is not implemented (yet)");
	}
}
