/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The checker: names, types, conversions, rules of order. It takes clauses as parsed (lang.h)
 * and leaves a tree of which the code generator may rely on this:
 *
 * Kinds. Only NODE_INT, STRING, VAR, INDEX, AGG, CALL, UNARY, BINARY, COND, ASSIGN, INCDEC,
 * MEMBER, CAST, STRINGOF and COMMA are left, each with type != NULL. NODE_AGG stands only in
 * stmt->agg and as an argument of printa, clear, trunc, normalize and denormalize; calls of
 * actions only as the expr of STMT_ACTION, or (stack(), sym() ...) as keys of aggregations.
 * Everything unbuilt has been refused. The tree is at most a few times CHECK_MAX_DEPTH deep.
 *
 * Integers. A CAST to an integer type cuts the 64-bit value of its operand to that type; where a
 * value widens it has been cut to its own type by a cast before, if it could lie outside.
 * Operands of UNARY and BINARY are of the same width and sign as u.op.arith (the result type;
 * for comparisons the common type), not cut when they are of that type already. Shifts: arith is
 * the type of the left operand, the count is int64_t. Logical operators and conditions test all
 * 64 bits. Values stored, recorded, passed and used as keys are of the target's width and sign,
 * and cut. op= computes in u.op.arith: the old value of a is to be converted to it, b is; the
 * store cuts.
 *
 * Pointers. p + i, p - i, p += i, ++p: i is int64_t (and behind the pointer in +), not scaled:
 * the code generator scales by the size of what p points to. p - q is ptrdiff_t, both operands
 * pointers. An array used as a value is CAST to the pointer to its elements, but not as the base
 * of INDEX and MEMBER. Compared with an integer, both sides are uint64_t.
 *
 * Strings. What is used as text has type string: char * and char [] are wrapped in STRINGOF. A
 * comparison of strings has arith NULL. A NODE_INT of value 0 whose type is string (or a
 * pointer, or a structure in an assignment) is NULL: the NULL string, or the deletion of the
 * element.
 *
 * INDEX. ident set: an element of an associative array, keys converted to its signature; or
 * args[n] (builtin ARGS, keys.v[0] a NODE_INT). ident NULL: element keys.v[0] (int64_t) of the
 * array, pointer or string in a. An array of more than one element is to be checked against its
 * bound at run time (constants have been).
 *
 * MEMBER. member and bit_offset (from the start of the outer structure) are set; with arrow, a
 * is a pointer or array.
 *
 * VAR. Built-ins, globals, self->, this->, and symbols: ident->kind IDENT_SYMBOL, address in
 * ident->value.
 *
 * CALL. Arguments are converted to the prototype. printf, system, freopen: args.v[0] is the
 * format (NODE_STRING; parsed in stmt->fmt), values from args.v[1], format_conv.arg counts in
 * args. printa: stmt->fmt or NULL; with a format args.v[0] is it; format_conv.arg counts keys
 * from 0.
 *
 * STMT_AGG. agg: ident and keys; expr: the call, its arguments none or the value and, if
 * written, the increment, both int64_t; other parameters are in ident->agg_params.
 */
#include "lang/check.h"

#include <string.h>

#include "lang/check_impl.h"

/* ---- order of actions within a clause ----------------------------------------------------- */

static int order(struct check *ck, struct srcloc loc, const char *tag, const char *text)
{
	return diag_error(ck->d, tag, loc, "%s", text);
}

static int order_speculate(struct check *ck, struct srcloc loc)
{
	if (ck->speculated)
		return order(ck, loc, "D_SPEC_SPEC", "speculate( ) may not follow speculate( )");
	if (ck->committed)
		return order(ck, loc, "D_SPEC_COMM", "speculate( ) may not follow commit( )");
	if (ck->recorded)
		return order(ck, loc, "D_SPEC_DREC",
			     "speculate( ) may not follow data-recording action(s)");
	ck->speculated = true;
	return 0;
}

static int order_commit(struct check *ck, struct srcloc loc)
{
	if (ck->recorded)
		return order(ck, loc, "D_COMM_DREC",
			     "commit( ) may not follow data-recording action(s)");
	ck->committed = true;
	return 0;
}

static int order_action(struct check *ck, struct srcloc loc, const struct func *f)
{
	if (f->id == FN_speculate)
		return order_speculate(ck, loc);
	if (f->id == FN_commit)
		return order_commit(ck, loc);
	if (f->id == FN_exit && ck->speculated)
		return order(ck, loc, "D_EXIT_SPEC", "exit( ) may not follow speculate( )");
	if ((f->flags & FUNC_DESTRUCTIVE) && ck->speculated)
		return order(ck, loc, "D_ACT_SPEC",
			     "destructive actions may not follow speculate( )");
	if (f->flags & FUNC_RECORDS) {
		/* The status of exit() is not data that commit() could be taken to cover. */
		if (ck->committed && f->id != FN_exit)
			return order(ck, loc, "D_DREC_COMM",
				     "data-recording actions may not follow commit( )");
		ck->recorded = true;
		ck->clause->records = true;
	}
	return 0;
}

/* ---- statements ----------------------------------------------------------------------------- */

static int check_list(struct check *ck, struct stmt *st);

static bool is_agg_assign(const struct node *n)
{
	if (n->kind != NODE_ASSIGN)
		return false;
	n = n->a;
	while (n->kind == NODE_INDEX)
		n = n->a;
	return n->kind == NODE_AGG;
}

/* An expression evaluated for its own sake. */
static int check_value(struct check *ck, struct node **np)
{
	if (check_expr(ck, np))
		return -1;
	if ((*np)->kind != NODE_XLATE)
		return 0;
	return diag_error(ck->d, "D_CG_DYN", (*np)->loc,
			  "expression cannot evaluate to result of dynamic type");
}

static int check_expr_stmt(struct check *ck, struct stmt *st)
{
	struct node *n = st->expr;
	const struct func *f;

	if (is_agg_assign(n))
		return check_agg_stmt(ck, st);
	if (n->kind == NODE_AGG)
		return diag_error(ck->d, "D_AGG_NULL", n->loc, "expression has null effect: @%s",
				  n->u.agg.name);
	if (n->kind != NODE_CALL)
		return check_value(ck, &st->expr);
	f = check_callee(ck, n);
	if (!f)
		return -1;
	if (f->kind != FUNC_ACTION)
		return check_expr(ck, &st->expr);
	st->kind = STMT_ACTION;
	return order_action(ck, n->loc, f) || check_action(ck, st) ? -1 : 0;
}

/* Each branch starts from what came before the if; what follows it comes after both. */
static int check_if(struct check *ck, struct stmt *st)
{
	bool spec = ck->speculated, comm = ck->committed, rec = ck->recorded;
	bool then_spec, then_comm, then_rec;

	ck->clause->has_if = true;
	if (check_expr(ck, &st->expr))
		return -1;
	if (!type_is_scalar(st->expr->type) && !type_is_pointer(st->expr->type))
		return diag_error(ck->d, "D_OP_SCALAR", st->loc,
				  "operator %s requires an operand of scalar type", "if");
	if (check_list(ck, st->then))
		return -1;
	then_spec = ck->speculated;
	then_comm = ck->committed;
	then_rec = ck->recorded;
	ck->speculated = spec;
	ck->committed = comm;
	ck->recorded = rec;
	if (check_list(ck, st->els))
		return -1;
	ck->speculated |= then_spec;
	ck->committed |= then_comm;
	ck->recorded |= then_rec;
	return 0;
}

static int check_list(struct check *ck, struct stmt *st)
{
	for (; st; st = st->next) {
		st->action_index = ++ck->nactions;
		if (st->kind == STMT_IF ? check_if(ck, st) : check_expr_stmt(ck, st))
			return -1;
	}
	return 0;
}

/* ---- predicates ----------------------------------------------------------------------------- */

/* Does the predicate assign anything? Then its variables come first in the text for the body too.
 */
static bool assigns(const struct node *n)
{
	if (!n)
		return false;
	if (n->kind == NODE_ASSIGN || n->kind == NODE_INCDEC)
		return true;
	if (n->kind == NODE_CALL)
		for (size_t i = 0; i < n->u.call.args.n; i++)
			if (assigns(n->u.call.args.v[i]))
				return true;
	if (n->kind == NODE_INDEX)
		for (size_t i = 0; i < n->u.index.keys.n; i++)
			if (assigns(n->u.index.keys.v[i]))
				return true;
	return assigns(n->a) || assigns(n->b) || assigns(n->c);
}

/* Creates what x++ in the predicate creates, so that the body, which is checked first, knows it. */
static void create_counters(struct check *ck, struct node *n)
{
	struct type *t = type_int64(ck->ts);

	if (!n)
		return;
	if (n->kind == NODE_INCDEC && n->a->kind == NODE_IDENT && !check_plain_ident(ck, n->a))
		check_target(ck, &n->a, t);
	create_counters(ck, n->a);
	create_counters(ck, n->b);
	create_counters(ck, n->c);
}

static bool has_plain_assign(const struct node *n)
{
	return n && (n->kind == NODE_ASSIGN || has_plain_assign(n->a) || has_plain_assign(n->b) ||
		     has_plain_assign(n->c));
}

static int check_pred(struct check *ck)
{
	struct clause *c = ck->clause;
	struct type *t;

	if (!c->pred)
		return 0;
	ck->d->where_now = DIAG_PREDICATE;
	if (check_expr(ck, &c->pred))
		return -1;
	t = type_resolve(c->pred->type);
	if (!type_is_scalar(t) && t->kind != TYPE_ARRAY)
		return diag_error(ck->d, "D_PRED_SCALAR", c->pred->loc,
				  "predicate result must be of scalar type");
	return 0;
}

static int check_body(struct check *ck)
{
	ck->d->where_now = DIAG_ACTION;
	return check_list(ck, ck->clause->body);
}

/* No statement at all, or just speculate(): the clause records its own header. */
static bool is_default_action(const struct clause *c)
{
	const struct stmt *st = c->body;

	if (!st)
		return true;
	return !st->next && st->kind == STMT_ACTION && st->expr->u.call.func->id == FN_speculate;
}

static void check_begin(struct check *ck, struct dsession *s, struct clause *c, struct diag *d)
{
	memset(ck, 0, sizeof(*ck));
	ck->s = s;
	ck->ts = s->types;
	ck->d = d;
	ck->arena = s->unit ? s->unit : s->arena;
	ck->clause = c;
}

int lang_check_clause(struct dsession *s, struct clause *c, struct diag *d)
{
	struct check ck;
	int rc;

	check_begin(&ck, s, c, d);
	if (assigns(c->pred) && has_plain_assign(c->pred)) {
		rc = check_pred(&ck) || check_body(&ck);
	} else {
		create_counters(&ck, c->pred);
		rc = check_body(&ck) || check_pred(&ck);
	}
	if (!rc && ck.unbuilt)
		rc = diag_error(d, "D_UNKNOWN", ck.unbuilt_loc, "%s", ck.unbuilt);
	c->default_action = !rc && is_default_action(c);
	if (!rc)
		d->where_now = DIAG_TEXT;
	return rc ? -1 : 0;
}

/* ---- entries of declarations ---------------------------------------------------------------- */

int lang_check_const(struct dsession *s, struct node **np, struct diag *d)
{
	struct check ck;

	check_begin(&ck, s, NULL, d);
	if (check_expr(&ck, np))
		return -1;
	if (ck.unbuilt)
		return diag_error(d, "D_UNKNOWN", ck.unbuilt_loc, "%s", ck.unbuilt);
	return 0;
}

/* Checked as it will be used: with a variable that nothing stores for its parameter. */
int lang_check_xlate_member(struct dsession *s, const struct translator *xl,
			    const struct xlate_member *m, struct diag *d)
{
	struct ident param = { .name = xl->param, .kind = IDENT_GLOBAL, .type = xl->in };
	struct node *n, *a;
	struct check ck;

	check_begin(&ck, s, NULL, d);
	a = check_node(&ck, NODE_VAR, m->loc);
	a->u.var.ident = &param;
	a->type = xl->in;
	a->checked = true;
	n = check_node(&ck, NODE_XLATE, m->loc);
	n->a = a;
	n->type = type_dynamic(s->types);
	n->u.xlate.type = xl->out;
	n->u.xlate.with = xl;
	a = check_node(&ck, NODE_MEMBER, m->loc);
	a->a = n;
	a->u.member.name = m->name;
	return check_expr(&ck, &a);
}

/* Parameters stand for values of their types: variables that nothing stores. */
static void placeholders(struct check *ck, struct ident *id, struct node_list *args)
{
	size_t n = id->inl_params ? id->inl_params->n : 0;

	args->n = n;
	args->v = arena_alloc(ck->arena, (n + 1) * sizeof(*args->v));
	for (size_t i = 0; i < n; i++) {
		struct ident *p = arena_new(ck->arena, struct ident);

		p->name = id->inl_params->v[i].name;
		p->kind = IDENT_GLOBAL;
		p->type = id->inl_params->v[i].type;
		args->v[i] = check_node(ck, NODE_VAR, id->inl->loc);
		args->v[i]->u.var.ident = p;
		args->v[i]->type = p->type;
	}
}

int lang_check_inline(struct dsession *s, struct ident *id, struct diag *d)
{
	struct node *n;
	struct node_list args;
	struct check ck;
	struct type *t = id->type;

	check_begin(&ck, s, NULL, d);
	placeholders(&ck, id, &args);
	/* Without a type nothing is converted: the two types are compared here. */
	id->type = NULL;
	n = check_node(&ck, NODE_IDENT, id->inl->loc);
	if (check_inline_use(&ck, &n, id, &args)) {
		id->type = t;
		return -1;
	}
	id->type = t;
	if (n->kind == NODE_XLATE ? type_compatible(t, n->u.xlate.type)
				  : !check_is_dynamic(n) && type_resolve(n->type)->kind != TYPE_VOID &&
					    check_assignable(t, n))
		return 0;
	return diag_error(d, "D_OP_INCOMPAT", id->inl->loc,
			  "inline %s definition uses incompatible types: \"%s\" = \"%s\"", id->name,
			  type_name(s->types, t), check_type_name(s->types, n));
}
