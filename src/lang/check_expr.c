/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types of expressions. Each check_* function replaces *np by the checked tree; operands are
 * checked first, then the operator decides. Names, members and indexes are in check_name.c, calls
 * in check_call.c.
 */
#include <string.h>

#include "lang/check_impl.h"

static const char *const op_texts[] = {
	[OP_ADD] = "+",	     [OP_SUB] = "-",	  [OP_MUL] = "*",     [OP_DIV] = "/",
	[OP_MOD] = "%",	     [OP_AND] = "&",	  [OP_OR] = "|",      [OP_XOR] = "^",
	[OP_SHL] = "<<",     [OP_SHR] = ">>",	  [OP_EQ] = "==",     [OP_NE] = "!=",
	[OP_LT] = "<",	     [OP_LE] = "<=",	  [OP_GT] = ">",      [OP_GE] = ">=",
	[OP_LAND] = "&&",    [OP_LOR] = "||",	  [OP_LXOR] = "^^",   [OP_NEG] = "-",
	[OP_PLUS] = "+",     [OP_NOT] = "!",	  [OP_COMPL] = "~",   [OP_DEREF] = "*",
	[OP_ADDROF] = "&",   [OP_ASSIGN] = "=",	  [OP_PREINC] = "++", [OP_PREDEC] = "--",
	[OP_POSTINC] = "++", [OP_POSTDEC] = "--",
};

static const char *const op_assign_texts[] = {
	[OP_ADD] = "+=",  [OP_SUB] = "-=",  [OP_MUL] = "*=",   [OP_DIV] = "/=",
	[OP_MOD] = "%=",  [OP_AND] = "&=",  [OP_OR] = "|=",    [OP_XOR] = "^=",
	[OP_SHL] = "<<=", [OP_SHR] = ">>=", [OP_ASSIGN] = "=",
};

const char *op_text(enum op op)
{
	return op < ARRAY_SIZE(op_texts) && op_texts[op] ? op_texts[op] : "?";
}

const char *op_assign_text(enum op op)
{
	return op < ARRAY_SIZE(op_assign_texts) && op_assign_texts[op] ? op_assign_texts[op] : "?";
}

/* ---- nodes --------------------------------------------------------------------------------- */

struct node *check_node(struct check *ck, enum node_kind kind, struct srcloc loc)
{
	struct node *n = arena_new(ck->arena, struct node);

	n->kind = kind;
	n->loc = loc;
	return n;
}

struct node *check_int(struct check *ck, struct srcloc loc, uint64_t value, struct type *t)
{
	struct node *n = check_node(ck, NODE_INT, loc);

	n->type = t;
	n->is_const = true;
	n->u.integer.value = value;
	return n;
}

/* A cast of an integer to an integer type cuts the 64-bit value to that type; constants are cut
 * here. */
struct node *check_cast(struct check *ck, struct node *n, struct type *t)
{
	struct node *c;

	if (n->kind == NODE_INT && type_is_scalar(t))
		return check_int(ck, n->loc, fold_cut(n->u.integer.value, t), t);
	c = check_node(ck, NODE_CAST, n->loc);
	c->a = n;
	c->type = t;
	return c;
}

static bool same_integer(struct type *a, struct type *b)
{
	a = type_resolve(a);
	b = type_resolve(b);
	return type_is_integer(a) && type_is_integer(b) && a->size == b->size &&
	       type_is_signed(a) == type_is_signed(b);
}

/* May the 64-bit value of n lie outside the range of its type? */
static bool is_raw(const struct node *n)
{
	switch (n->kind) {
	case NODE_INT: return fold_cut(n->u.integer.value, n->type) != n->u.integer.value;
	case NODE_UNARY:
		return n->u.op.op == OP_NEG || n->u.op.op == OP_COMPL || n->u.op.op == OP_PLUS;
	case NODE_BINARY: return n->u.op.op < OP_EQ;
	case NODE_COND: return is_raw(n->b) || is_raw(n->c);
	case NODE_COMMA: return is_raw(n->b);
	case NODE_ASSIGN: return n->u.op.op != OP_ASSIGN;
	case NODE_INCDEC: return true;
	default: return false;
	}
}

struct node *check_cut(struct check *ck, struct node *n)
{
	if (!type_is_integer(n->type) || type_resolve(n->type)->size >= 8 || !is_raw(n))
		return n;
	return check_cast(ck, n, n->type);
}

/* Operand of arithmetic in type t: cut first when it widens, so that the sign is right. */
static struct node *operand(struct check *ck, struct node *n, struct type *t)
{
	if (same_integer(n->type, t))
		return n;
	return check_cast(ck, check_cut(ck, n), t);
}

bool check_is_null(const struct node *n)
{
	return n->kind == NODE_INT && !n->u.integer.value;
}

bool check_is_dynamic(const struct node *n)
{
	return type_resolve(n->type)->kind == TYPE_DYNAMIC;
}

static struct node *to_string(struct check *ck, struct node *n)
{
	struct node *so;

	if (type_is_string(n->type))
		return n;
	if (check_is_null(n))
		return check_int(ck, n->loc, 0, type_string(ck->ts));
	so = check_node(ck, NODE_STRINGOF, n->loc);
	so->a = n;
	so->type = type_string(ck->ts);
	return so;
}

struct node *check_convert(struct check *ck, struct node *n, struct type *t)
{
	if (type_is_string(t))
		return to_string(ck, n);
	if (type_is_integer(t))
		return same_integer(n->type, t) ? check_cut(ck, n)
						: check_cast(ck, check_cut(ck, n), t);
	if (type_is_pointer(t) && type_resolve(t) != type_resolve(n->type))
		return check_cast(ck, n, t);
	return n;
}

static bool is_void_pointer(struct type *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_POINTER && type_resolve(t->ref)->kind == TYPE_VOID;
}

static bool pointers_compatible(struct type *a, struct type *b)
{
	a = type_resolve(a);
	b = type_resolve(b);
	if (is_void_pointer(a) || is_void_pointer(b))
		return true;
	return type_compatible(a->ref, b->ref);
}

bool check_assignable(struct type *t, const struct node *n)
{
	struct type *a = type_resolve(t), *b = type_resolve(n->type);

	if (a->kind == TYPE_DYNAMIC || b->kind == TYPE_DYNAMIC || a->kind == TYPE_VOID ||
	    b->kind == TYPE_VOID)
		return false;
	if (type_is_integer(a) && type_is_integer(b))
		return true;
	if (a->kind == TYPE_STRING)
		return type_is_string_like(b) || check_is_null(n);
	if (a->kind == TYPE_POINTER)
		return check_is_null(n) || (type_is_pointer(b) && pointers_compatible(a, b));
	if (type_is_sou(a) || a->kind == TYPE_STACK || a->kind == TYPE_SYMADDR ||
	    a->kind == TYPE_USYMADDR)
		return type_compatible(a, b);
	if (a->kind == TYPE_FLOAT)
		return b->kind == TYPE_FLOAT && a->size == b->size;
	return a->kind == TYPE_ARRAY && type_compatible(a, b);
}

/* A pointer to something whose size is not known: no arithmetic. */
static bool is_vfptr(struct type *t)
{
	enum type_kind k;

	t = type_resolve(t);
	if (t->kind != TYPE_POINTER && t->kind != TYPE_ARRAY)
		return false;
	k = type_resolve(t->ref)->kind;
	return k == TYPE_VOID || k == TYPE_FUNCTION || k == TYPE_FORWARD;
}

const char *check_type_name(struct types *ts, const struct node *n)
{
	if (n->kind == NODE_AGG)
		return "aggregation";
	if (n->kind == NODE_XLATE)
		return check_xlate_pointer(n) ? "pointer to translated data" : "translated data";
	if (n->type && check_is_dynamic(n) && n->kind == NODE_VAR)
		return ident_kind_name(n->u.var.ident);
	return type_name(ts, n->type);
}

void check_unbuilt(struct check *ck, struct srcloc loc, const char *text)
{
	if (ck->unbuilt)
		return;
	ck->unbuilt = text;
	ck->unbuilt_loc = loc;
}

/* ---- arithmetic ---------------------------------------------------------------------------- */

static int rank(struct type *t)
{
	t = type_resolve(t);
	return t->size * 16 + !t->is_signed;
}

/* The type of the operand with the larger rank, of the left one if equal; an enum counts as int. */
static struct type *arith_type(struct check *ck, struct node *a, struct node *b)
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

static int check_int_operands(struct check *ck, struct node *n, const char *op)
{
	if (type_is_integer(n->a->type) && type_is_integer(n->b->type))
		return 0;
	return diag_error(ck->d, "D_OP_INT", n->loc,
			  "operator %s requires operands of integral type", op);
}

static int check_zero_divisor(struct check *ck, struct node *n, enum op op)
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
static struct type *decayed(struct check *ck, struct type *t)
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
	n->type = decayed(ck, n->a->type);
	n->a = check_convert(ck, n->a, n->type);
	n->b = check_convert(ck, n->b, type_int64(ck->ts));
	n->u.op.arith = type_int64(ck->ts);
	return 0;
}

/* p - q, in elements. */
static int pointer_sub(struct check *ck, struct node **np)
{
	struct node *n = *np;

	n->a = check_convert(ck, n->a, decayed(ck, n->a->type));
	n->b = check_convert(ck, n->b, decayed(ck, n->b->type));
	n->type = type_builtin(ck->ts, "ptrdiff_t");
	n->u.op.arith = n->type;
	return 0;
}

static int check_add(struct check *ck, struct node **np)
{
	struct node *n = *np, *a = n->a, *b = n->b;
	bool ap = type_is_pointer(a->type) && !is_vfptr(a->type),
	     bp = type_is_pointer(b->type) && !is_vfptr(b->type);

	if (type_is_integer(a->type) && type_is_integer(b->type)) {
		n->u.op.arith = n->type = arith_type(ck, a, b);
		n->a = operand(ck, a, n->type);
		n->b = operand(ck, b, n->type);
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
	n->u.op.arith = n->type = arith_type(ck, n->a, n->b);
	n->a = operand(ck, n->a, n->type);
	n->b = operand(ck, n->b, n->type);
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
		t = arith_type(ck, *a, *b);
		*a = operand(ck, *a, t);
		*b = operand(ck, *b, t);
		return t;
	}
	if (type_is_string(at) || type_is_string(bt)) {
		if ((!type_is_string_like(at) && !check_is_null(*a)) ||
		    (!type_is_string_like(bt) && !check_is_null(*b)))
			return NULL;
		*a = to_string(ck, *a);
		*b = to_string(ck, *b);
		return type_string(ck->ts);
	}
	if (type_is_pointer(at) &&
	    (check_is_null(*b) || (type_is_pointer(bt) && pointers_compatible(at, bt))))
		t = is_void_pointer(at) && type_is_pointer(bt) ? decayed(ck, bt) : decayed(ck, at);
	else if (type_is_pointer(bt) && check_is_null(*a))
		t = decayed(ck, bt);
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

	if (!type_is_scalar(decayed(ck, n->a->type)) || !type_is_scalar(decayed(ck, n->b->type)))
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
static bool enum_word(struct check *ck, struct node **np, struct type *t)
{
	int64_t v;

	if (!enum_find(t, (*np)->u.ident.name, &v))
		return false;
	*np = check_int(ck, (*np)->loc, v, type_int(ck->ts));
	return true;
}

/* word: the name as written on the side `a` (NULL if it is no bare word) whose other side has type
 * t. */
static int enum_ambiguous(struct check *ck, struct node *n, const char *op, const char *word,
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

static const char *bare_word(const struct node *n)
{
	return n->kind == NODE_IDENT && !n->u.ident.scope ? n->u.ident.name : NULL;
}

static int check_sides(struct check *ck, struct node *n, const char *op)
{
	const char *aw = bare_word(n->a), *bw = bare_word(n->b);

	if (check_unknown_word(ck, n->a) && !check_unknown_word(ck, n->b)) {
		if (check_expr(ck, &n->b))
			return -1;
		return enum_word(ck, &n->a, n->b->type) ? 0 : check_expr(ck, &n->a);
	}
	if (check_expr(ck, &n->a))
		return -1;
	if (check_unknown_word(ck, n->b) && enum_word(ck, &n->b, n->a->type))
		return 0;
	if (check_expr(ck, &n->b))
		return -1;
	if (enum_ambiguous(ck, n, op, aw, n->a, n->b->type) ||
	    enum_ambiguous(ck, n, op, bw, n->b, n->a->type))
		return -1;
	return 0;
}

static int dynamic_operand(struct check *ck, struct node *n, const char *op)
{
	return diag_error(ck->d, "D_OP_DYN", n->loc,
			  "operator %s operands cannot be of dynamic type", op);
}

static int check_binary(struct check *ck, struct node **np)
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

static int check_cond(struct check *ck, struct node **np)
{
	struct node *n = *np;
	struct type *t;

	if (check_is_action_call(n->b) || check_is_action_call(n->c))
		return diag_error(ck->d, "D_OP_ACT", n->loc,
				  "action cannot be used in a conditional context");
	if (check_expr(ck, &n->a) || check_expr(ck, &n->b) || check_expr(ck, &n->c))
		return -1;
	if (!type_is_scalar(decayed(ck, n->a->type)))
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
	n->a = check_convert(ck, n->a, decayed(ck, n->a->type));
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
		if (!type_is_scalar(decayed(ck, n->a->type)))
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

static int check_unary(struct check *ck, struct node **np)
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

/* ---- assignment ---------------------------------------------------------------------------- */

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
	const char *word = bare_word(n->b);
	struct ident *known = check_plain_ident(ck, n->a);
	struct type *t = NULL;

	if (!(word && check_unknown_word(ck, n->b) && known && known->type &&
	      enum_word(ck, &n->b, known->type)) &&
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
	if (enum_ambiguous(ck, n, "=", word, n->b, n->a->type))
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
		if (is_vfptr(n->a->type))
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
	n->u.op.arith = arith_type(ck, n->a, n->b);
	n->b = operand(ck, n->b, n->u.op.arith);
	return 0;
}

static int check_assign(struct check *ck, struct node **np)
{
	struct node *n = *np;

	if (n->a->kind == NODE_AGG)
		return diag_error(ck->d, "D_OP_LVAL", n->loc,
				  "operator %s requires modifiable lvalue as an operand",
				  op_assign_text(n->u.op.op));
	return n->u.op.op == OP_ASSIGN ? check_plain_assign(ck, np) : check_op_assign(ck, n);
}

static int check_incdec(struct check *ck, struct node **np)
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
	if (is_vfptr(n->a->type))
		return diag_error(ck->d, "D_OP_VFPTR", n->loc,
				  "operator %s requires an operand of known size", op);
	n->type = n->a->type;
	n->u.op.arith = type_is_pointer(n->type) ? type_int64(ck->ts) : n->type;
	return 0;
}

/* ---- type operators ------------------------------------------------------------------------ */

static int check_cast_node(struct check *ck, struct node **np)
{
	struct node *n = *np;
	struct type *to = type_resolve(n->type), *from;

	if (check_expr(ck, &n->a))
		return -1;
	from = type_resolve(n->a->type);
	if (to->kind == TYPE_VOID && from->kind != TYPE_DYNAMIC)
		return 0;
	if (to->kind == TYPE_STRING &&
	    (type_is_scalar(decayed(ck, from)) || from->kind == TYPE_STRING)) {
		if (from->kind == TYPE_STRING) {
			*np = n->a;
		} else {
			n->kind = NODE_STRINGOF;
			n->type = type_string(ck->ts);
		}
		return 0;
	}
	if (type_is_scalar(to) && type_is_scalar(decayed(ck, from))) {
		*np = check_cast(ck,
				 from->kind == TYPE_INT || from->kind == TYPE_ENUM
					 ? check_cut(ck, n->a)
					 : n->a,
				 n->type);
		return 0;
	}
	if (from->kind != TYPE_DYNAMIC && from->kind != TYPE_VOID && to->kind != TYPE_ARRAY &&
	    type_compatible(to, from)) {
		*np = n->a;
		return 0;
	}
	return diag_error(ck->d, "D_CAST_INVAL", n->loc,
			  "invalid cast expression: \"%s\" to \"%s\"",
			  check_type_name(ck->ts, n->a), type_name(ck->ts, n->type));
}

static int check_stringof(struct check *ck, struct node **np)
{
	struct node *n = *np;
	struct type *t;

	if (check_expr(ck, &n->a))
		return -1;
	t = type_resolve(n->a->type);
	if (t->kind == TYPE_STRING) {
		*np = n->a;
		return 0;
	}
	if (!type_is_scalar(decayed(ck, t)))
		return diag_error(ck->d, "D_STRINGOF_TYPE", n->loc,
				  "cannot apply stringof to a value of type %s",
				  check_type_name(ck->ts, n->a));
	n->a = check_cut(ck, n->a);
	n->type = type_string(ck->ts);
	return 0;
}

static int check_sizeof(struct check *ck, struct node **np)
{
	struct node *n = *np;
	uint64_t size;
	struct type *t;

	if (n->a->kind != NODE_TYPE && check_expr(ck, &n->a))
		return -1;
	t = type_resolve(n->a->type);
	if (n->a->kind == NODE_MEMBER && n->a->u.member.member->bit_size)
		return diag_error(ck->d, "D_SIZEOF_BITFIELD", n->loc,
				  "cannot apply sizeof to a bit-field");
	size = n->a->kind == NODE_STRING ? n->a->u.str.len + 1 : t->size;
	if (t->kind == TYPE_VOID || t->kind == TYPE_FUNCTION || t->kind == TYPE_DYNAMIC ||
	    t->kind == TYPE_FORWARD)
		return diag_error(ck->d, "D_SIZEOF_TYPE", n->loc,
				  "cannot apply sizeof to an operand of unknown size");
	*np = check_int(ck, n->loc, size, type_builtin(ck->ts, "size_t"));
	return 0;
}

static int check_offsetof(struct check *ck, struct node **np)
{
	struct node *n = *np;
	const struct type_member *m;
	uint64_t off;

	if (!type_is_sou(n->a->type))
		return diag_error(ck->d, "D_OFFSETOF_TYPE", n->loc,
				  "offsetof operand must be a struct or union type");
	m = type_member(n->a->type, n->u.member.name, &off);
	if (!m)
		return diag_error(ck->d, "D_UNKNOWN", n->loc,
				  "failed to determine offset of %s: Member name not found",
				  n->u.member.name);
	if (m->bit_size)
		return diag_error(ck->d, "D_OFFSETOF_BITFIELD", n->loc,
				  "cannot take offset of a bit-field: %s", n->u.member.name);
	*np = check_int(ck, n->loc, off / 8, type_builtin(ck->ts, "size_t"));
	return 0;
}

static int check_comma(struct check *ck, struct node *n)
{
	if (check_expr(ck, &n->a) || check_expr(ck, &n->b))
		return -1;
	if (n->a->kind == NODE_XLATE || n->b->kind == NODE_XLATE)
		return diag_error(ck->d, "D_CG_DYN", n->loc,
				  "expression cannot evaluate to result of dynamic type");
	n->type = n->b->type;
	return 0;
}

static int check_kind(struct check *ck, struct node **np)
{
	struct node *n = *np;

	switch (n->kind) {
	case NODE_INT:
		if (!n->type)
			n->type = type_int(ck->ts);
		n->is_const = true;
		return 0;
	case NODE_STRING:
		n->type = type_string(ck->ts);
		n->is_const = true;
		return 0;
	case NODE_IDENT: return check_ident(ck, np);
	case NODE_INDEX: return check_index(ck, np);
	case NODE_MEMBER: return check_member(ck, np);
	case NODE_AGG: return check_agg_ref(ck, n);
	case NODE_CALL: return check_call(ck, np);
	case NODE_UNARY: return check_unary(ck, np);
	case NODE_BINARY: return check_binary(ck, np);
	case NODE_COND: return check_cond(ck, np);
	case NODE_ASSIGN: return check_assign(ck, np);
	case NODE_INCDEC: return check_incdec(ck, np);
	case NODE_CAST: return check_cast_node(ck, np);
	case NODE_STRINGOF: return check_stringof(ck, np);
	case NODE_SIZEOF: return check_sizeof(ck, np);
	case NODE_OFFSETOF: return check_offsetof(ck, np);
	case NODE_COMMA: return check_comma(ck, n);
	case NODE_VAR: /* a placeholder of check_inline, or checked before */ return 0;
	case NODE_XLATE: return check_xlate(ck, n);
	default: return diag_error(ck->d, "D_UNKNOWN", n->loc, "expression has no meaning");
	}
}

int check_expr(struct check *ck, struct node **np)
{
	int rc;

	if (ck->depth >= CHECK_MAX_DEPTH)
		return diag_error(ck->d, NULL, (*np)->loc,
				  "Insufficient registers to generate code");
	if ((*np)->checked)
		return 0;
	ck->depth++;
	rc = check_kind(ck, np);
	ck->depth--;
	return rc;
}
