/* SPDX-License-Identifier: BSD-2-Clause */
/* Conditions: truth values that are only tested become jumps, not numbers. */
#include <string.h>

#include "codegen/cg_impl.h"

#define INLINE_COMPARE 64 /* literals up to this long are compared by words, in line */

static const struct {
	enum ir_cond is_unsigned, is_signed, negated_unsigned, negated_signed;
} conds[] = {
	[OP_EQ] = { IR_EQ, IR_EQ, IR_NE, IR_NE },     [OP_NE] = { IR_NE, IR_NE, IR_EQ, IR_EQ },
	[OP_LT] = { IR_ULT, IR_SLT, IR_UGE, IR_SGE }, [OP_LE] = { IR_ULE, IR_SLE, IR_UGT, IR_SGT },
	[OP_GT] = { IR_UGT, IR_SGT, IR_ULE, IR_SLE }, [OP_GE] = { IR_UGE, IR_SGE, IR_ULT, IR_SLT },
};

static enum ir_cond cond_of(enum op op, bool is_signed, bool sense)
{
	if (sense)
		return is_signed ? conds[op].is_signed : conds[op].is_unsigned;
	return is_signed ? conds[op].negated_signed : conds[op].negated_unsigned;
}

static void compare_ints(struct cg *cg, const struct node *n, bool sense, label l)
{
	struct type *arith = n->u.op.arith ? n->u.op.arith : n->a->type;
	int size;
	bool is_signed;

	type_width(arith, &size, &is_signed);
	vreg a = expr_operand(cg, n->a, arith);
	enum ir_cond c = cond_of(n->u.op.op, is_signed, sense);
	if (n->b->kind == NODE_INT) {
		ir_jcci(cg->ir, c, a, expr_constant(n->b, arith), l);
		return;
	}
	ir_jcc(cg->ir, c, a, expr_operand(cg, n->b, arith), l);
}

/* A condition known now is still a conditional jump (nothing may become unreachable). */
static void branch_constant(struct cg *cg, bool truth, bool sense, label l)
{
	vreg v = ir_imm(cg->ir, truth);

	ir_jcci(cg->ir, sense ? IR_NE : IR_EQ, v, 0, l);
}

/* Word i of a literal, padded with zeros. */
static uint64_t text_word(const char *s, size_t len, size_t i)
{
	uint64_t w = 0;

	if (8 * i < len)
		memcpy(&w, s + 8 * i, MIN(8, len - 8 * i));
	return w;
}

/* Jumps to differ as soon as the words do; falls through if all are equal. */
static void compare_words(struct cg *cg, vreg w, uint64_t k, label differ)
{
	ir_jcci(cg->ir, IR_NE, w, (int64_t)k, differ);
}

/* Behind the comparison of words. If the jump is for unequal ones, differ was l itself. */
static void words_equal(struct cg *cg, bool jump_if_equal, label differ, label l)
{
	if (!jump_if_equal)
		return;
	ir_jmp(cg->ir, l);
	ir_place(cg->ir, differ);
}

/* execname == "literal" without a frame: the command name is 16 bytes, padded with zeros. */
static void compare_comm(struct cg *cg, const char *s, bool jump_if_equal, label l)
{
	size_t len = strlen(s);
	label differ = jump_if_equal ? ir_label(cg->ir) : l;
	vreg w[2];

	comm_words(cg, w);
	if (len > 15 || len > cg_strsize(cg) - 1) {
		branch_constant(cg, false, jump_if_equal, l);
		return;
	}
	compare_words(cg, w[0], text_word(s, len, 0), differ);
	compare_words(cg, w[1], text_word(s, len, 1), differ);
	words_equal(cg, jump_if_equal, differ, l);
}

/* A string in the frame against a literal: length, then words. */
static void compare_frame_literal(struct cg *cg, uint32_t off, const char *s, bool jump_if_equal,
				  label l)
{
	size_t len = strlen(s);
	label differ = jump_if_equal ? ir_label(cg->ir) : l;

	compare_words(cg, frame_load(cg, 8, off), len, differ);
	for (size_t i = 0; 8 * i < len; i++)
		compare_words(cg, frame_load(cg, 8, off + 8 + 8 * (uint32_t)i),
			      text_word(s, len, i), differ);
	words_equal(cg, jump_if_equal, differ, l);
}

static void compare_svals(struct cg *cg, enum op op, const struct sval *a, const struct sval *b,
			  bool sense, label l)
{
	struct ir *ir = cg->ir;
	vreg order = ir_callrt(ir, "rt_str_cmp", 3, frame_index(cg), ir_imm(ir, sval_frame(cg, a)),
			       ir_imm(ir, sval_frame(cg, b)));

	ir_jcci(ir, cond_of(op, true, sense), order, 0, l);
}

static bool is_comm(const struct node *n)
{
	while (n->kind == NODE_CAST || n->kind == NODE_STRINGOF)
		n = n->a;
	return n->kind == NODE_VAR && n->u.var.ident->kind == IDENT_BUILTIN &&
	       n->u.var.ident->builtin == BUILTIN_EXECNAME;
}

static enum op mirrored(enum op op)
{
	switch (op) {
	case OP_LT: return OP_GT;
	case OP_LE: return OP_GE;
	case OP_GT: return OP_LT;
	case OP_GE: return OP_LE;
	default: return op;
	}
}

/* Strings of the table are equal when their offsets are. */
static void compare_table(struct cg *cg, const struct sval *a, const struct sval *b, bool equal,
			  label l)
{
	if (a->kind == SVAL_CONST && b->kind == SVAL_CONST)
		branch_constant(cg, a->off == b->off, equal, l);
	else if (b->kind == SVAL_CONST)
		ir_jcci(cg->ir, equal ? IR_EQ : IR_NE, a->reg, b->off, l);
	else
		ir_jcc(cg->ir, equal ? IR_EQ : IR_NE, a->reg, b->reg, l);
}

static void compare_strings(struct cg *cg, const struct node *n, bool sense, label l)
{
	enum op op = n->u.op.op;
	const struct node *x = n->a, *y = n->b;
	bool equality = op == OP_EQ || op == OP_NE;
	bool equal = (op == OP_EQ) == sense; /* for an equality: jump when equal */
	uint32_t mark = frame_mark(cg);
	struct sval a, b;

	if (x->kind == NODE_STRING && y->kind != NODE_STRING) {
		x = n->b;
		y = n->a;
		op = mirrored(op);
	}
	if (equality && y->kind == NODE_STRING && is_comm(x) && !cg->cur.execname) {
		compare_comm(cg, y->u.str.s, equal, l);
		return;
	}
	expr_string(cg, x, &a);
	if (a.kind == SVAL_FRAME && a.is_var && expr_has_effects(y)) {
		uint32_t copy = frame_temp_string(cg);

		sval_to(cg, &a, copy);
		a.off = copy;
	}
	expr_string(cg, y, &b);
	bool a_table = a.kind == SVAL_CONST || a.kind == SVAL_TABLE;
	bool b_table = b.kind == SVAL_CONST || b.kind == SVAL_TABLE;
	if (equality && a_table && b_table) {
		if (a.kind == SVAL_CONST)
			compare_table(cg, &b, &a, equal, l);
		else
			compare_table(cg, &a, &b, equal, l);
	} else if (equality && b.kind == SVAL_CONST &&
		   strlen(strtab_get(cg->env->strtab, b.off)) <= INLINE_COMPARE) {
		compare_frame_literal(cg, sval_frame(cg, &a), strtab_get(cg->env->strtab, b.off),
				      equal, l);
	} else if (equality && b.kind == SVAL_NULL) {
		ir_jcci(cg->ir, equal ? IR_EQ : IR_NE, frame_load(cg, 8, sval_frame(cg, &a)), -1,
			l);
	} else {
		compare_svals(cg, op, &a, &b, sense, l);
	}
	frame_release(cg, mark);
}

static void branch_and(struct cg *cg, const struct node *n, bool is_and, bool sense, label l)
{
	label skip = ir_label(cg->ir);

	if (is_and == sense) { /* both must hold (or both fail) for the jump */
		expr_branch(cg, n->a, !sense, skip);
		cg->cur.depth++;
		expr_branch(cg, n->b, sense, l);
		cg->cur.depth--;
	} else {
		expr_branch(cg, n->a, sense, l);
		cg->cur.depth++;
		expr_branch(cg, n->b, sense, l);
		cg->cur.depth--;
	}
	ir_place(cg->ir, skip);
}

/* 0 or 1 by jumps. */
vreg cond_value(struct cg *cg, const struct node *n)
{
	label done = ir_label(cg->ir), no = ir_label(cg->ir);
	vreg v = ir_vreg(cg->ir);

	cg->cur.depth++;
	expr_branch(cg, n, false, no);
	ir_imm_to(cg->ir, v, 1);
	ir_jmp(cg->ir, done);
	ir_place(cg->ir, no);
	ir_imm_to(cg->ir, v, 0);
	ir_place(cg->ir, done);
	cg->cur.depth--;
	return v;
}

static void branch_xor(struct cg *cg, const struct node *n, bool sense, label l)
{
	vreg a = cond_value(cg, n->a), b = cond_value(cg, n->b);

	ir_jcc(cg->ir, sense ? IR_NE : IR_EQ, a, b, l);
}

static void branch_binary(struct cg *cg, const struct node *n, bool sense, label l)
{
	switch (n->u.op.op) {
	case OP_LAND:
	case OP_LOR: branch_and(cg, n, n->u.op.op == OP_LAND, sense, l); return;
	case OP_LXOR: branch_xor(cg, n, sense, l); return;
	case OP_EQ:
	case OP_NE:
	case OP_LT:
	case OP_LE:
	case OP_GT:
	case OP_GE:
		if (expr_is_string(n->a) || expr_is_string(n->b))
			compare_strings(cg, n, sense, l);
		else
			compare_ints(cg, n, sense, l);
		return;
	default: ir_jcci(cg->ir, sense ? IR_NE : IR_EQ, expr_raw(cg, n), 0, l);
	}
}

void expr_branch(struct cg *cg, const struct node *n, bool sense, label l)
{
	if (n->kind == NODE_BINARY)
		branch_binary(cg, n, sense, l);
	else if (n->kind == NODE_UNARY && n->u.op.op == OP_NOT)
		expr_branch(cg, n->a, !sense, l);
	else /* all 64 bits count */
		ir_jcci(cg->ir, sense ? IR_NE : IR_EQ, expr_raw(cg, n), 0, l);
}
