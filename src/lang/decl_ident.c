/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a declaration declares: variables, typedefs and inlines are entered at once, so that the rest of the unit sees
 * them.
 */
#include "lang/decl_impl.h"

static void declare_typedef(struct parse *p, const struct declarator *dr, struct type *target)
{
	struct type *t;

	if (ident_lookup(p->s, SCOPE_GLOBAL, dr->name)) {
		parse_error(p, dr->loc, "D_DECL_IDRED", "typedef identifier redeclared: %s",
			    dr->name);
		return;
	}
	t = type_new(p->s->types, TYPE_TYPEDEF, dr->name);
	t->ref = target;
	t->size = target->size;
	t->align = target->align;
	t->complete = true;
	if (!type_define(p->s->types, dr->name, t))
		parse_error(p, dr->loc, "D_DECL_IDRED", "typedef redeclared: %s", dr->name);
}

static const char *ident_type_name(struct parse *p, const struct ident *id)
{
	return id->type ? type_name(p->s->types, id->type) : "<none>";
}

/* The new declaration of a name must agree with the old one in kind, type and keys. */
static void check_redeclared(struct parse *p, const struct declarator *dr, const struct ident *was,
			     const struct ident *now)
{
	struct types *ts = p->s->types;
	const char *type = type_name(ts, now->type), *old = ident_type_name(p, was);
	const char *kind = ident_kind_name(now), *old_kind = ident_kind_name(was);
	size_t i;

	if (was->kind != now->kind || !was->type || strcmp(type, old) != 0) {
		parse_error(p, dr->loc, "D_DECL_IDRED",
			    "identifier redeclared: %s\n\t current: %s %s\n\tprevious: %s %s",
			    dr->name, kind, type, old_kind, old);
		return;
	}
	if (was->nkeys != now->nkeys) {
		parse_error(p, dr->loc, "D_DECL_IDRED",
			    "identifier redeclared: %s\n\t current: %s of %s, tuple length %zu\n"
			    "\tprevious: %s of %s, tuple length %zu",
			    dr->name, kind, type, now->nkeys, old_kind, old, was->nkeys);
		return;
	}
	for (i = 0; i < was->nkeys; i++) {
		const char *key = type_name(ts, now->keys[i]),
			   *old_key = type_name(ts, was->keys[i]);

		if (!strcmp(key, old_key))
			continue;
		parse_error(p, dr->loc, "D_DECL_IDRED",
			    "identifier redeclared: %s\n\t current: %s, key #%zu of type %s\n"
			    "\tprevious: %s, key #%zu of type %s",
			    dr->name, kind, i + 1, key, old_kind, i + 1, old_key);
		return;
	}
}

static enum ident_kind variable_kind(enum decl_class class, bool assoc)
{
	switch (class) {
	case CLASS_SELF: return assoc ? IDENT_THREAD_ASSOC : IDENT_THREAD;
	case CLASS_THIS: return IDENT_CLAUSE;
	default: return assoc ? IDENT_ASSOC : IDENT_GLOBAL;
	}
}

/* Can an object of this type be declared? */
static bool variable_type_ok(struct parse *p, enum decl_class class, const struct declarator *dr,
			     struct type *t, bool assoc)
{
	struct type *r = type_resolve(t);

	if (assoc && class == CLASS_THIS)
		parse_error(p, dr->loc, "D_DECL_LOCASSC",
			    "associative arrays may not be declared as local variables: %s",
			    dr->name);
	else if (r->kind == TYPE_VOID)
		parse_error(p, dr->loc, "D_DECL_VOIDOBJ", "cannot have void object: %s", dr->name);
	else if (class != CLASS_EXTERN && decl_incomplete(t))
		parse_error(p, dr->loc, "D_DECL_INCOMPLETE", "incomplete struct/union/enum %s: %s",
			    type_name(p->s->types, t), dr->name);
	else if (class != CLASS_EXTERN && r->kind == TYPE_ARRAY && dr->first && !assoc &&
		 dr->first->kind == DERIVE_ARRAY && !dr->first->size)
		parse_error(p, dr->loc, "D_DECL_ARRNULL",
			    "array declaration requires array dimension or tuple signature: %s",
			    dr->name);
	else if (r->kind == TYPE_FUNCTION)
		parse_error(p, dr->loc, "D_UNKNOWN", "functions cannot be declared in D: %s",
			    dr->name);
	return !p->d->set;
}

static void declare_variable(struct parse *p, enum decl_class class, const struct declarator *dr,
			     struct type *t, const struct derive *tuple)
{
	struct ident now = { .name = dr->name, .type = t }, *id;
	int scope = class == CLASS_SELF	  ? SCOPE_SELF
		    : class == CLASS_THIS ? SCOPE_THIS
					  : SCOPE_GLOBAL;

	if (!variable_type_ok(p, class, dr, t, tuple))
		return;
	now.kind = variable_kind(class, tuple);
	if (tuple)
		now.keys = decl_param_types(p, tuple->params, "array", &now.nkeys);
	if (p->d->set)
		return;
	id = ident_lookup(p->s, scope, dr->name);
	if (id && (id->kind == IDENT_BUILTIN || id->kind == IDENT_FUNC)) {
		parse_error(p, dr->loc, "D_DECL_IDRED", "built-in identifier redeclared: %s",
			    dr->name);
		return;
	}
	if (id) {
		check_redeclared(p, dr, id, &now);
		return;
	}
	if (scope == SCOPE_GLOBAL && type_lookup_loaded(p->s->types, dr->name) &&
	    !type_lookup_loaded(p->s->types, dr->name)->btf_id) {
		parse_error(p, dr->loc, "D_DECL_IDRED", "global variable identifier redeclared: %s",
			    dr->name);
		return;
	}
	if (pragma_hides(p, dr->name))
		return;
	id = ident_create(p->s, now.kind, dr->name, t, dr->loc.line);
	if (tuple)
		ident_set_keys(p->s, id, now.keys, now.nkeys);
	id->declared = true;
	pragma_defined(p, id);
}

static void declare_one(struct parse *p, struct declspec *ds, const struct declarator *dr)
{
	const struct derive *tuple;
	struct type *t;

	if (strchr(dr->name, '`')) {
		parse_error(p, dr->loc, "D_DECL_SCOPE",
			    "D scoping operator may not be used in a declaration name (%s)",
			    dr->name);
		return;
	}
	t = declarator_type(p, declspec_type(p, ds), dr, &tuple);
	if (p->d->set)
		return;
	if (ds->class != CLASS_TYPEDEF)
		declare_variable(p, ds->class, dr, t, tuple);
	else if (tuple)
		parse_error(p, dr->loc, "D_DECL_DYNOBJ",
			    "cannot declare array of associative arrays");
	else
		declare_typedef(p, dr, t);
}

void decl_declare(struct parse *p, struct declspec *ds, struct declarator_list l)
{
	const struct declarator *dr;

	declspec_type(p, ds);
	if (ds->class == CLASS_AUTO || ds->class == CLASS_REGISTER || ds->class == CLASS_STATIC)
		parse_error(p, ds->loc, "D_DECL_BADCLASS",
			    "specified storage class not appropriate in D");
	if (!l.first && !ds->tagged)
		parse_error(p, ds->loc, "D_DECL_USELESS", "useless declaration");
	for (dr = l.first; dr && !p->d->set; dr = dr->next)
		declare_one(p, ds, dr);
}

/* ---- inline ------------------------------------------------------------------ */

static struct decl_params *inline_params(struct parse *p, const struct param_list *l)
{
	struct decl_params *params = arena_new(p->s->arena, struct decl_params);
	size_t n;
	struct type **types = decl_param_types(p, l, "inline array", &n);
	const struct param *a;

	params->v = arena_alloc(p->s->arena, l->n * sizeof(*params->v));
	for (a = l->first; a && params->n < n; a = a->next) {
		struct decl_param *param = &params->v[params->n];

		if (!a->dr || !a->dr->name)
			parse_error(p, a->loc, "D_DECL_PROTO_NAME",
				    "parameter declaration requires a name: parameter #%zu",
				    params->n + 1);
		else
			param->name = arena_strdup(p->s->arena, a->dr->name);
		param->type = types[params->n++];
	}
	return params;
}

static void inline_check(struct parse *p, const struct declarator *dr, struct type *t, bool assoc)
{
	enum type_kind kind = type_resolve(t)->kind;

	if (kind == TYPE_VOID)
		parse_error(p, dr->loc, "D_DECL_VOIDOBJ", "cannot declare void inline: %s",
			    dr->name);
	else if (kind == TYPE_FUNCTION)
		parse_error(p, dr->loc, "D_DECL_COMBO", "invalid type combination");
	else if (!assoc && dr->first && dr->first->kind == DERIVE_ARRAY && !dr->first->size)
		parse_error(p, dr->loc, "D_DECL_ARRNULL",
			    "inline declaration requires array tuple signature: %s", dr->name);
	else if (!assoc && kind == TYPE_ARRAY)
		parse_error(p, dr->loc, "D_DECL_ARRNULL",
			    "inline declaration cannot be of scalar array type: %s", dr->name);
}

/* Does a program define again, with the same value, a constant that a library has? */
static bool same_constant(struct parse *p, const struct ident *id, struct node *expr)
{
	struct node *was;

	if (!id->library || id->kind != IDENT_INLINE || p->src->library || p->d->set)
		return false;
	was = id->inl;
	return lang_check_const(p->s, &was, p->d) == 0 && was->kind == NODE_INT &&
	       lang_check_const(p->s, &expr, p->d) == 0 && expr->kind == NODE_INT &&
	       was->u.integer.value == expr->u.integer.value;
}

static void inline_define(struct parse *p, struct srcloc loc, struct declspec *ds,
			  struct declarator *dr, struct node *expr)
{
	struct ident now = { .kind = IDENT_INLINE, .line = loc.line, .inl = expr }, *id;
	const struct derive *tuple;

	if (ds->class != CLASS_NONE)
		parse_error(p, ds->loc, "D_DECL_BADCLASS",
			    "specified storage class not appropriate for inline declaration");
	now.type = declarator_type(p, declspec_type(p, ds), dr, &tuple);
	if (!dr) {
		parse_error(p, loc, "D_DECL_USELESS", "inline declaration requires a name");
		return;
	}
	now.name = dr->name;
	if (strchr(dr->name, '`'))
		parse_error(p, dr->loc, "D_DECL_SCOPE",
			    "D scoping operator may not be used in a declaration name (%s)",
			    dr->name);
	inline_check(p, dr, now.type, tuple);
	if (tuple)
		now.inl_params = inline_params(p, tuple->params);
	if (p->d->set)
		return;
	id = ident_lookup(p->s, SCOPE_GLOBAL, dr->name);
	if (id && same_constant(p, id, expr))
		return;
	if (id) {
		parse_error(
			p, dr->loc, "D_DECL_IDRED",
			"identifier redefined: %s\n\t current: inline definition\n\tprevious: %s %s",
			dr->name, ident_kind_name(id),
			id->kind == IDENT_INLINE ? "inline" : "definition");
		return;
	}
	/* In a library they are checked where they are used, as they may name what is nowhere else needed. */
	if ((!p->src->library && lang_check_inline(p->s, &now, p->d) < 0) ||
	    pragma_hides(p, dr->name))
		return;
	id = ident_create(p->s, IDENT_INLINE, dr->name, now.type, loc.line);
	id->library = p->src->library;
	id->inl = now.inl;
	id->inl_params = now.inl_params;
	id->declared = true;
	pragma_defined(p, id);
}

void decl_inline(struct parse *p, struct srcloc loc, struct declspec *ds, struct declarator *dr,
		 struct node *expr)
{
	inline_define(p, loc, ds, dr, expr);
	p->arena = p->prog->arena;
}
