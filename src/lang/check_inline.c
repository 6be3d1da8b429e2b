/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inlines: each use becomes a copy of the definition, checked at its place, with the arguments in the
 * place of the parameters.
 */
#include <string.h>

#include "lang/check_impl.h"

struct subst {
	const struct decl_params *params;
	const struct node_list *args;
	struct srcloc loc;
};

static struct node *copy(struct check *ck, const struct node *n, const struct subst *s);

static int copy_list(struct check *ck, struct node_list *l, const struct subst *s)
{
	struct node **v = arena_alloc(ck->arena, (l->n + 1) * sizeof(*v));

	for (size_t i = 0; i < l->n; i++) {
		v[i] = copy(ck, l->v[i], s);
		if (!v[i])
			return -1;
	}
	l->v = v;
	return 0;
}

/* A parameter's place: the argument, converted to the parameter's type by a cast where that has a
 * meaning. */
static struct node *copy_argument(struct check *ck, const struct node *arg, struct type *t,
				  const struct subst *s)
{
	struct subst plain = { .loc = s->loc };
	struct node *n = copy(ck, arg, &plain), *c;

	if (n)
		n->counts = true;
	if (!n || !t || !type_is_integer(t))
		return n;
	c = check_node(ck, NODE_CAST, s->loc);
	c->type = t;
	c->a = n;
	return c;
}

static struct node *copy(struct check *ck, const struct node *n, const struct subst *s)
{
	struct node *c;

	if (++ck->expansion > CHECK_MAX_EXPANSION || ck->depth >= CHECK_MAX_DEPTH) {
		diag_error(ck->d, NULL, s->loc, "Insufficient registers to generate code");
		return NULL;
	}
	if (s->params && n->kind == NODE_IDENT && !n->u.ident.scope)
		for (size_t i = 0; i < s->params->n; i++)
			if (s->params->v[i].name && !strcmp(s->params->v[i].name, n->u.ident.name))
				return copy_argument(ck, s->args->v[i], s->params->v[i].type, s);
	c = arena_new(ck->arena, struct node);
	*c = *n;
	c->loc = s->loc;
	ck->depth++;
	if ((n->a && !(c->a = copy(ck, n->a, s))) || (n->b && !(c->b = copy(ck, n->b, s))) ||
	    (n->c && !(c->c = copy(ck, n->c, s))))
		c = NULL;
	if (c && ((c->kind == NODE_CALL && copy_list(ck, &c->u.call.args, s)) ||
		  (c->kind == NODE_INDEX && copy_list(ck, &c->u.index.keys, s)) ||
		  (c->kind == NODE_AGG && copy_list(ck, &c->u.agg.keys, s))))
		c = NULL;
	ck->depth--;
	return c;
}

struct node *check_copy(struct check *ck, const struct node *n, const struct decl_params *params,
			const struct node_list *args, struct srcloc loc)
{
	struct subst s = { .params = params, .args = args, .loc = loc };

	return copy(ck, n, &s);
}

static int inline_args(struct check *ck, struct srcloc loc, struct ident *id,
		       struct node_list *args)
{
	size_t want = id->inl_params ? id->inl_params->n : 0;

	if (args->n == want)
		return 0;
	return diag_error(ck->d, "D_PROTO_LEN", loc,
			  "%s[ ] prototype mismatch: %zu key%s passed, %zu expected", id->name,
			  args->n, args->n == 1 ? "" : "s", want);
}

/* Are the arguments of the types declared? They are checked on copies, as each use checks its own.
 */
static int inline_arg_types(struct check *ck, struct srcloc loc, struct ident *id,
			    struct node_list *args)
{
	struct subst plain = { .loc = loc };

	for (size_t i = 0; i < args->n; i++) {
		struct node *n = copy(ck, args->v[i], &plain);
		struct type *want = id->inl_params->v[i].type;

		if (!n || check_expr(ck, &n))
			return -1;
		if (!check_assignable(want, n))
			return diag_error(ck->d, "D_PROTO_ARG", loc,
					  "%s[ ] key #%zu is incompatible with "
					  "prototype:\n\tprototype: %s\n\t      key: %s",
					  id->name, i + 1, type_name(ck->ts, want),
					  check_type_name(ck->ts, n));
	}
	return 0;
}

static uint32_t least(uint32_t a, uint32_t b, int shift)
{
	return MIN(a >> shift & 0xff, b >> shift & 0xff) << shift;
}

void check_attr(struct check *ck, uint32_t attr)
{
	struct clause *c = ck->clause;

	if (c && attr)
		c->attr = c->attr ? least(c->attr, attr, 16) | least(c->attr, attr, 8) |
					    least(c->attr, attr, 0)
				  : attr;
}

static int inline_expand(struct check *ck, struct node **np, struct ident *id,
			 struct node_list *args)
{
	struct subst s = { .params = id->inl_params, .args = args, .loc = (*np)->loc };
	struct node *n;

	if (args && (inline_args(ck, s.loc, id, args) || inline_arg_types(ck, s.loc, id, args)))
		return -1;
	n = copy(ck, id->inl, &s);
	if (!n || check_expr(ck, &n))
		return -1;
	/* NULL and the like stay literal zeros. */
	if (id->type && !check_is_dynamic(n) && check_assignable(id->type, n)) {
		n = check_convert(ck, n, id->type);
		if (type_is_integer(id->type) && n->type != id->type)
			n = check_cast(ck, n, id->type);
	}
	if (id->attr)
		*(n->kind == NODE_XLATE ? &n->a->opaque : &n->opaque) = true;
	check_attr(ck, id->attr);
	*np = n;
	return 0;
}

int check_inline_use(struct check *ck, struct node **np, struct ident *id, struct node_list *args)
{
	int rc;

	if (ck->inline_depth >= CHECK_MAX_INLINE_DEPTH)
		return diag_error(ck->d, NULL, (*np)->loc,
				  "Insufficient registers to generate code");
	ck->inline_depth++;
	rc = inline_expand(ck, np, id, args);
	ck->inline_depth--;
	return rc;
}
