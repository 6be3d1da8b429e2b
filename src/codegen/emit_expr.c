/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expressions whose value is a number. Integers are computed in 64-bit registers; a chain of
 * operations of one type is not cut in between, so that a value is brought to its type's width where
 * it leaves the chain: at a cast, a store, a record, a call, or as operand of a wider type.
 */
#include "codegen/cg_impl.h"

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

vreg expr_operand(struct cg *cg, const struct node *n, struct type *arith)
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
	       (n->kind == NODE_VAR &&
		(n->u.var.ident->kind == IDENT_GLOBAL || n->u.var.ident->kind == IDENT_CLAUSE));
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
		vreg right = expr_operand(cg, n->b,
					  arith); /* the left one need not wait in a register */

		return expr_arith(cg, op, arith, expr_operand(cg, n->a, arith), right, false);
	}
	vreg a = expr_operand(cg, n->a, arith);
	if (n->b->kind == NODE_INT && arith_imm(cg, op, arith, a, n->b->u.integer.value))
		return a;
	vreg b = shift ? expr_value(cg, n->b) : expr_operand(cg, n->b, arith);
	return expr_arith(cg, op, arith, a, b,
			  n->b->kind == NODE_INT && n->b->u.integer.value != 0);
}

static vreg unary_value(struct cg *cg, const struct node *n)
{
	vreg v;

	switch (n->u.op.op) {
	case OP_NOT: return cond_value(cg, n);
	case OP_NEG:
		v = expr_operand(cg, n->a, n->type);
		ir_neg(cg->ir, v);
		return v;
	case OP_COMPL:
		v = expr_operand(cg, n->a, n->type);
		ir_alui(cg->ir, IR_XOR, v, -1);
		return v;
	case OP_PLUS: return expr_operand(cg, n->a, n->type);
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
static vreg ternary_value(struct cg *cg, const struct node *n)
{
	struct type *type = n->type;
	label done = ir_label(cg->ir), other = ir_label(cg->ir);
	vreg v = ir_vreg(cg->ir);

	expr_branch(cg, n->a, false, other);
	cg->cur.depth++;
	for (;;) {
		ir_mov_to(cg->ir, v, expr_operand(cg, n->b, type));
		ir_jmp(cg->ir, done);
		ir_place(cg->ir, other);
		if (n->c->kind != NODE_COND || !same_width(n->c, type))
			break;
		n = n->c;
		other = ir_label(cg->ir);
		expr_branch(cg, n->a, false, other);
	}
	ir_mov_to(cg->ir, v, expr_operand(cg, n->c, type));
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
	vreg b = shift ? expr_value(cg, n->b) : expr_operand(cg, n->b, arith);
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
	if (n->u.op.op == OP_ASSIGN) { /* the right side first, then the keys of the left */
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
			return cond_value(cg, n);
		return binary_value(cg, n);
	case NODE_COND: return ternary_value(cg, n);
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
