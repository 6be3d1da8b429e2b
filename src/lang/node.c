/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the nodes of expressions and statements. Each knows its depth, which is bounded here. */
#include "lang/parse.h"

struct node *node_new(struct parse *p, enum node_kind kind, struct srcloc loc)
{
	struct node *n = arena_new(p->arena, struct node);

	n->kind = kind;
	n->loc = loc;
	n->depth = 1;
	return n;
}

static void node_grow(struct parse *p, struct node *n, unsigned int below)
{
	if (below >= PARSE_MAX_DEPTH) {
		parse_error(p, n->loc, "D_SYNTAX", "expression is nested too deeply");
		below = PARSE_MAX_DEPTH - 1;
	}
	n->depth = MAX(n->depth, below + 1);
}

struct node *node_tree(struct parse *p, enum node_kind kind, struct srcloc loc, struct node *a,
		       struct node *b, struct node *c)
{
	struct node *n = node_new(p, kind, loc);

	n->a = a;
	n->b = b;
	n->c = c;
	if (a)
		node_grow(p, n, a->depth);
	if (b)
		node_grow(p, n, b->depth);
	if (c)
		node_grow(p, n, c->depth);
	return n;
}

/* A name that is assigned is a variable: the scanner will not take it for a type of the kernel. */
static void note_assigned(struct parse *p, const struct node *n)
{
	if (n->kind == NODE_INDEX)
		n = n->a;
	if (n->kind == NODE_IDENT && n->u.ident.scope == SCOPE_GLOBAL)
		hmap_put(p->assigned, n->u.ident.name, p);
}

struct node *node_unary(struct parse *p, struct srcloc loc, enum op op, struct node *a)
{
	struct node *n = node_tree(p, NODE_UNARY, loc, a, NULL, NULL);

	n->u.op.op = op;
	return n;
}

struct node *node_incdec(struct parse *p, struct srcloc loc, enum op op, struct node *a)
{
	struct node *n = node_tree(p, NODE_INCDEC, loc, a, NULL, NULL);

	note_assigned(p, a);
	n->u.op.op = op;
	return n;
}

struct node *node_binary(struct parse *p, struct srcloc loc, enum op op, struct node *a,
			 struct node *b)
{
	struct node *n = node_tree(p, NODE_BINARY, loc, a, b, NULL);

	n->u.op.op = op;
	return n;
}

struct node *node_assign(struct parse *p, struct srcloc loc, enum op op, struct node *a,
			 struct node *b)
{
	struct node *n = node_tree(p, NODE_ASSIGN, loc, a, b, NULL);

	note_assigned(p, a);
	n->u.op.op = op;
	return n;
}

struct node *node_ident(struct parse *p, struct srcloc loc, int scope, const char *name)
{
	struct node *n = node_new(p, NODE_IDENT, loc);

	if (scope == SCOPE_GLOBAL && !strncmp(name, "D`", 2) && !strchr(name + 2, '`'))
		name += 2; /* the program's own */
	n->u.ident.name = name;
	n->u.ident.scope = scope == SCOPE_GLOBAL && strchr(name, '`') ? '`' : scope;
	return n;
}

struct node *node_agg(struct parse *p, struct srcloc loc, const char *name)
{
	struct node *n = node_new(p, NODE_AGG, loc);

	n->u.agg.name = name;
	return n;
}

struct arg_list *arg_add(struct parse *p, struct arg_list *l, struct node *n)
{
	struct arg *a = arena_new(p->arena, struct arg);

	if (!l)
		l = arena_new(p->arena, struct arg_list);
	a->node = n;
	if (l->last)
		l->last->next = a;
	else
		l->first = a;
	l->last = a;
	l->n++;
	l->depth = MAX(l->depth, n->depth);
	return l;
}

static struct node_list arg_nodes(struct parse *p, const struct arg_list *l)
{
	struct node_list list = { 0 };
	const struct arg *a;

	if (!l)
		return list;
	list.v = arena_alloc(p->arena, l->n * sizeof(*list.v));
	for (a = l->first; a; a = a->next)
		list.v[list.n++] = a->node;
	return list;
}

struct node *node_index(struct parse *p, struct node *base, const struct arg_list *keys)
{
	struct node *n = base;

	if (base->kind == NODE_AGG && !base->u.agg.keys.n) {
		base->u.agg.keys = arg_nodes(p, keys);
	} else {
		n = node_tree(p, NODE_INDEX, base->loc, base, NULL, NULL);
		n->u.index.keys = arg_nodes(p, keys);
	}
	node_grow(p, n, keys ? keys->depth : 0);
	return n;
}

struct node *node_call(struct parse *p, struct node *callee, const struct arg_list *args)
{
	bool named = callee->kind == NODE_IDENT && callee->u.ident.scope == SCOPE_GLOBAL;
	struct node *n = node_tree(p, NODE_CALL, callee->loc, named ? NULL : callee, NULL, NULL);

	if (named)
		n->u.call.name = callee->u.ident.name;
	n->u.call.args = arg_nodes(p, args);
	node_grow(p, n, args ? args->depth : 0);
	return n;
}

struct node *node_member(struct parse *p, struct srcloc loc, struct node *a, bool arrow,
			 const char *name)
{
	struct node *n = node_tree(p, NODE_MEMBER, loc, a, NULL, NULL);

	n->u.member.name = name;
	n->u.member.arrow = arrow;
	return n;
}

struct node *node_type(struct parse *p, struct srcloc loc, struct type *type)
{
	struct node *n = node_new(p, NODE_TYPE, loc);

	n->type = type;
	return n;
}

struct node *node_offsetof(struct parse *p, struct srcloc loc, struct node *type,
			   const char *member)
{
	struct node *n = node_tree(p, NODE_OFFSETOF, loc, type, NULL, NULL);

	n->u.member.name = member;
	return n;
}

struct node *node_xlate(struct parse *p, struct srcloc loc, struct type *type, struct node *a)
{
	struct node *n = node_tree(p, NODE_XLATE, loc, a, NULL, NULL);

	n->u.xlate.type = type;
	return n;
}

struct node *node_cast(struct parse *p, struct srcloc loc, struct type *type, struct node *a)
{
	struct node *n = node_tree(p, NODE_CAST, loc, a, NULL, NULL);

	n->type = type;
	return n;
}

/* ---- statements -------------------------------------------------------------- */

static struct stmt_list stmt_one(struct parse *p, enum stmt_kind kind, struct srcloc loc,
				 struct node *expr)
{
	struct stmt *s = arena_new(p->arena, struct stmt);

	s->kind = kind;
	s->loc = loc;
	s->expr = expr;
	return (struct stmt_list){ s, s, 0 };
}

struct stmt_list stmt_expr(struct parse *p, struct srcloc loc, struct node *expr)
{
	return stmt_one(p, STMT_EXPR, loc, expr);
}

struct stmt_list stmt_if(struct parse *p, struct srcloc loc, struct node *cond,
			 struct stmt_list then, struct stmt_list els)
{
	struct stmt_list l = stmt_one(p, STMT_IF, loc, cond);

	l.first->then = then.first;
	l.first->els = els.first;
	l.depth = MAX(then.depth, els.depth) + 1;
	if (l.depth > PARSE_MAX_IF)
		parse_error(p, loc, "D_SYNTAX", "if statements are nested too deeply");
	return l;
}

struct stmt_list stmt_join(struct stmt_list a, struct stmt_list b)
{
	int depth = MAX(a.depth, b.depth);

	if (!a.first)
		return b;
	if (!b.first)
		return a;
	a.last->next = b.first;
	return (struct stmt_list){ a.first, b.last, depth };
}
