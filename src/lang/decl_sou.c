/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Structs, unions and enums: tags, members, bit-fields, enumerators. All are entered at once, so that the rest of the
 * unit sees them.
 */
#include <limits.h>

#include "lang/decl_impl.h"

struct member {
	struct type_member m;
	struct type_enumerator e;
	struct member *next;
};

static const char *kind_word(enum type_kind kind)
{
	return kind == TYPE_STRUCT ? "struct" : kind == TYPE_UNION ? "union" : "enum";
}

static struct type *forward_new(struct parse *p, enum type_kind kind, const char *tag)
{
	struct type *t = type_new(p->s->types, TYPE_FORWARD, tag ? tag : "");

	t->fwd_kind = kind;
	t->complete = true;
	return t;
}

/* Why there is no type of this name. */
static const char *unknown_why(struct parse *p, const char *name)
{
	const struct lang_hooks *h = &p->s->hooks;
	const char *tick = strchr(name, '`'), *module;

	if (!tick)
		return "Unknown type name";
	if (strchr(tick + 1, '`'))
		return "Improper use of scoping operator in type name";
	module = arena_strndup(p->arena, name, tick - name);
	if (!strcmp(module, "D") || !strcmp(module, "C"))
		return "Unknown type name";
	if (h->module_exists && !h->module_exists(h->arg, module))
		return "Unknown module name";
	return types_of_module(p->s->types, module) ? "Unknown type name"
						    : "Module does not contain any CTF data";
}

struct type *decl_tag(struct parse *p, struct srcloc loc, enum type_kind kind, const char *tag)
{
	const char *full = arena_printf(p->arena, "%s %s", kind_word(kind), tag);
	struct type *t = type_lookup(p->s->types, full);

	if (t)
		return t;
	if ((p->mode != MODE_DECL && p->mode != MODE_OUTER) || strchr(tag, '`')) {
		parse_error(p, loc, "D_UNKNOWN", "failed to resolve type %s: %s", full,
			    unknown_why(p, tag));
		return decl_fallback(p);
	}
	t = forward_new(p, kind, tag);
	type_define(p->s->types, full, t);
	return t;
}

/* The type that the braces complete: a new one, or one that was declared forward. */
static struct type *sou_type(struct parse *p, struct srcloc loc, enum type_kind kind,
			     const char *tag)
{
	const char *full;
	struct type *t;

	if (!tag)
		return forward_new(p, kind, NULL);
	full = arena_printf(p->arena, "%s %s", kind_word(kind), tag);
	if (strchr(tag, '`')) {
		parse_error(p, loc, "D_DECL_SCOPE",
			    "D scoping operator may not be used in a type name");
		return forward_new(p, kind, NULL);
	}
	t = forward_new(p, kind, tag);
	if (type_define(p->s->types, full, t))
		return t;
	t = type_lookup_loaded(p->s->types, full);
	if (!t || t->kind != TYPE_FORWARD) {
		parse_error(p, loc, "D_DECL_TYPERED", "type redeclared: %s", full);
		return forward_new(p, kind, NULL);
	}
	return t;
}

void decl_sou_open(struct parse *p, struct srcloc loc, enum type_kind kind, const char *tag)
{
	struct sou *sou = arena_new(p->arena, struct sou);

	sou->kind = kind;
	sou->type = sou_type(p, loc, kind, tag);
	sou->loc = loc;
	sou->up = p->sou;
	p->sou = sou;
}

static struct member *member_new(struct parse *p, const char *name)
{
	struct member *m = arena_new(p->arena, struct member);
	struct sou *sou = p->sou;

	m->m.name = m->e.name = arena_strdup(p->s->arena, name);
	if (sou->last)
		sou->last->next = m;
	else
		sou->first = m;
	sou->last = m;
	sou->n++;
	return m;
}

static void bit_field(struct parse *p, struct member *m, const struct declarator *dr)
{
	const char *name = dr->name ? dr->name : "(anon)";
	uint64_t n = 0;

	if (!decl_positive_constant(p, dr->bits, &n))
		parse_error(p, dr->loc, "D_DECL_BFCONST",
			    "positive integral constant expression expected as bit-field size");
	else if (!type_is_integer(m->m.type))
		parse_error(p, dr->loc, "D_DECL_BFTYPE", "invalid type for bit-field: %s", name);
	else if (n > type_resolve(m->m.type)->size * 8)
		parse_error(p, dr->loc, "D_DECL_BFSIZE", "bit-field too big for type: %s", name);
	else
		m->m.bit_size = (uint32_t)n;
}

static void member_name_check(struct parse *p, const struct declarator *dr)
{
	struct sou *key[1] = { p->sou };
	struct str full = { 0 };

	if (strchr(dr->name, '`'))
		parse_error(p, dr->loc, "D_DECL_SCOPE",
			    "D scoping operator may not be used in a member name (%s)", dr->name);
	str_add(&full, (const char *)key, sizeof(key));
	str_puts(&full, dr->name);
	if (hmap_get_n(p->members, full.s, full.n))
		parse_error(p, dr->loc, "D_UNKNOWN",
			    "failed to define member '%s': Duplicate member or variable name",
			    dr->name);
	hmap_put_n(p->members, full.s, full.n, p);
	str_free(&full);
}

static void member_declare(struct parse *p, struct declspec *ds, const struct declarator *dr)
{
	const struct derive *tuple;
	struct type *t = declarator_type(p, declspec_type(p, ds), dr, &tuple);
	enum type_kind kind = type_resolve(t)->kind;
	struct member *m = member_new(p, dr->name ? dr->name : "");

	m->m.type = t;
	if (dr->name)
		member_name_check(p, dr);
	if (tuple || kind == TYPE_DYNAMIC)
		parse_error(p, dr->loc, "D_DECL_DYNOBJ", "cannot have dynamic member: %s",
			    decl_or_anonymous(dr->name));
	else if (kind == TYPE_VOID)
		parse_error(p, dr->loc, "D_DECL_VOIDOBJ", "cannot have void member: %s",
			    decl_or_anonymous(dr->name));
	else if (decl_incomplete(t))
		parse_error(p, dr->loc, "D_DECL_INCOMPLETE", "incomplete struct/union/enum %s: %s",
			    type_name(p->s->types, t), decl_or_anonymous(dr->name));
	else if (kind == TYPE_FUNCTION)
		parse_error(p, dr->loc, "D_DECL_COMBO", "invalid type combination");
	else if (kind == TYPE_ARRAY && !dr->bits && dr->first && !dr->first->size && !p->include)
		parse_error(p, dr->loc, "D_DECL_ARRNULL",
			    "array declaration requires array dimension or tuple signature: %s",
			    decl_or_anonymous(dr->name));
	else if (dr->bits)
		bit_field(p, m, dr);
}

void decl_members(struct parse *p, struct declspec *ds, struct declarator_list l)
{
	struct type *t = declspec_type(p, ds);
	const struct declarator *dr;

	if (ds->class != CLASS_NONE)
		parse_error(p, ds->loc, "D_DECL_BADCLASS",
			    "specified storage class not appropriate in D");
	if (!p->sou)
		return;
	if (l.first) {
		for (dr = l.first; dr; dr = dr->next)
			member_declare(p, ds, dr);
	} else if (ds->tagged && type_is_sou(t) && !*type_resolve(t)->name) {
		member_new(p, "")->m.type = t; /* its members are members of the outer one */
	} else {
		parse_error(p, ds->loc, "D_DECL_MNAME", "member declaration requires a name");
	}
}

void decl_enumerator(struct parse *p, struct srcloc loc, const char *name, struct node *value)
{
	struct sou *sou = p->sou;
	struct ident *id;

	if (!sou || p->d->set)
		return;
	if (strchr(name, '`')) {
		parse_error(p, loc, "D_DECL_SCOPE",
			    "D scoping operator may not be used in a enumerator name (%s)", name);
		return;
	}
	if (value) {
		if (lang_check_const(p->s, &value, p->d) < 0)
			return;
		if (value->kind != NODE_INT) {
			parse_error(p, loc, "D_DECL_ENCONST",
				    "enumerator '%s' must be assigned to an integral constant "
				    "expression",
				    name);
			return;
		}
		sou->next_value = (int64_t)value->u.integer.value;
		if (sou->next_value < 0 && !type_is_signed(value->type))
			sou->next_value = INT64_MAX;
	}
	if (p->include) /* C compilers let an enumerator be 1 << 31 */
		sou->next_value = (int32_t)sou->next_value;
	if (sou->next_value < INT_MIN || sou->next_value > INT_MAX) {
		parse_error(p, loc, "D_DECL_ENOFLOW",
			    "enumerator '%s' value overflows INT_MAX (%d)", name, INT_MAX);
		return;
	}
	id = ident_lookup(p->s, SCOPE_GLOBAL, name);
	if (id && id->kind == IDENT_INLINE && p->include) {
		/* One of the libraries' constants: a header may name it again. */
		member_new(p, name)->e.value = sou->next_value++;
		return;
	}
	if (id) {
		parse_error(p, loc, "D_DECL_IDRED", "identifier redeclared: %s", name);
		return;
	}
	id = ident_create(p->s, IDENT_ENUM, name, sou->type, loc.line);
	id->value = sou->next_value;
	id->declared = true;
	member_new(p, name)->e.value = sou->next_value++;
	pragma_defined(p, id);
}

static void enum_close(struct parse *p, struct sou *sou)
{
	struct type *t = sou->type;
	const struct member *m;
	size_t i = 0;

	t->kind = TYPE_ENUM;
	t->size = t->align = 4;
	t->is_signed = true;
	t->enumerators = arena_alloc(p->s->arena, sou->n * sizeof(*t->enumerators));
	for (m = sou->first; m; m = m->next)
		t->enumerators[i++] = m->e;
	t->nmembers = i;
}

static void sou_close(struct parse *p, struct sou *sou)
{
	struct type *t = sou->type;
	const struct member *m;
	size_t i = 0;

	t->members = arena_alloc(p->s->arena, sou->n * sizeof(*t->members));
	for (m = sou->first; m; m = m->next)
		t->members[i++] = m->m;
	t->nmembers = i;
	t->kind = sou->kind;
	type_layout(p->s->types, t);
	if (t->size > DECL_MAX_SIZE)
		parse_error(p, sou->loc, "D_DECL_ARRBIG", "array dimension too big");
}

struct type *decl_sou_close(struct parse *p)
{
	struct sou *sou = p->sou;

	p->sou = sou->up;
	if (p->d->set)
		return decl_fallback(p);
	if (sou->kind == TYPE_ENUM)
		enum_close(p, sou);
	else
		sou_close(p, sou);
	return sou->type;
}
