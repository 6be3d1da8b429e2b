/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values in the checked tree: nodes that are made, conversions from type to type, what may be assigned to what, and
 * the names of operators and types in messages.
 */
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

struct node *check_operand(struct check *ck, struct node *n, struct type *t)
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

struct node *check_to_string(struct check *ck, struct node *n)
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
		return check_to_string(ck, n);
	if (type_is_integer(t))
		return same_integer(n->type, t) ? check_cut(ck, n)
						: check_cast(ck, check_cut(ck, n), t);
	if (type_is_pointer(t) && type_resolve(t) != type_resolve(n->type))
		return check_cast(ck, n, t);
	return n;
}

bool check_is_void_pointer(struct type *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_POINTER && type_resolve(t->ref)->kind == TYPE_VOID;
}

bool check_pointers_compatible(struct type *a, struct type *b)
{
	a = type_resolve(a);
	b = type_resolve(b);
	if (check_is_void_pointer(a) || check_is_void_pointer(b))
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
		return check_is_null(n) || (type_is_pointer(b) && check_pointers_compatible(a, b));
	if (type_is_sou(a) || a->kind == TYPE_STACK || a->kind == TYPE_SYMADDR ||
	    a->kind == TYPE_USYMADDR)
		return type_compatible(a, b);
	if (a->kind == TYPE_FLOAT)
		return b->kind == TYPE_FLOAT && a->size == b->size;
	return a->kind == TYPE_ARRAY && type_compatible(a, b);
}

/* A pointer to something whose size is not known: no arithmetic. */
bool check_is_vfptr(struct type *t)
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
