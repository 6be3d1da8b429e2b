/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operators with one, two and three operands: arithmetic, comparison, logic, ?:, pointers. Operands are checked first,
 * then the operator decides. Assignments are in check_assign.c.
 */
#include <string.h>

#include "lang/check_impl.h"

/* ---- arithmetic ---------------------------------------------------------------------------- */

static int rank(struct type *t)
{
	t = type_resolve(t);
	return t->size * 16 + !t->is_signed;
}

/* The type of the operand with the larger rank, of the left one if equal; an enum counts as int. */
struct type *check_arith_type(struct check *ck, struct node *a, struct node *b)
{
	struct type *l = type_resolve(a->type)->kind == TYPE_ENUM ? type_int(ck->ts) : a->type;
	struct type *r = type_resolve(b->type)->kind == TYPE_ENUM ? type_int(ck->ts) : b->type;

	return rank(r) > rank(l) ? r : l;
}

int check_incompatible(struct check *ck, struct node *n, struct node *a, const char *op,
		       struct node *b)
{
	return diag_error(ck->d, "D_OP_INCOMPAT", n->loc,
			  "operands have incompatible types: \"%s\" %s \"%s\"",
			  check_type_name(ck->ts, a), op, check_type_name(ck->ts, b));
}

int check_int_operands(struct check *ck, struct node *n, const char *op)
{
	if (type_is_integer(n->a->type) && type_is_integer(n->b->type))
		return 0;
	return diag_error(ck->d, "D_OP_INT", n->loc,
			  "operator %s requires operands of integral type", op);
}

int check_zero_divisor(struct check *ck, struct node *n, enum op op)
{
	if ((op == OP_DIV || op == OP_MOD) && check_is_null(n->b))
		return diag_error(ck->d, "D_DIV_ZERO", n->loc,
				  "expression contains division by zero");
	return 0;
}

/* Folds a binary node with constant operands. */
static void fold(struct check *ck, struct node **np)
{
	struct node *n = *np;
	uint64_t v;

	if (n->a->kind != NODE_INT || n->b->kind != NODE_INT || !type_is_integer(n->a->type) ||
	    !type_is_integer(n->b->type))
		return;
	if (fold_binary(n->u.op.op, n->a->u.integer.value, n->b->u.integer.value,
			n->u.op.arith ? type_is_signed(n->u.op.arith) : true, &v))
		*np = check_int(ck, n->loc, v, n->type);
}

/* An array used as a value is the pointer to its first element. */
struct type *check_decayed(struct check *ck, struct type *t)
{
	struct type *r = type_resolve(t);

	return r->kind == TYPE_ARRAY ? type_pointer(ck->ts, r->ref) : t;
}

static int pointer_add(struct check *ck, struct node **np)
{
	struct node *n = *np, *tmp;

	if (!type_is_pointer(n->a->type)) {
		tmp = n->a;
		n->a = n->b;
		n->b = tmp;
	}
	n->type = check_decayed(ck, n->a->type);
	n->a = check_convert(ck, n->a, n->type);
	n->b = check_convert(ck, n->b, type_int64(ck->ts));
	n->u.op.arith = type_int64(ck->ts);
	return 0;
}

/* p - q, in elements. */
static int pointer_sub(struct check *ck, struct node **np)
{
	struct node *n = *np;

	n->a = check_convert(ck, n->a, check_decayed(ck, n->a->type));
	n->b = check_convert(ck, n->b, check_decayed(ck, n->b->type));
	n->type = type_builtin(ck->ts, "ptrdiff_t");
	n->u.op.arith = n->type;
	return 0;
}

static int check_add(struct check *ck, struct node **np)
{
	struct node *n = *np, *a = n->a, *b = n->b;
	bool ap = type_is_pointer(a->type) && !check_is_vfptr(a->type),
	     bp = type_is_pointer(b->type) && !check_is_vfptr(b->type);

	if (type_is_integer(a->type) && type_is_integer(b->type)) {
		n->u.op.arith = n->type = check_arith_type(ck, a, b);
		n->a = check_operand(ck, a, n->type);
		n->b = check_operand(ck, b, n->type);
		fold(ck, np);
		return 0;
	}
	if (ap && type_is_integer(b->type))
		return pointer_add(ck, np);
	if (n->u.op.op == OP_ADD && bp && type_is_integer(a->type))
		return pointer_add(ck, np);
	if (n->u.op.op == OP_SUB && ap && bp &&
	    type_compatible(type_resolve(a->type)->ref, type_resolve(b->type)->ref))
		return pointer_sub(ck, np);
	return check_incompatible(ck, n, a, op_text(n->u.op.op), b);
}

static int check_arith(struct check *ck, struct node **np)
{
	struct node *n = *np;
	enum op op = n->u.op.op;

	if (op == OP_MUL || op == OP_DIV) {
		if (!type_is_integer(n->a->type) || !type_is_integer(n->b->type))
			return diag_error(ck->d, "D_OP_ARITH", n->loc,
					  "operator %s requires operands of arithmetic type",
					  op_text(op));
	} else if (check_int_operands(ck, n, op_text(op))) {
		return -1;
	}
	if (check_zero_divisor(ck, n, op))
		return -1;
	n->u.op.arith = n->type = check_arith_type(ck, n->a, n->b);
	n->a = check_operand(ck, n->a, n->type);
	n->b = check_operand(ck, n->b, n->type);
	fold(ck, np);
	return 0;
}

/* The type of the left operand; the count is a number by itself. */
static int check_shift(struct check *ck, struct node **np)
{
	struct node *n = *np;

	if (check_int_operands(ck, n, op_text(n->u.op.op)))
		return -1;
	n->type = type_resolve(n->a->type)->kind == TYPE_ENUM ? type_int(ck->ts) : n->a->type;
	n->u.op.arith = n->type;
	n->b = check_convert(ck, n->b, type_int64(ck->ts));
	fold(ck, np);
	return 0;
}

/* ---- comparison and logic ------------------------------------------------------------------ */

/* Brings both sides of a comparison or of ?: to one type, which is given; NULL if they have none.
 */
static struct type *unify(struct check *ck, struct node **a, struct node **b)
{
	struct type *at = (*a)->type, *bt = (*b)->type, *t;

	if (type_is_integer(at) && type_is_integer(bt)) {
		t = check_arith_type(ck, *a, *b);
		*a = check_operand(ck, *a, t);
		*b = check_operand(ck, *b, t);
		return t;
	}
	if (type_is_string(at) || type_is_string(bt)) {
		if ((!type_is_string_like(at) && !check_is_null(*a)) ||
		    (!type_is_string_like(bt) && !check_is_null(*b)))
			return NULL;
		*a = check_to_string(ck, *a);
		*b = check_to_string(ck, *b);
		return type_string(ck->ts);
	}
	if (type_is_pointer(at) &&
	    (check_is_null(*b) || (type_is_pointer(bt) && check_pointers_compatible(at, bt))))
		t = check_is_void_pointer(at) && type_is_pointer(bt) ? check_decayed(ck, bt)
								     : check_decayed(ck, at);
	else if (type_is_pointer(bt) && check_is_null(*a))
		t = check_decayed(ck, bt);
	else
		return NULL;
	*a = check_convert(ck, *a, t);
	*b = check_convert(ck, *b, t);
	return t;
}

static int check_compare(struct check *ck, struct node **np)
{
	struct node *n = *np, *a = n->a, *b = n->b;
	struct type *t = NULL;

	/* Pointers and integers of any type compare as addresses. */
	if (type_is_pointer(a->type) && type_is_integer(b->type) && !check_is_null(b)) {
		n->b = check_convert(ck, b, type_uint64(ck->ts));
		n->a = check_cast(ck, a, t = type_uint64(ck->ts));
	} else if (type_is_pointer(b->type) && type_is_integer(a->type) && !check_is_null(a)) {
		n->a = check_convert(ck, a, type_uint64(ck->ts));
		n->b = check_cast(ck, b, t = type_uint64(ck->ts));
	} else {
		t = unify(ck, &n->a, &n->b);
	}
	if (!t)
		return check_incompatible(ck, n, a, op_text(n->u.op.op), b);
	n->type = type_int(ck->ts);
	n->u.op.arith = type_is_string(t) ? NULL : t;
	if (n->u.op.arith)
		fold(ck, np);
	return 0;
}

static int check_logical(struct check *ck, struct node **np)
{
	struct node *n = *np;

	if (!type_is_scalar(check_decayed(ck, n->a->type)) ||
	    !type_is_scalar(check_decayed(ck, n->b->type)))
		return diag_error(ck->d, "D_OP_SCALAR", n->loc,
				  "operator %s requires operands of scalar type",
				  op_text(n->u.op.op));
	n->type = type_int(ck->ts);
	n->u.op.arith = type_int64(ck->ts);
	fold(ck, np);
	return 0;
}

/* ---- enumerators known only by the type of the other side ---------------------------------- */

static bool enum_find(struct type *t, const char *name, int64_t *value)
{
	t = type_resolve(t);
	if (t->kind != TYPE_ENUM)
		return false;
	for (size_t i = 0; i < t->nmembers; i++) {
		if (!strcmp(t->enumerators[i].name, name)) {
			*value = t->enumerators[i].value;
			return true;
		}
	}
	return false;
}

/* Makes the bare word *np a constant if the type t has it as an enumerator. */
bool check_enum_word(struct check *ck, struct node **np, struct type *t)
{
	int64_t v;

	if (!enum_find(t, (*np)->u.ident.name, &v))
		return false;
	*np = check_int(ck, (*np)->loc, v, type_int(ck->ts));
	return true;
}

/* word: the name as written on the side `a` (NULL if it is no bare word) whose other side has type
 * t. */
int check_enum_ambiguous(struct check *ck, struct node *n, const char *op, const char *word,
			 struct node *a, struct type *t)
{
	int64_t v;

	if (!word || a->kind != NODE_VAR || a->u.var.ident->kind == IDENT_BUILTIN ||
	    !enum_find(t, word, &v))
		return 0;
	return diag_error(ck->d, "D_IDENT_AMBIG", n->loc,
			  "ambiguous use of operator %s: %s is both a %s enum tag and a global %s",
			  op, word, type_name(ck->ts, t), ident_kind_name(a->u.var.ident));
}

const char *check_bare_word(const struct node *n)
{
	return n->kind == NODE_IDENT && !n->u.ident.scope ? n->u.ident.name : NULL;
}

static int check_sides(struct check *ck, struct node *n, const char *op)
{
	const char *aw = check_bare_word(n->a), *bw = check_bare_word(n->b);

	if (check_unknown_word(ck, n->a) && !check_unknown_word(ck, n->b)) {
		if (check_expr(ck, &n->b))
			return -1;
		return check_enum_word(ck, &n->a, n->b->type) ? 0 : check_expr(ck, &n->a);
	}
	if (check_expr(ck, &n->a))
		return -1;
	if (check_unknown_word(ck, n->b) && check_enum_word(ck, &n->b, n->a->type))
		return 0;
	if (check_expr(ck, &n->b))
		return -1;
	if (check_enum_ambiguous(ck, n, op, aw, n->a, n->b->type) ||
	    check_enum_ambiguous(ck, n, op, bw, n->b, n->a->type))
		return -1;
	return 0;
}

static int dynamic_operand(struct check *ck, struct node *n, const char *op)
{
	return diag_error(ck->d, "D_OP_DYN", n->loc,
			  "operator %s operands cannot be of dynamic type", op);
}

int check_binary(struct check *ck, struct node **np)
{
	struct node *n = *np;
	enum op op = n->u.op.op;
	bool logical = op == OP_LAND || op == OP_LOR || op == OP_LXOR;

	if (logical && (check_is_action_call(n->a) || check_is_action_call(n->b)))
		return diag_error(ck->d, "D_OP_ACT", n->loc,
				  "operator %s operands cannot be actions", op_text(op));
	if (check_sides(ck, n, op_text(op)))
		return -1;
	if (n->a->kind == NODE_XLATE || n->b->kind == NODE_XLATE)
		return dynamic_operand(ck, n, op_text(op));
	switch (op) {
	case OP_ADD:
	case OP_SUB: return check_add(ck, np);
	case OP_SHL:
	case OP_SHR: return check_shift(ck, np);
	case OP_EQ:
	case OP_NE:
	case OP_LT:
	case OP_LE:
	case OP_GT:
	case OP_GE: return check_compare(ck, np);
	case OP_LAND:
	case OP_LOR:
	case OP_LXOR: return check_logical(ck, np);
	default: return check_arith(ck, np);
	}
}

int check_cond(struct check *ck, struct node **np)
{
	struct node *n = *np;
	struct type *t;

	if (check_is_action_call(n->b) || check_is_action_call(n->c))
		return diag_error(ck->d, "D_OP_ACT", n->loc,
				  "action cannot be used in a conditional context");
	if (check_expr(ck, &n->a) || check_expr(ck, &n->b) || check_expr(ck, &n->c))
		return -1;
	if (!type_is_scalar(check_decayed(ck, n->a->type)))
		return diag_error(ck->d, "D_OP_SCALAR", n->loc,
				  "operator ?: expression must be of scalar type");
	if (check_is_dynamic(n->b) || check_is_dynamic(n->c))
		return diag_error(ck->d, "D_OP_DYN", n->loc,
				  "operator ?: operands cannot be of dynamic type");
	t = unify(ck, &n->b, &n->c);
	if (!t && type_is_sou(n->b->type) && type_compatible(n->b->type, n->c->type))
		t = n->b->type;
	if (!t && type_resolve(n->b->type)->kind == TYPE_VOID &&
	    type_resolve(n->c->type)->kind == TYPE_VOID)
		t = n->b->type;
	if (!t)
		return diag_error(ck->d, "D_OP_INCOMPAT", n->loc,
				  "operator ?: operands must have compatible types");
	n->type = t;
	if (n->a->kind == NODE_INT)
		*np = n->a->u.integer.value ? n->b : n->c;
	return 0;
}

/* ---- unary operators ----------------------------------------------------------------------- */

static int check_deref(struct check *ck, struct node *n)
{
	struct type *t = type_resolve(n->a->type), *to;

	if (check_is_dynamic(n->a))
		return diag_error(ck->d, "D_OP_DYN", n->loc,
				  "operator * operands cannot be of dynamic type");
	if (!type_is_pointer(t))
		return diag_error(ck->d, "D_DEREF_NONPTR", n->loc,
				  "cannot dereference non-pointer type");
	to = type_resolve(t->ref);
	if (to->kind == TYPE_VOID)
		return diag_error(ck->d, "D_DEREF_VOID", n->loc,
				  "cannot dereference pointer to void");
	if (to->kind == TYPE_FUNCTION)
		return diag_error(ck->d, "D_DEREF_FUNC", n->loc,
				  "cannot dereference pointer to function");
	if (to->kind == TYPE_FORWARD)
		return diag_error(ck->d, "D_OP_INCOMPLETE", n->loc,
				  "operator * cannot be applied to a forward declaration: no %s "
				  "definition is available",
				  type_name(ck->ts, to));
	n->a = check_convert(ck, n->a, check_decayed(ck, n->a->type));
	n->type = t->ref;
	n->lvalue = true;
	return 0;
}

/* Is this the storage of a D variable as a whole, which has no address? */
static bool is_variable_storage(const struct node *n)
{
	for (; n; n = n->a) {
		if (n->kind == NODE_VAR)
			return n->u.var.ident->kind != IDENT_SYMBOL;
		if (n->kind == NODE_INDEX && n->u.index.ident)
			return n->u.index.ident->kind != IDENT_BUILTIN;
		if (n->kind != NODE_MEMBER || n->u.member.arrow)
			return false;
	}
	return false;
}

static int check_addrof(struct check *ck, struct node *n)
{
	struct node *a = n->a;

	if (a->kind == NODE_AGG || check_is_dynamic(a))
		return diag_error(ck->d, "D_ADDROF_VAR", n->loc,
				  "cannot take address of dynamic %s",
				  a->kind == NODE_AGG ? "variable" : "object");
	if (is_variable_storage(a))
		return diag_error(ck->d, "D_ADDROF_VAR", n->loc,
				  "cannot take address of dynamic variable");
	if (!a->lvalue)
		return diag_error(ck->d, "D_ADDROF_LVAL", n->loc,
				  "unacceptable operand for unary & operator");
	if (a->kind == NODE_MEMBER && a->u.member.member->bit_size)
		return diag_error(ck->d, "D_ADDROF_BITFIELD", n->loc,
				  "cannot take address of bit-field");
	n->type = type_pointer(ck->ts, a->type);
	return 0;
}

static int check_unary_arith(struct check *ck, struct node **np)
{
	struct node *n = *np;
	enum op op = n->u.op.op;

	if (op == OP_NOT) {
		if (!type_is_scalar(check_decayed(ck, n->a->type)))
			return diag_error(ck->d, "D_OP_SCALAR", n->loc,
					  "operator %s requires an operand of scalar type",
					  op_text(op));
		n->type = type_int(ck->ts);
	} else if (op == OP_COMPL) {
		if (!type_is_integer(n->a->type))
			return diag_error(ck->d, "D_OP_INT", n->loc,
					  "operator %s requires an operand of integral type",
					  op_text(op));
		n->type = n->a->type;
	} else {
		if (!type_is_integer(n->a->type))
			return diag_error(ck->d, "D_OP_ARITH", n->loc,
					  "operator %s requires an operand of arithmetic type",
					  op_text(op));
		n->type = n->a->type;
	}
	if (n->a->kind == NODE_INT && type_is_integer(n->a->type))
		*np = check_int(ck, n->loc, fold_unary(op, n->a->u.integer.value), n->type);
	return 0;
}

/* &`sym: a symbol whose type is not known has an address all the same. */
static int check_symbol_address(struct check *ck, struct node *n)
{
	if (check_symbol(ck, n->a))
		return -1;
	if (!n->a->type)
		n->a->type = type_void(ck->ts);
	n->type = type_pointer(ck->ts, n->a->type);
	return 0;
}

int check_unary(struct check *ck, struct node **np)
{
	struct node *n = *np;

	if (n->u.op.op == OP_ADDROF && n->a->kind == NODE_IDENT && n->a->u.ident.scope == '`')
		return check_symbol_address(ck, n);
	if (check_expr(ck, &n->a))
		return -1;
	if (n->a->kind == NODE_XLATE && n->u.op.op != OP_ADDROF)
		return dynamic_operand(ck, n, op_text(n->u.op.op));
	switch (n->u.op.op) {
	case OP_DEREF: return check_deref(ck, n);
	case OP_ADDROF: return check_addrof(ck, n);
	default: return check_unary_arith(ck, np);
	}
}
