/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expressions. Integers are computed in 64-bit registers; a chain of operations of
 * one type is not cut in between, so that a value is brought to its type's width where it leaves
 * the chain: at a cast, a store, a record, a call, or as operand of a wider type. Strings are named
 * by struct sval and copied only where they must be. Truth values that are only tested become
 * jumps, not numbers.
 */
#include <string.h>

#include "codegen/cg_impl.h"

#define INLINE_COMPARE 64 /* literals up to this long are compared by words, in line */

/* ---- types ---- */

/* Width and signedness of a value in a register: pointers, arrays and strings are addresses. */
void type_width(struct type *t, int *size, bool *is_signed)
{
	*size = 8;
	*is_signed = false;
	if (!t)
		return;
	t = type_resolve(t);
	if (t->kind == TYPE_INT || t->kind == TYPE_ENUM) {
		*size = (int)t->size;
		*is_signed = t->is_signed;
	}
	if (*size != 1 && *size != 2 && *size != 4)
		*size = 8;
}

bool expr_is_string(const struct node *n)
{
	return n->type && type_is_string(n->type);
}

bool expr_has_effects(const struct node *n)
{
	if (!n)
		return false;
	switch (n->kind) {
	case NODE_ASSIGN:
	case NODE_INCDEC: return true;
	case NODE_CALL:
		for (size_t i = 0; i < n->u.call.args.n; i++)
			if (expr_has_effects(n->u.call.args.v[i]))
				return true;
		return false;
	case NODE_INDEX:
		for (size_t i = 0; i < n->u.index.keys.n; i++)
			if (expr_has_effects(n->u.index.keys.v[i]))
				return true;
		break;
	default: break;
	}
	return expr_has_effects(n->a) || expr_has_effects(n->b) || expr_has_effects(n->c);
}

/* Is the register of expr_raw() already of the type's width? */
static bool is_canonical(const struct node *n)
{
	switch (n->kind) {
	case NODE_INT: return false; /* folded like a chain */
	case NODE_BINARY: return n->u.op.op >= OP_EQ && n->u.op.op <= OP_LXOR;
	case NODE_UNARY:
		return n->u.op.op == OP_NOT || n->u.op.op == OP_DEREF || n->u.op.op == OP_ADDROF;
	case NODE_COMMA: return is_canonical(n->b);
	case NODE_COND: return is_canonical(n->b) && is_canonical(n->c);
	default: return true;
	}
}

/* Brings v from one type to another. A narrower value is first cut to its own width. */
void expr_convert(struct cg *cg, vreg v, struct type *from, struct type *to, bool canonical)
{
	int fs, ts;
	bool fsigned, tsigned;

	type_width(from, &fs, &fsigned);
	type_width(to, &ts, &tsigned);
	if (fs < ts) {
		if (!canonical)
			ir_ext(cg->ir, v, fs, fsigned);
		if (fsigned && !tsigned)
			ir_ext(cg->ir, v, ts, false);
		return;
	}
	if (!canonical || fs > ts || fsigned != tsigned)
		ir_ext(cg->ir, v, ts, tsigned);
}

/* A constant brought to the width of a type. */
int64_t expr_constant(const struct node *n, struct type *t)
{
	uint64_t v = n->u.integer.value;
	int size;
	bool is_signed;

	type_width(t, &size, &is_signed);
	if (size == 8)
		return (int64_t)v;
	int shift = 64 - 8 * size;
	return is_signed ? (int64_t)(v << shift) >> shift : (int64_t)(v << shift >> shift);
}

vreg expr_value(struct cg *cg, const struct node *n)
{
	if (n->kind == NODE_INT)
		return ir_imm(cg->ir, expr_constant(n, n->type));
	vreg v = expr_raw(cg, n);

	if (!is_canonical(n))
		expr_convert(cg, v, n->type, n->type, false);
	return v;
}

vreg expr_as(struct cg *cg, const struct node *n, struct type *to)
{
	vreg v = expr_raw(cg, n);

	expr_convert(cg, v, n->type, to, is_canonical(n));
	return v;
}

/* Operand of an operation in the type arith: one of that type itself is not cut. */
static vreg operand(struct cg *cg, const struct node *n, struct type *arith)
{
	int as, ns;
	bool asigned, nsigned;

	if (!arith)
		return expr_raw(cg, n);
	type_width(arith, &as, &asigned);
	type_width(n->type, &ns, &nsigned);
	if (as == ns && asigned == nsigned)
		return expr_raw(cg, n);
	return expr_as(cg, n, arith);
}

/* ---- arithmetic ---- */

static vreg divide(struct cg *cg, enum op op, bool is_signed, vreg a, vreg b, bool b_nonzero)
{
	if (!b_nonzero)
		fault_if_zero(cg, b, ABI_FAULT_DIVZERO, VREG_NONE);
	if (is_signed)
		return ir_callrt(cg->ir, op == OP_DIV ? "rt_sdiv" : "rt_smod", 2, a, b);
	ir_alu(cg->ir, op == OP_DIV ? IR_UDIV : IR_UMOD, a, b);
	return a;
}

/* a op b in the type arith; takes both registers. b_nonzero: a divisor known not to be 0. */
vreg expr_arith(struct cg *cg, enum op op, struct type *arith, vreg a, vreg b, bool b_nonzero)
{
	static const enum ir_alu alu[] = {
		[OP_ADD] = IR_ADD, [OP_SUB] = IR_SUB, [OP_MUL] = IR_MUL, [OP_AND] = IR_AND,
		[OP_OR] = IR_OR,   [OP_XOR] = IR_XOR, [OP_SHL] = IR_SHL, [OP_SHR] = IR_SHR,
	};
	enum ir_alu o;
	int size;
	bool is_signed;

	type_width(arith, &size, &is_signed);
	switch (op) {
	case OP_DIV:
	case OP_MOD: return divide(cg, op, is_signed, a, b, b_nonzero);
	case OP_SHL:
	case OP_SHR: /* the count counts modulo 64 */
		ir_alui(cg->ir, IR_AND, b, 63);
		o = op == OP_SHR && is_signed ? IR_SAR : alu[op];
		break;
	default: o = alu[op];
	}
	ir_alu(cg->ir, o, a, b);
	return a;
}

/* a op constant, without a register for it. */
static bool arith_imm(struct cg *cg, enum op op, struct type *arith, vreg a, uint64_t k)
{
	int size;
	bool is_signed;

	type_width(arith, &size, &is_signed);
	switch (op) {
	case OP_ADD: ir_alui(cg->ir, IR_ADD, a, (int64_t)k); return true;
	case OP_SUB: ir_alui(cg->ir, IR_SUB, a, (int64_t)k); return true;
	case OP_MUL: ir_alui(cg->ir, IR_MUL, a, (int64_t)k); return true;
	case OP_AND: ir_alui(cg->ir, IR_AND, a, (int64_t)k); return true;
	case OP_OR: ir_alui(cg->ir, IR_OR, a, (int64_t)k); return true;
	case OP_XOR: ir_alui(cg->ir, IR_XOR, a, (int64_t)k); return true;
	case OP_SHL: ir_alui(cg->ir, IR_SHL, a, (int64_t)(k & 63)); return true;
	case OP_SHR:
		ir_alui(cg->ir, is_signed ? IR_SAR : IR_SHR, a, (int64_t)(k & 63));
		return true;
	case OP_DIV:
	case OP_MOD:
		if (is_signed || k == 0)
			return false;
		if (size == 4)
			k = (uint32_t)k;
		ir_alui(cg->ir, op == OP_DIV ? IR_UDIV : IR_UMOD, a, (int64_t)k);
		return true;
	default: return false;
	}
}

/* Bytes that a step of a pointer is; 0 for no pointer. */
static uint64_t pointee_size(struct type *t)
{
	t = t ? type_resolve(t) : NULL;
	if (!t || (t->kind != TYPE_POINTER && t->kind != TYPE_ARRAY) || !t->ref)
		return 0;
	return type_resolve(t->ref)->size;
}

/* p + i, p - i: in steps of what p points to. */
static vreg pointer_step(struct cg *cg, vreg p, const struct node *i, uint64_t step, bool minus)
{
	if (i->kind == NODE_INT) {
		ir_alui(cg->ir, minus ? IR_SUB : IR_ADD, p, (int64_t)(i->u.integer.value * step));
		return p;
	}
	vreg v = expr_value(cg, i);
	if (step != 1)
		ir_alui(cg->ir, IR_MUL, v, (int64_t)step);
	ir_alu(cg->ir, minus ? IR_SUB : IR_ADD, p, v);
	return p;
}

/* p - q, in elements */
static vreg pointer_difference(struct cg *cg, const struct node *n, uint64_t step)
{
	vreg a = expr_value(cg, n->a), b = expr_value(cg, n->b);

	ir_alu(cg->ir, IR_SUB, a, b);
	return step == 1 ? a : ir_callrt(cg->ir, "rt_sdiv", 2, a, ir_imm(cg->ir, (int64_t)step));
}

/* May the other operand be evaluated before this one? Nothing can come of it but its value. */
static bool is_plain(const struct node *n)
{
	while (n->kind == NODE_CAST)
		n = n->a;
	return n->kind == NODE_INT ||
	       (n->kind == NODE_VAR && (n->u.var.ident->kind == IDENT_GLOBAL ||
					n->u.var.ident->kind == IDENT_CLAUSE));
}

static vreg binary_value(struct cg *cg, const struct node *n)
{
	enum op op = n->u.op.op;
	struct type *arith = n->u.op.arith ? n->u.op.arith : n->type;
	uint64_t step = op == OP_ADD || op == OP_SUB ? pointee_size(n->a->type) : 0;

	if (step && pointee_size(n->b->type))
		return pointer_difference(cg, n, step);
	if (step)
		return pointer_step(cg, expr_value(cg, n->a), n->b, step, op == OP_SUB);
	bool shift = op == OP_SHL || op == OP_SHR;
	if (shift)
		arith = n->type; /* that of the left operand */
	if (!shift && is_plain(n->a) && !is_plain(n->b) && !expr_has_effects(n->b)) {
		vreg right = operand(cg, n->b, arith); /* the left one need not wait in a register */

		return expr_arith(cg, op, arith, operand(cg, n->a, arith), right, false);
	}
	vreg a = operand(cg, n->a, arith);
	if (n->b->kind == NODE_INT && arith_imm(cg, op, arith, a, n->b->u.integer.value))
		return a;
	vreg b = shift ? expr_value(cg, n->b) : operand(cg, n->b, arith);
	return expr_arith(cg, op, arith, a, b,
			  n->b->kind == NODE_INT && n->b->u.integer.value != 0);
}

/* 0 or 1 by jumps. */
static vreg truth_value(struct cg *cg, const struct node *n)
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

static vreg unary_value(struct cg *cg, const struct node *n)
{
	vreg v;

	switch (n->u.op.op) {
	case OP_NOT: return truth_value(cg, n);
	case OP_NEG:
		v = operand(cg, n->a, n->type);
		ir_neg(cg->ir, v);
		return v;
	case OP_COMPL:
		v = operand(cg, n->a, n->type);
		ir_alui(cg->ir, IR_XOR, v, -1);
		return v;
	case OP_PLUS: return operand(cg, n->a, n->type);
	case OP_DEREF: return mem_value(cg, n);
	case OP_ADDROF: return mem_address(cg, n->a);
	default:
		cg_error(cg, n->loc, "this operator is not implemented (yet)");
		return ir_imm(cg->ir, 0);
	}
}

/* Has the value of n the width of a value of type t? */
static bool same_width(const struct node *n, struct type *t)
{
	int as, bs;
	bool asigned, bsigned;

	type_width(n->type, &as, &asigned);
	type_width(t, &bs, &bsigned);
	return as == bs && asigned == bsigned;
}

/*
 * a ? x : b ? y : z ...: however long such a table is, one register holds its value. All but the first
 * condition are met on some ways only.
 */
static vreg cond_value(struct cg *cg, const struct node *n)
{
	struct type *type = n->type;
	label done = ir_label(cg->ir), other = ir_label(cg->ir);
	vreg v = ir_vreg(cg->ir);

	expr_branch(cg, n->a, false, other);
	cg->cur.depth++;
	for (;;) {
		ir_mov_to(cg->ir, v, operand(cg, n->b, type));
		ir_jmp(cg->ir, done);
		ir_place(cg->ir, other);
		if (n->c->kind != NODE_COND || !same_width(n->c, type))
			break;
		n = n->c;
		other = ir_label(cg->ir);
		expr_branch(cg, n->a, false, other);
	}
	ir_mov_to(cg->ir, v, operand(cg, n->c, type));
	ir_place(cg->ir, done);
	cg->cur.depth--;
	return v;
}

static vreg cast_value(struct cg *cg, const struct node *n)
{
	if (n->a->type && type_is_string(n->a->type) && n->a->kind != NODE_INT) {
		struct sval sv;

		expr_string(cg, n->a, &sv);
		cg_error(cg, n->loc, "a string cannot be converted to a number or an address");
		return ir_imm(cg->ir, 0);
	}
	return expr_as(cg, n->a, n->type);
}

/* ---- assignment ---- */

/* The old value of the variable combined with the right side, in the type that the checker chose.
 */
static vreg assign_op(struct cg *cg, const struct node *n, vreg old)
{
	enum op op = n->u.op.op;
	struct type *arith = n->u.op.arith ? n->u.op.arith : n->a->type;
	uint64_t step = op == OP_ADD || op == OP_SUB ? pointee_size(n->a->type) : 0;

	if (step)
		return pointer_step(cg, old, n->b, step, op == OP_SUB);
	bool shift = op == OP_SHL || op == OP_SHR;
	if (shift)
		arith = n->a->type;
	expr_convert(cg, old, n->a->type, arith, true);
	if (n->b->kind == NODE_INT && arith_imm(cg, op, arith, old, n->b->u.integer.value))
		return old;
	vreg b = shift ? expr_value(cg, n->b) : operand(cg, n->b, arith);
	return expr_arith(cg, op, arith, old, b,
			  n->b->kind == NODE_INT && n->b->u.integer.value != 0);
}

static vreg assign_value(struct cg *cg, const struct node *n)
{
	struct lval lv;
	struct bytes b;
	vreg v;

	if (type_is_bytes(n->type)) {
		expr_bytes(cg, n, &b);
		return b.at;
	}
	if (n->u.op.op ==
	    OP_ASSIGN) { /* the right side first, then the keys of the left */
		v = expr_as(cg, n->b, n->a->type);
		if (!lval_make(cg, n->a, &lv))
			return v;
	} else {
		if (!lval_make(cg, n->a, &lv))
			return ir_imm(cg->ir, 0);
		v = assign_op(cg, n, lval_load(cg, &lv));
		expr_convert(cg, v, n->a->type, n->a->type, false);
	}
	lval_store(cg, &lv, v);
	return v;
}

static vreg incdec_value(struct cg *cg, const struct node *n)
{
	uint64_t step = pointee_size(n->a->type);
	enum op op = n->u.op.op;
	struct lval lv;

	if (!lval_make(cg, n->a, &lv))
		return ir_imm(cg->ir, 0);
	vreg old = lval_load(cg, &lv);
	vreg v = ir_mov(cg->ir, old);
	ir_alui(cg->ir, op == OP_PREINC || op == OP_POSTINC ? IR_ADD : IR_SUB, v,
		step ? (int64_t)step : 1);
	expr_convert(cg, v, n->a->type, n->a->type, false);
	lval_store(cg, &lv, v);
	return op == OP_PREINC || op == OP_PREDEC ? v : old;
}

/* ---- values ---- */

vreg expr_raw(struct cg *cg, const struct node *n)
{
	switch (n->kind) {
	case NODE_INT: return ir_imm(cg->ir, (int64_t)n->u.integer.value);
	case NODE_VAR: return var_value(cg, n);
	case NODE_INDEX: return index_value(cg, n);
	case NODE_CALL: return call_value(cg, n);
	case NODE_UNARY: return unary_value(cg, n);
	case NODE_BINARY:
		if (n->u.op.op >= OP_EQ && n->u.op.op <= OP_LXOR)
			return truth_value(cg, n);
		return binary_value(cg, n);
	case NODE_COND: return cond_value(cg, n);
	case NODE_ASSIGN: return assign_value(cg, n);
	case NODE_INCDEC: return incdec_value(cg, n);
	case NODE_MEMBER: return mem_value(cg, n);
	case NODE_CAST: return cast_value(cg, n);
	case NODE_COMMA: expr_effect(cg, n->a); return expr_raw(cg, n->b);
	default:
		cg_error(cg, n->loc, "this expression is not implemented (yet)");
		return ir_imm(cg->ir, 0);
	}
}

void expr_effect(struct cg *cg, const struct node *n)
{
	struct sval sv;
	struct bytes b;

	if (n->kind == NODE_COMMA) {
		expr_effect(cg, n->a);
		expr_effect(cg, n->b);
	} else if (expr_is_string(n)) {
		expr_string(cg, n, &sv);
	} else if (n->type && type_is_bytes(n->type)) {
		expr_bytes(cg, n, &b);
	} else {
		expr_raw(cg, n);
	}
}

/* ---- strings ---- */

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

/* ---- conditions ---- */

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
	vreg a = operand(cg, n->a, arith);
	enum ir_cond c = cond_of(n->u.op.op, is_signed, sense);
	if (n->b->kind == NODE_INT) {
		ir_jcci(cg->ir, c, a, expr_constant(n->b, arith), l);
		return;
	}
	ir_jcc(cg->ir, c, a, operand(cg, n->b, arith), l);
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

static void branch_xor(struct cg *cg, const struct node *n, bool sense, label l)
{
	vreg a = truth_value(cg, n->a), b = truth_value(cg, n->b);

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
