/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names: resolution, creation of variables by their first assignment, keys, args[], members.
 */
#include <string.h>

#include "lang/check_impl.h"

static const char *scope_prefix(int scope)
{
	return scope == SCOPE_SELF ? "self->" : scope == SCOPE_THIS ? "this->" : "";
}

struct ident *check_plain_ident(struct check *ck, const struct node *n)
{
	if (n->kind != NODE_IDENT || n->u.ident.scope == '`')
		return NULL;
	return ident_lookup(ck->s, n->u.ident.scope, n->u.ident.name);
}

bool check_unknown_word(struct check *ck, const struct node *n)
{
	return n->kind == NODE_IDENT && !n->u.ident.scope && !check_plain_ident(ck, n);
}

/* Turns a name into the use of a variable. */
static void to_var(struct node *n, struct ident *id)
{
	n->kind = NODE_VAR;
	n->a = NULL;
	n->u.var.ident = id;
	n->type = id->type;
	n->lvalue = id->kind == IDENT_GLOBAL || id->kind == IDENT_THREAD ||
		    id->kind == IDENT_CLAUSE || id->kind == IDENT_SYMBOL;
}

static int undefined(struct check *ck, const struct node *n)
{
	if (n->u.ident.scope == SCOPE_SELF || n->u.ident.scope == SCOPE_THIS)
		return diag_error(ck->d, "D_VAR_UNDEF", n->loc,
				  "%s%s has not yet been declared or assigned",
				  scope_prefix(n->u.ident.scope), n->u.ident.name);
	return diag_error(ck->d, "D_IDENT_UNDEF", n->loc,
			  "failed to resolve %s: Unknown variable name", n->u.ident.name);
}

static int bad_reference(struct check *ck, struct srcloc loc, const struct ident *id,
			 const char *as)
{
	return diag_error(ck->d, "D_IDENT_BADREF", loc, "%s '%s%s' may not be referenced as %s",
			  ident_kind_name(id), ident_prefix(id), id->name, as);
}

/* ---- kernel symbols ------------------------------------------------------------------------ */

/* "`sym" or "mod`sym" as written. */
int check_symbol(struct check *ck, struct node *n)
{
	const char *text = n->u.ident.name, *tick = strchr(text, '`');
	const char *sym = tick ? tick + 1 : text;
	const struct lang_hooks *h = &ck->s->hooks;
	char *module = tick && tick > text ? arena_strndup(ck->arena, text, tick - text) : NULL;
	struct lang_symbol found = { 0 };
	struct ident *id;

	if (!*sym || !h->symbol || !h->symbol(h->arg, module, sym, &found)) {
		bool known = !module || !h->module_exists || h->module_exists(h->arg, module);

		return diag_error(ck->d, "D_IDENT_UNDEF", n->loc,
				  "failed to resolve %s: Unknown %s name", text,
				  known ? "symbol" : "module");
	}
	id = arena_new(ck->arena, struct ident);
	id->kind = IDENT_SYMBOL;
	id->name = sym;
	id->sym_module = module;
	id->value = (int64_t)found.addr;
	id->sym_percpu = found.percpu;
	id->sym_type = id->type = found.type;
	to_var(n, id);
	return 0;
}

static int check_symbol_value(struct check *ck, struct node *n)
{
	const char *text = n->u.ident.name;

	if (check_symbol(ck, n))
		return -1;
	if (n->type)
		return 0;
	return diag_error(ck->d, "D_SYM_NOTYPES", n->loc,
			  "no symbolic type information is available for %s: Unknown type name",
			  text);
}

/* ---- plain names --------------------------------------------------------------------------- */

static int check_builtin(struct check *ck, struct node *n, struct ident *id)
{
	if (builtin_flags(id->builtin) & BUILTIN_ARRAY)
		return bad_reference(ck, n->loc, id, "scalar");
	if (!(builtin_flags(id->builtin) & BUILTIN_BUILT))
		check_unbuilt(ck, n->loc,
			      arena_printf(ck->arena,
					   "built-in variable %s is not implemented (yet)",
					   id->name));
	to_var(n, id);
	return 0;
}

static int check_known(struct check *ck, struct node **np, struct ident *id)
{
	struct node *n = *np;

	switch (id->kind) {
	case IDENT_BUILTIN: return check_builtin(ck, n, id);
	case IDENT_ENUM: {
		bool open = !id->type || type_resolve(id->type)->kind != TYPE_ENUM;

		/* Within the braces of its own enum it is an int. */
		*np = check_int(ck, n->loc, id->value, open ? type_int(ck->ts) : id->type);
		return 0;
	}
	case IDENT_INLINE:
		if (id->inl_params)
			return bad_reference(ck, n->loc, id, "scalar");
		return check_inline_use(ck, np, id, NULL);
	case IDENT_GLOBAL:
	case IDENT_THREAD:
	case IDENT_CLAUSE:
		if (!id->type)
			return undefined(ck, n);
		to_var(n, id);
		return 0;
	default: return bad_reference(ck, n->loc, id, "scalar");
	}
}

int check_ident(struct check *ck, struct node **np)
{
	struct node *n = *np;
	struct ident *id;

	if (n->u.ident.scope == '`')
		return check_symbol_value(ck, n);
	id = check_plain_ident(ck, n);
	return id ? check_known(ck, np, id) : undefined(ck, n);
}

/* ---- keys ---------------------------------------------------------------------------------- */

static int key_error(struct check *ck, struct node *key, const char *is, const char *what, size_t i)
{
	return diag_error(ck->d, "D_KEY_TYPE", key->loc,
			  "%s expression may not be used as %s index: key #%zu", is, what, i + 1);
}

/* Checks one key by itself. */
static int check_key(struct check *ck, struct node **np, const char *what, size_t i)
{
	bool agg = !strcmp(what, "aggregation");
	struct type *t;

	if (agg && check_is_action_call(*np))
		return check_address_key(ck, np);
	if (check_expr(ck, np))
		return -1;
	t = type_resolve((*np)->type);
	if (t->kind == TYPE_VOID)
		return key_error(ck, *np, "void", what, i);
	if (t->kind == TYPE_DYNAMIC)
		return key_error(ck, *np, check_type_name(ck->ts, *np), what, i);
	if (t->kind == TYPE_FUNCTION || t->kind == TYPE_FORWARD || t->kind == TYPE_FLOAT)
		return key_error(ck, *np, type_name(ck->ts, t), what, i);
	/* Text in an array is a string. */
	if (t->kind == TYPE_ARRAY && type_is_string_like(t))
		*np = check_convert(ck, *np, type_string(ck->ts));
	return 0;
}

/* The signature keeps plain types: qualifiers come from where the first key was read. */
static struct type *key_type(struct type *t)
{
	while (t->kind == TYPE_TYPEDEF && !*t->name)
		t = t->ref;
	return t;
}

int check_keys(struct check *ck, struct ident *id, struct node_list *keys, struct srcloc loc,
	       const char *what)
{
	const char *prefix = id->kind == IDENT_AGG ? "@" : "";
	struct type *types[CHECK_MAX_KEYS];

	if (keys->n > CHECK_MAX_KEYS)
		return diag_error(ck->d, NULL, loc,
				  "Insufficient tuple registers to generate code");
	for (size_t i = 0; i < keys->n; i++) {
		if (check_key(ck, &keys->v[i], what, i))
			return -1;
		types[i] = key_type(keys->v[i]->type);
	}
	if (!id->keys_fixed)
		ident_set_keys(ck->s, id, types, keys->n);
	if (keys->n != id->nkeys)
		return diag_error(ck->d, "D_PROTO_LEN", loc,
				  "%s%s[ ] prototype mismatch: %zu key%s passed, %zu expected",
				  prefix, id->name, keys->n, keys->n == 1 ? "" : "s", id->nkeys);
	for (size_t i = 0; i < keys->n; i++) {
		if (!check_assignable(id->keys[i], keys->v[i]))
			return diag_error(ck->d, "D_PROTO_ARG", keys->v[i]->loc,
					  "%s%s[ ] key #%zu is incompatible with "
					  "prototype:\n\tprototype: %s\n"
					  "\t      key: %s",
					  prefix, id->name, i + 1, type_name(ck->ts, id->keys[i]),
					  check_type_name(ck->ts, keys->v[i]));
		keys->v[i] = check_convert(ck, keys->v[i], id->keys[i]);
	}
	return 0;
}

/* ---- args[n], uregs[n] --------------------------------------------------------------------- */

/* The one index of a built-in array: an integer constant. */
static int check_const_index(struct check *ck, struct node *n, struct ident *id, int64_t *value)
{
	struct node_list *keys = &n->u.index.keys;

	if (keys->n != 1)
		return diag_error(ck->d, "D_PROTO_LEN", n->loc,
				  "%s[ ] prototype mismatch: %zu args passed, 1 expected", id->name,
				  keys->n);
	if (check_expr(ck, &keys->v[0]))
		return -1;
	if (keys->v[0]->kind != NODE_INT || !type_is_integer(keys->v[0]->type))
		return diag_error(ck->d, "D_PROTO_ARG", n->loc,
				  "%s[ ] argument #1 is incompatible with prototype:\n"
				  "\tprototype: integer constant\n\t argument: %s",
				  id->name, check_type_name(ck->ts, keys->v[0]));
	*value = (int64_t)keys->v[0]->u.integer.value;
	return 0;
}

/* A description for messages, its own probes with their provider. */
static const char *spec_name(struct check *ck, const struct probespec *sp)
{
	bool own = !*sp->prov && (!strcmp(sp->name, "BEGIN") || !strcmp(sp->name, "END") ||
				  !strcmp(sp->name, "ERROR"));

	if (sp->by_id || !sp->name)
		return sp->text;
	return arena_printf(ck->arena, "%s:%s:%s:%s", own ? "dtrace" : sp->prov, sp->mod, sp->func,
			    sp->name);
}

static bool same_arg(const struct lang_probe_arg *a, const struct lang_probe_arg *b)
{
	return a->from == b->from && type_compatible(a->type, b->type) &&
	       (!a->native || !b->native ? a->native == b->native
					 : type_compatible(a->native, b->native));
}

/* What args[i] is; all descriptions of the clause must agree. */
static int args_find(struct check *ck, struct node *n, int64_t i, struct lang_probe_arg *out)
{
	const struct lang_hooks *h = &ck->s->hooks;
	struct clause *c = ck->clause;

	*out = (struct lang_probe_arg){ 0 };
	for (size_t s = 0; s < c->nspecs; s++) {
		int index = i >= 0 && i <= INT16_MAX ? (int)i : -1;
		struct lang_probe_arg a = { 0 };

		if (h->probe_arg && index >= 0)
			h->probe_arg(h->arg, &c->specs[s], index, &a);
		if (a.multi || (s && a.type && out->type && !same_arg(&a, out)))
			return diag_error(ck->d, "D_ARGS_MULTI", n->loc,
					  "args[ ] may not be referenced because probe description "
					  "%s matches an unstable "
					  "set of probes",
					  spec_name(ck, &c->specs[s]));
		if (!a.type && index >= 0 && index < a.nargs)
			return diag_error(ck->d, "D_ARGS_TYPE", n->loc,
					  "failed to resolve native type for args[%lld]",
					  (long long)i);
		if (!a.type)
			return diag_error(ck->d, "D_ARGS_IDX", n->loc,
					  "index %lld is out of range for %s args[ ]", (long long)i,
					  spec_name(ck, &c->specs[s]));
		*out = a;
	}
	return 0;
}

/* args[i] of an output prototype: the probe's own argument, translated. */
static int args_translate(struct check *ck, struct node **np, int64_t i,
			  const struct lang_probe_arg *a)
{
	struct node *n = *np, *x;

	if (!check_xlate_known(ck, a->type, n))
		return diag_error(ck->d, "D_ARGS_XLATOR", n->loc,
				  "translator for args[%lld] from %s to %s is not defined",
				  (long long)i, type_name(ck->ts, a->native),
				  type_name(ck->ts, a->type));
	x = check_xlate_new(ck, n, a->type);
	*np = x;
	return check_xlate(ck, x);
}

static int check_args(struct check *ck, struct node **np, struct ident *id)
{
	struct lang_probe_arg a;
	struct node *n = *np;
	int64_t i;

	if (!ck->clause || !ck->clause->nspecs)
		return diag_error(ck->d, "D_ARGS_NONE", n->loc,
				  "%s[ ] may not be referenced outside of a probe clause",
				  id->name);
	if (check_const_index(ck, n, id, &i) || args_find(ck, n, i, &a))
		return -1;
	n->u.index.ident = id;
	n->a = NULL;
	n->u.index.keys.v[0] = check_int(ck, n->loc, a.from, type_int(ck->ts));
	n->type = a.native ? a.native : a.type;
	return a.native ? args_translate(ck, np, i, &a) : 0;
}

#define UREGS_MAX 25

static int check_builtin_index(struct check *ck, struct node **np, struct ident *id)
{
	struct node *n = *np;
	int64_t i;

	if (!(builtin_flags(id->builtin) & BUILTIN_ARRAY))
		return diag_error(ck->d, "D_ARR_BADREF", n->loc,
				  "cannot access %s %s as an associative array",
				  ident_kind_name(id), id->name);
	if (id->builtin == BUILTIN_ARGS)
		return check_args(ck, np, id);
	if (id->builtin == BUILTIN_UREGS) {
		if (check_const_index(ck, n, id, &i))
			return -1;
		if (i < 0 || i > UREGS_MAX)
			return diag_error(ck->d, "D_UNKNOWN", n->loc,
					  "uregs[]: index out of bounds (%lld)", (long long)i);
	}
	if (!(builtin_flags(id->builtin) & BUILTIN_BUILT))
		check_unbuilt(ck, n->loc,
			      arena_printf(ck->arena,
					   "built-in variable %s is not implemented (yet)",
					   id->name));
	n->u.index.ident = id;
	n->a = NULL;
	n->type = id->type;
	return 0;
}

/* ---- indexes ------------------------------------------------------------------------------- */

/* An element of a C array, of what a pointer points to, or a character of a string. */
static int check_element(struct check *ck, struct node *n)
{
	struct node_list *keys = &n->u.index.keys;
	struct type *t = type_resolve(n->a->type);
	struct node *i;

	if (keys->n != 1)
		return diag_error(ck->d, "D_ARR_BADREF", n->loc,
				  "cannot access %s as an associative array",
				  check_type_name(ck->ts, n->a));
	if (check_expr(ck, &keys->v[0]))
		return -1;
	i = keys->v[0];
	if (!type_is_integer(i->type))
		return diag_error(ck->d, "D_OP_INCOMPAT", n->loc,
				  "operands have incompatible types: \"%s\" %s \"%s\"",
				  check_type_name(ck->ts, n->a), "[", check_type_name(ck->ts, i));
	keys->v[0] = i = check_convert(ck, i, type_int64(ck->ts));
	if (t->kind == TYPE_STRING) {
		n->type = type_builtin(ck->ts, "char");
		n->lvalue = n->a->lvalue;
		return 0;
	}
	if (type_resolve(t->ref)->kind == TYPE_VOID)
		return diag_error(ck->d, "D_DEREF_VOID", n->loc,
				  "cannot dereference pointer to void");
	if (type_resolve(t->ref)->kind == TYPE_FUNCTION)
		return diag_error(ck->d, "D_DEREF_FUNC", n->loc,
				  "cannot dereference pointer to function");
	if (type_resolve(t->ref)->kind == TYPE_FORWARD)
		return diag_error(ck->d, "D_OP_INCOMPLETE", n->loc,
				  "operator [] cannot be applied to a forward declaration: no %s "
				  "definition is available",
				  type_name(ck->ts, type_resolve(t->ref)));
	if (t->kind == TYPE_ARRAY && t->nelems > 1 && i->kind == NODE_INT &&
	    i->u.integer.value >= t->nelems)
		return diag_error(ck->d, "D_ARR_BOUNDS", n->loc,
				  "index outside array bounds: %llu, max is %lld",
				  (unsigned long long)i->u.integer.value, (long long)t->nelems);
	n->type = t->ref;
	n->lvalue = true;
	return 0;
}

static int check_assoc(struct check *ck, struct node *n, struct ident *id)
{
	if (!id->type)
		return diag_error(ck->d, "D_VAR_UNDEF", n->loc,
				  "%s%s has not yet been declared or assigned", ident_prefix(id),
				  id->name);
	if (check_keys(ck, id, &n->u.index.keys, n->loc, "associative array"))
		return -1;
	n->u.index.ident = id;
	n->a = NULL;
	n->type = id->type;
	n->lvalue = true;
	return 0;
}

/* [] behind something that is no associative array. */
static int check_subscript(struct check *ck, struct node *n, const struct ident *id)
{
	struct type *t;

	if (check_expr(ck, &n->a))
		return -1;
	t = type_resolve(n->a->type);
	if (type_is_pointer(t) || t->kind == TYPE_STRING)
		return check_element(ck, n);
	if (id && id->kind == IDENT_CLAUSE)
		return diag_error(ck->d, "D_ARR_LOCAL", n->loc,
				  "local variables may not be used as associative arrays: %s",
				  id->name);
	if (id)
		return diag_error(ck->d, "D_ARR_BADREF", n->loc,
				  "cannot access %s %s as an associative array",
				  ident_kind_name(id), id->name);
	return diag_error(ck->d, "D_ARR_BADREF", n->loc, "cannot access %s as an associative array",
			  check_type_name(ck->ts, n->a));
}

int check_index(struct check *ck, struct node **np)
{
	struct node *n = *np;
	struct ident *id = check_plain_ident(ck, n->a);

	if (n->a->kind == NODE_AGG)
		return diag_error(ck->d, "D_AGG_MDIM", n->loc,
				  "improper attempt to reference @%s as a multi-dimensional array",
				  n->a->u.agg.name);
	if (!id && n->a->kind == NODE_IDENT && n->a->u.ident.scope == SCOPE_THIS)
		return diag_error(ck->d, "D_ARR_LOCAL", n->loc,
				  "local variables may not be used as associative arrays: %s",
				  n->a->u.ident.name);
	if (id && (id->kind == IDENT_ASSOC || id->kind == IDENT_THREAD_ASSOC))
		return check_assoc(ck, n, id);
	if (id && id->kind == IDENT_BUILTIN && !type_is_pointer(id->type) &&
	    !type_is_string(id->type))
		return check_builtin_index(ck, np, id);
	if (id && id->kind == IDENT_INLINE && id->inl_params)
		return check_inline_use(ck, np, id, &n->u.index.keys);
	return check_subscript(ck, n, id);
}

/* ---- targets of assignments ---------------------------------------------------------------- */

static int not_assigned(struct check *ck, const struct node *n)
{
	return diag_error(ck->d, "D_VAR_UNDEF", n->loc,
			  "%s%s has not yet been declared or assigned",
			  scope_prefix(n->u.ident.scope), n->u.ident.name);
}

static int create_scalar(struct check *ck, struct node *n, struct type *t)
{
	enum ident_kind kind = n->u.ident.scope == SCOPE_SELF	? IDENT_THREAD
			       : n->u.ident.scope == SCOPE_THIS ? IDENT_CLAUSE
								: IDENT_GLOBAL;
	struct ident *id = ident_create(ck->s, kind, n->u.ident.name, t, n->loc.line);

	id->written = true;
	to_var(n, id);
	return 0;
}

static int create_assoc(struct check *ck, struct node *n, struct type *t)
{
	struct node *base = n->a;
	enum ident_kind kind = base->u.ident.scope == SCOPE_SELF ? IDENT_THREAD_ASSOC : IDENT_ASSOC;
	struct ident *id;

	if (base->u.ident.scope == SCOPE_THIS)
		return diag_error(ck->d, "D_ARR_LOCAL", n->loc,
				  "local variables may not be used as associative arrays: %s",
				  base->u.ident.name);
	id = ident_create(ck->s, kind, base->u.ident.name, t, n->loc.line);
	id->written = true;
	return check_assoc(ck, n, id);
}

int check_target(struct check *ck, struct node **np, struct type *t)
{
	struct node *n = *np, *base = n->kind == NODE_INDEX ? n->a : n;
	struct ident *id;

	if (base->kind != NODE_IDENT || base->u.ident.scope == '`')
		return check_expr(ck, np);
	id = check_plain_ident(ck, base);
	if (id) {
		id->written = true;
		return check_expr(ck, np);
	}
	if (!t)
		return not_assigned(ck, base);
	return n->kind == NODE_INDEX ? create_assoc(ck, n, t) : create_scalar(ck, n, t);
}

/* ---- members ------------------------------------------------------------------------------- */

/* curcpu->m: its members are built-in variables of their own. */
static int check_curcpu(struct check *ck, struct node **np)
{
	static const struct {
		const char *member, *builtin;
	} names[] = { { "cpu_id", "cpu" },
		      { "cpu_pset", "pset" },
		      { "cpu_chip", "chip" },
		      { "cpu_lgrp", "lgrp" } };
	struct node *n = *np;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(n->u.member.name, names[i].member))
			return check_builtin(ck, n,
					     ident_lookup(ck->s, SCOPE_GLOBAL, names[i].builtin));
	return diag_error(ck->d, "D_TYPE_MEMBER", n->loc, "%s is not a member of %s",
			  n->u.member.name, "struct cpuinfo");
}

static int member_operand(struct check *ck, struct node *n, struct type **sou)
{
	const char *op = n->u.member.arrow ? "->" : ".";
	struct type *t = type_resolve(n->a->type);

	if (t->kind == TYPE_DYNAMIC)
		return diag_error(ck->d, "D_OP_DYN", n->loc,
				  "operator %s operands cannot be of dynamic type", op);
	if (n->u.member.arrow) {
		if (!type_is_pointer(t))
			return diag_error(ck->d, "D_OP_PTR", n->loc,
					  "operator %s must be applied to a pointer", op);
		t = type_resolve(t->ref);
	}
	if (t->kind == TYPE_FORWARD && t->fwd_kind != TYPE_ENUM)
		return diag_error(ck->d, "D_OP_INCOMPLETE", n->loc,
				  "operator %s cannot be applied to a forward declaration: no %s "
				  "definition is available",
				  op, type_name(ck->ts, t));
	*sou = t;
	if (type_is_sou(t))
		return 0;
	if (n->u.member.arrow)
		return diag_error(ck->d, "D_OP_SOU", n->loc,
				  "operator -> cannot be applied to pointer to type \"%s\"; must "
				  "be applied to a struct or "
				  "union pointer",
				  type_name(ck->ts, type_resolve(n->a->type)->ref));
	return diag_error(
		ck->d, "D_OP_SOU", n->loc,
		"operator . cannot be applied to type \"%s\"; must be applied to a struct or union",
		check_type_name(ck->ts, n->a));
}

int check_member(struct check *ck, struct node **np)
{
	struct node *n = *np;
	struct ident *id = check_plain_ident(ck, n->a);
	struct type *sou = NULL;
	uint64_t off;

	if (id && id->kind == IDENT_BUILTIN && id->builtin == BUILTIN_CURCPU && n->u.member.arrow)
		return check_curcpu(ck, np);
	if (check_expr(ck, &n->a))
		return -1;
	if (n->a->kind == NODE_XLATE)
		return check_xlate_member(ck, np);
	if (member_operand(ck, n, &sou))
		return -1;
	n->u.member.member = type_member(sou, n->u.member.name, &off);
	if (!n->u.member.member)
		return diag_error(ck->d, "D_TYPE_MEMBER", n->loc, "%s is not a member of %s",
				  n->u.member.name, type_name(ck->ts, sou));
	n->u.member.bit_offset = off;
	n->type = n->u.member.member->type;
	n->lvalue = n->u.member.arrow || n->a->lvalue;
	return 0;
}
