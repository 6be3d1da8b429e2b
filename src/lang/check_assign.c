/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assignments, also those with an operator, and ++ and --: what may be stored to, and what a new variable becomes.
 */
#include "lang/check_impl.h"

/* D writes to its own variables, and through pointers (which only lead into its own memory, or
 * fault). */
static bool is_writable(const struct node *n)
{
	switch (n->kind) {
	case NODE_VAR:
		return n->u.var.ident->kind != IDENT_BUILTIN &&
		       n->u.var.ident->kind != IDENT_SYMBOL;
	case NODE_INDEX:
		return n->u.index.ident ? n->u.index.ident->kind != IDENT_BUILTIN
					: is_writable(n->a);
	case NODE_MEMBER: return is_writable(n->a);
	default: return true;
	}
}

int check_writable(struct check *ck, struct node *n, const char *op)
{
	struct type *t;

	if (n->a->kind == NODE_VAR && n->a->u.var.ident->kind == IDENT_BUILTIN)
		return diag_error(ck->d, "D_OP_WRITE", n->loc,
				  "operator %s can only be applied to a writable variable", op);
	if (!n->a->lvalue)
		return diag_error(ck->d, "D_OP_LVAL", n->loc,
				  "operator %s requires modifiable lvalue as an operand", op);
	if (!is_writable(n->a))
		return diag_error(ck->d, "D_OP_WRITE", n->loc,
				  "operator %s can only be applied to a writable variable", op);
	t = type_resolve(n->a->type);
	if (t->kind == TYPE_ARRAY || t->kind == TYPE_FUNCTION)
		return diag_error(ck->d, "D_OP_ARRFUN", n->loc,
				  "operator %s may not be applied to operand of type \"%s\"", op,
				  check_type_name(ck->ts, n->a));
	return 0;
}

/* The type that a new variable takes from the value assigned. */
static struct type *type_of_new(struct check *ck, struct node *n, struct node *value)
{
	struct type *t = type_resolve(value->type);

	if (t->kind == TYPE_ARRAY || t->kind == TYPE_FUNCTION) {
		diag_error(ck->d, "D_OP_ARRFUN", n->loc,
			   "operator %s may not be applied to operand of type \"%s\"", "=",
			   check_type_name(ck->ts, value));
		return NULL;
	}
	if (t->kind == TYPE_DYNAMIC || t->kind == TYPE_VOID || t->kind == TYPE_FLOAT) {
		diag_error(ck->d, "D_OP_INCOMPAT", n->loc,
			   "operands have incompatible types: \"%s\" %s \"%s\"", "<none>", "=",
			   check_type_name(ck->ts, value));
		return NULL;
	}
	/* Qualifiers belong to where the value came from. */
	t = value->type;
	while (t->kind == TYPE_TYPEDEF && !*t->name)
		t = t->ref;
	return t;
}

static int check_plain_assign(struct check *ck, struct node **np)
{
	struct node *n = *np;
	const char *word = check_bare_word(n->b);
	struct ident *known = check_plain_ident(ck, n->a);
	struct type *t = NULL;

	if (!(word && check_unknown_word(ck, n->b) && known && known->type &&
	      check_enum_word(ck, &n->b, known->type)) &&
	    check_expr(ck, &n->b))
		return -1;
	if (n->b->kind == NODE_XLATE && !check_xlate_pointer(n->b))
		return check_xlate_assign(ck, np);
	if (n->a->kind == NODE_IDENT || n->a->kind == NODE_INDEX) {
		struct node *base = n->a->kind == NODE_INDEX ? n->a->a : n->a;

		/* Only a name that is new takes its type from here. */
		if (base->kind == NODE_IDENT && base->u.ident.scope != '`' &&
		    !check_plain_ident(ck, base)) {
			t = type_of_new(ck, n, n->b);
			if (!t)
				return -1;
		}
	}
	if (check_target(ck, &n->a, t) || check_writable(ck, n, "="))
		return -1;
	if (check_enum_ambiguous(ck, n, "=", word, n->b, n->a->type))
		return -1;
	if (!check_assignable(n->a->type, n->b)) {
		/* A literal 0 frees a variable of any type. */
		if (!(check_is_null(n->b) && type_is_sou(n->a->type) && n->a->kind != NODE_MEMBER))
			return check_incompatible(ck, n, n->a, "=", n->b);
		n->b = check_int(ck, n->b->loc, 0, n->a->type);
	}
	n->b = check_convert(ck, n->b, n->a->type);
	n->type = n->a->type;
	return 0;
}

/*
 * a op= b: b is brought to the type in which a op b is computed (u.op.arith); the result is cut to
 * the type of a by the store.
 */
static int check_op_assign(struct check *ck, struct node *n)
{
	enum op op = n->u.op.op;
	const char *text = op_assign_text(op);

	if (check_target(ck, &n->a, NULL) || check_expr(ck, &n->b) || check_writable(ck, n, text))
		return -1;
	n->type = n->a->type;
	if ((op == OP_ADD || op == OP_SUB) && type_is_pointer(n->a->type)) {
		if (check_is_vfptr(n->a->type))
			return diag_error(
				ck->d, "D_OP_VFPTR", n->loc,
				"operator %s requires left-hand scalar operand of known size",
				text);
		if (!type_is_integer(n->b->type))
			return check_incompatible(ck, n, n->a, text, n->b);
		n->b = check_convert(ck, n->b, type_int64(ck->ts));
		n->u.op.arith = type_int64(ck->ts);
		return 0;
	}
	if (!type_is_integer(n->a->type) || !type_is_integer(n->b->type)) {
		if (op == OP_ADD || op == OP_SUB)
			return check_incompatible(ck, n, n->a, text, n->b);
		if (op == OP_MUL || op == OP_DIV)
			return diag_error(ck->d, "D_OP_ARITH", n->loc,
					  "operator %s requires operands of arithmetic type", text);
		return check_int_operands(ck, n, text);
	}
	if (check_zero_divisor(ck, n, op))
		return -1;
	if (op == OP_SHL || op == OP_SHR) {
		n->u.op.arith = n->a->type;
		n->b = check_convert(ck, n->b, type_int64(ck->ts));
		return 0;
	}
	n->u.op.arith = check_arith_type(ck, n->a, n->b);
	n->b = check_operand(ck, n->b, n->u.op.arith);
	return 0;
}

int check_assign(struct check *ck, struct node **np)
{
	struct node *n = *np;

	if (n->a->kind == NODE_AGG)
		return diag_error(ck->d, "D_OP_LVAL", n->loc,
				  "operator %s requires modifiable lvalue as an operand",
				  op_assign_text(n->u.op.op));
	return n->u.op.op == OP_ASSIGN ? check_plain_assign(ck, np) : check_op_assign(ck, n);
}

int check_incdec(struct check *ck, struct node **np)
{
	struct node *n = *np;
	const char *op = op_text(n->u.op.op);

	if (check_target(ck, &n->a, type_int64(ck->ts)))
		return -1;
	if (!type_is_scalar(n->a->type) && type_resolve(n->a->type)->kind != TYPE_ARRAY)
		return diag_error(ck->d, "D_OP_SCALAR", n->loc,
				  "operator %s requires operand of scalar type", op);
	if (check_writable(ck, n, op))
		return -1;
	if (check_is_vfptr(n->a->type))
		return diag_error(ck->d, "D_OP_VFPTR", n->loc,
				  "operator %s requires an operand of known size", op);
	n->type = n->a->type;
	n->u.op.arith = type_is_pointer(n->type) ? type_int64(ck->ts) : n->type;
	return 0;
}
