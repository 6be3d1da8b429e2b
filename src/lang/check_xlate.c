/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translations: xlate <T> (e), and what stands behind args[n] of probes with an output prototype.
 * A member of one becomes the translator's expression for it, in which the parameter stands for
 * the operand. An operand that is not free to evaluate again is kept in a clause-local variable
 * of the checker's own.
 */
#include <string.h>

#include "lang/check_impl.h"

bool check_xlate_pointer(const struct node *n)
{
	return type_resolve(n->u.xlate.type)->kind == TYPE_POINTER;
}

static bool converts(const struct translator *xl, struct type *out, const struct node *operand,
		     bool exact)
{
	if (!type_compatible(xl->out, out))
		return false;
	return exact ? type_compatible(xl->in, operand->type) : check_assignable(xl->in, operand);
}

static const struct translator *find(struct check *ck, struct type *out, const struct node *operand)
{
	const struct lang_hooks *h = &ck->s->hooks;

	if (check_is_dynamic(operand))
		return NULL;
	/* Our own types bring their translators with them; this is for those of the kernel and of D. */
	if (h->find_name)
		h->find_name(h->arg,
			     arena_printf(ck->arena, "translator %s", type_name(ck->ts, out)));
	for (int exact = 1; exact >= 0; exact--)
		for (size_t i = 0; i < ck->s->translators.n; i++)
			if (converts(ck->s->translators.v[i], out, operand, exact))
				return ck->s->translators.v[i];
	return NULL;
}

static struct type *pointee(struct type *t)
{
	struct type *r = type_resolve(t);

	return r->kind == TYPE_POINTER ? r->ref : t;
}

bool check_xlate_known(struct check *ck, struct type *out, const struct node *operand)
{
	return find(ck, pointee(out), operand) != NULL;
}

int check_xlate(struct check *ck, struct node *n)
{
	if (n->u.xlate.with)
		return 0;
	if (check_expr(ck, &n->a))
		return -1;
	n->u.xlate.with = find(ck, pointee(n->u.xlate.type), n->a);
	if (!n->u.xlate.with)
		return diag_error(
			ck->d, "D_XLATE_NONE", n->loc, "cannot translate from \"%s\" to \"%s\"",
			check_type_name(ck->ts, n->a), type_name(ck->ts, n->u.xlate.type));
	n->a = check_convert(ck, n->a, n->u.xlate.with->in);
	n->a->checked = n->a->counts = true;
	n->type = type_dynamic(ck->ts);
	return 0;
}

struct node *check_xlate_new(struct check *ck, struct node *n, struct type *t)
{
	struct node *x = check_node(ck, NODE_XLATE, n->loc);

	n->checked = true;
	x->a = n;
	x->u.xlate.type = t;
	return x;
}

/* ---- the operand --------------------------------------------------------------------------- */

/* Costs nothing and gives the same value each time. */
static bool is_plain(const struct node *n)
{
	switch (n->kind) {
	case NODE_INT:
	case NODE_STRING:
	case NODE_VAR: return true;
	case NODE_INDEX: /* args[n] */
		return n->u.index.ident && n->u.index.ident->kind == IDENT_BUILTIN;
	case NODE_CAST: return is_plain(n->a);
	default: return false;
	}
}

/* Places in a tree where a name stands. */
static size_t uses(const struct node *n, const char *name)
{
	const struct node_list *l = NULL;
	size_t k;

	if (!n || n->checked)
		return 0;
	if (n->kind == NODE_IDENT)
		return !n->u.ident.scope && !strcmp(n->u.ident.name, name);
	if (n->kind == NODE_CALL)
		l = &n->u.call.args;
	else if (n->kind == NODE_INDEX)
		l = &n->u.index.keys;
	k = uses(n->a, name) + uses(n->b, name) + uses(n->c, name);
	for (size_t i = 0; l && i < l->n; i++)
		k += uses(l->v[i], name);
	/* An inline may name a parameter of its own several times. */
	return n->kind == NODE_INDEX && k ? 2 * k : k;
}

static struct node *comma(struct check *ck, struct node *a, struct node *b)
{
	struct node *n = check_node(ck, NODE_COMMA, b->loc);

	n->a = a;
	n->b = b;
	n->type = b->type;
	n->checked = true;
	return n;
}

/* Replaces the operand by a variable that holds it. Gives the assignment. */
static struct node *keep(struct check *ck, struct node **operand)
{
	struct node *v = *operand, *n = check_node(ck, NODE_ASSIGN, v->loc);
	char *name = arena_printf(ck->s->arena, "%%x%u", ++ck->s->ntemps);
	struct type *t = v->type;

	while (t->kind == TYPE_TYPEDEF && !*t->name)
		t = t->ref;
	n->a = check_node(ck, NODE_VAR, v->loc);
	n->a->u.var.ident = ident_create(ck->s, IDENT_CLAUSE, name, t, v->loc.line);
	n->a->u.var.ident->written = true;
	n->a->type = t;
	n->a->lvalue = n->a->checked = true;
	n->b = check_convert(ck, v, t);
	n->u.op.op = OP_ASSIGN;
	n->type = t;
	n->checked = true;
	*operand = n->a;
	return n;
}

/* ---- members ------------------------------------------------------------------------------- */

static const struct xlate_member *member_next(const struct xlate_member *m, const char *name)
{
	while (m && strcmp(m->name, name) != 0)
		m = m->next;
	return m;
}

/* The expression of one definition of a member, of the member's type. */
static struct node *expand_one(struct check *ck, const struct node *x, const struct xlate_member *m,
			       struct type *t, struct node *operand)
{
	const struct translator *xl = x->u.xlate.with;
	struct decl_param param = { .name = xl->param };
	struct decl_params params = { .v = &param, .n = 1 };
	struct node_list args = { .v = &operand, .n = 1 };
	struct node *n = check_copy(ck, m->expr, &params, &args, x->loc);

	if (!n || check_expr(ck, &n))
		return NULL;
	if (n->kind == NODE_XLATE && type_compatible(t, n->u.xlate.type))
		return n;
	if (check_is_dynamic(n) ||
	    !(check_assignable(t, n) || (type_resolve(t)->kind == TYPE_ARRAY &&
					 type_is_string_like(t) && type_is_string_like(n->type)))) {
		diag_error(
			ck->d, "D_XLATE_INCOMPAT", m->loc,
			"translator member %s definition uses incompatible types: \"%s\" = \"%s\"",
			m->name, type_name(ck->ts, t), check_type_name(ck->ts, n));
		return NULL;
	}
	if (type_resolve(t)->kind == TYPE_ARRAY)
		return n;
	n = check_convert(ck, n, t);
	return type_is_integer(t) && n->type != t ? check_cast(ck, n, t) : n;
}

/*
 * A library gives a member several definitions where kernels differ: the first that this kernel's
 * types allow is used, and the error of the last stands if none is.
 */
static struct node *expand_any(struct check *ck, const struct node *x, const struct xlate_member *m,
			       struct type *t, struct node *operand)
{
	struct diag *d = ck->d;
	const char *unbuilt = ck->unbuilt;
	struct node *n = NULL;

	for (; m && !n; m = member_next(m->next, m->name)) {
		struct diag scratch = { .where_now = d->where_now };
		bool last = !member_next(m->next, m->name);

		ck->d = last ? d : &scratch;
		n = expand_one(ck, x, m, t, operand);
		ck->d = d;
		diag_clear(&scratch);
		if (!last && ck->unbuilt != unbuilt) {
			ck->unbuilt = unbuilt;
			n = NULL;
		}
	}
	return n;
}

static struct node *expand(struct check *ck, const struct node *x, const char *name, struct type *t,
			   struct node *operand)
{
	const struct xlate_member *m = member_next(x->u.xlate.with->members, name);
	struct node *n;

	if (!m) {
		diag_error(ck->d, "D_XLATE_NOCONV", x->loc,
			   "translator does not define conversion for member: %s", name);
		return NULL;
	}
	if (ck->inline_depth >= CHECK_MAX_INLINE_DEPTH) {
		diag_error(ck->d, NULL, x->loc, "Insufficient registers to generate code");
		return NULL;
	}
	ck->inline_depth++;
	n = expand_any(ck, x, m, t, operand);
	ck->inline_depth--;
	return n;
}

static size_t member_uses(const struct translator *xl, const char *name)
{
	const struct xlate_member *m = member_next(xl->members, name);
	size_t most = 0;

	for (; m; m = member_next(m->next, name))
		most = MAX(most, uses(m->expr, xl->param));
	return most;
}

static int operator_error(struct check *ck, const struct node *n)
{
	struct node *x = n->a;

	if (n->u.member.arrow)
		return diag_error(ck->d, "D_OP_PTR", n->loc,
				  "operator -> must be applied to a pointer");
	return diag_error(
		ck->d, "D_OP_SOU", n->loc,
		"operator . cannot be applied to type \"%s\"; must be applied to a struct or union",
		type_name(ck->ts, x->u.xlate.type));
}

int check_xlate_member(struct check *ck, struct node **np)
{
	struct node *n = *np, *x = n->a, *operand = x->a, *kept = NULL, *value;
	const struct translator *xl = x->u.xlate.with;
	const struct type_member *m;
	uint64_t off;

	if (n->u.member.arrow != check_xlate_pointer(x))
		return operator_error(ck, n);
	m = type_member(xl->out, n->u.member.name, &off);
	if (!m)
		return diag_error(ck->d, "D_TYPE_MEMBER", n->loc, "%s is not a member of %s",
				  n->u.member.name, type_name(ck->ts, xl->out));
	if (!is_plain(operand) && member_uses(xl, m->name) != 1)
		kept = keep(ck, &operand);
	value = expand(ck, x, m->name, m->type, operand);
	if (!value)
		return -1;
	if (!value->counts)
		value->opaque = true;
	if (kept && value->kind == NODE_XLATE) /* the operand is evaluated where its member is */
		value->a = comma(ck, kept, value->a);
	else if (kept)
		value = comma(ck, kept, value);
	*np = value;
	return 0;
}

/* ---- assignment of the whole --------------------------------------------------------------- */

/* target.m */
static struct node *member_of(struct check *ck, const struct node *target,
			      const struct type_member *m, uint64_t off)
{
	struct node *a = check_copy(ck, target, NULL, NULL, target->loc), *n;

	if (!a)
		return NULL;
	n = check_node(ck, NODE_MEMBER, target->loc);
	n->a = a;
	n->u.member.name = m->name;
	n->u.member.member = m;
	n->u.member.bit_offset = off;
	n->type = m->type;
	n->lvalue = true;
	n->checked = true;
	return n;
}

static struct node *assign(struct check *ck, struct node *target, struct node *value)
{
	struct node *n = check_node(ck, NODE_ASSIGN, value->loc);

	n->a = target;
	n->b = value;
	n->u.op.op = OP_ASSIGN;
	n->type = target->type;
	n->checked = true;
	return n;
}

/* Adds the members that x defines to the chain *np; those that are translations themselves member by member. */
static int assign_members(struct check *ck, struct node **np, const struct node *target,
			  const struct node *x, struct node *operand)
{
	const struct translator *xl = x->u.xlate.with;

	for (const struct xlate_member *d = xl->members; d; d = d->next) {
		const struct type_member *m;
		struct node *value, *to;
		uint64_t off;

		if (member_next(xl->members, d->name) != d) /* another definition of it */
			continue;
		m = type_member(xl->out, d->name, &off);
		value = expand(ck, x, d->name, m->type, operand);
		to = value ? member_of(ck, target, m, off) : NULL;
		if (!to)
			return -1;
		if (value->kind != NODE_XLATE) {
			*np = comma(ck, *np, assign(ck, to, value));
			continue;
		}
		if (!is_plain(value->a))
			*np = comma(ck, *np, keep(ck, &value->a));
		if (assign_members(ck, np, to, value, value->a))
			return -1;
	}
	return 0;
}

/* v = xlate <T> (e): members that the translator does not define are 0. */
int check_xlate_assign(struct check *ck, struct node **np)
{
	struct node *n = *np, *x = n->b, *operand = x->a, *kept = NULL, *chain, *value;

	if (check_target(ck, &n->a, x->u.xlate.type) || check_writable(ck, n, "="))
		return -1;
	if (!type_compatible(n->a->type, x->u.xlate.type))
		return check_incompatible(ck, n, n->a, "=", x);
	/* The operand may read what is overwritten. */
	if (operand->kind != NODE_INT &&
	    !(operand->kind == NODE_VAR && operand->u.var.ident->kind == IDENT_BUILTIN))
		kept = keep(ck, &operand);
	n->a->checked = true;
	n->b = check_int(ck, x->loc, 0, n->a->type);
	n->type = n->a->type;
	n->checked = true;
	chain = kept ? comma(ck, kept, n) : n;
	if (assign_members(ck, &chain, n->a, x, operand))
		return -1;
	value = check_copy(ck, n->a, NULL, NULL, n->loc);
	if (!value)
		return -1;
	*np = comma(ck, chain, value);
	return 0;
}
