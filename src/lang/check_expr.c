/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types of expressions. Each check_* function replaces *np by the checked tree; this file finds it, and has casts,
 * sizeof and the like. Values and their conversions are in check_value.c, operators in check_oper.c, assignments in
 * check_assign.c, names, members and indexes in check_name.c, calls in check_call.c.
 */
#include "lang/check_impl.h"

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
	    (type_is_scalar(check_decayed(ck, from)) || from->kind == TYPE_STRING)) {
		if (from->kind == TYPE_STRING) {
			*np = n->a;
		} else {
			n->kind = NODE_STRINGOF;
			n->type = type_string(ck->ts);
		}
		return 0;
	}
	if (type_is_scalar(to) && type_is_scalar(check_decayed(ck, from))) {
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
	if (!type_is_scalar(check_decayed(ck, t)))
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
