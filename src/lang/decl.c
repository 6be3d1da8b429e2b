/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations (language.md 7): specifiers and declarators become types; variables, typedefs,
 * tags, enumerators and inlines are entered at once, so that the rest of the unit sees them.
 */
#include <limits.h>

#include "lang/parse.h"

/* 256 MB: offsets, also those in bits, are 32 bits wide. */
#define DECL_MAX_SIZE ((uint64_t)1 << 28)

static struct type *fallback(struct parse *p)
{
	return type_int(p->s->types);
}

/* ---- specifiers -------------------------------------------------------------- */

struct declspec *declspec_new(struct parse *p, struct srcloc loc)
{
	struct declspec *ds = arena_new(p->arena, struct declspec);

	ds->loc = loc;
	return ds;
}

void declspec_class(struct parse *p, struct declspec *ds, enum decl_class class)
{
	if (ds->class != CLASS_NONE)
		parse_error(p, ds->loc, "D_DECL_CLASS",
			    "only one storage class allowed in a declaration");
	ds->class = class;
}

void declspec_word(struct parse *p, struct declspec *ds, enum decl_word word)
{
	(void)p;
	if (ds->count[word] < 3)
		ds->count[word]++;
}

void declspec_named(struct parse *p, struct declspec *ds, struct type *type, bool tagged)
{
	if (ds->type)
		parse_error(p, ds->loc, "D_DECL_COMBO", "invalid type combination");
	ds->type = type;
	ds->tagged = ds->tagged || tagged;
}

/* Reports the first rule of combination that the words break. */
static void declspec_check(struct parse *p, const struct declspec *ds)
{
	const unsigned char *c = ds->count;
	bool size = c[WORD_SHORT] || c[WORD_LONG], sign = c[WORD_SIGNED] || c[WORD_UNSIGNED];
	int bases = c[WORD_VOID] + c[WORD_CHAR] + c[WORD_INT] + c[WORD_FLOAT] + c[WORD_DOUBLE] +
		    c[WORD_STRING] + (ds->type != NULL);
	bool integer = !bases || c[WORD_INT] || c[WORD_CHAR];
	const char *tag = NULL, *text = NULL;

	if (c[WORD_CHAR] && size) {
		tag = "D_DECL_CHARATTR";
		text = "short and long may not be used with char type";
	} else if (c[WORD_VOID] && (size || sign)) {
		tag = "D_DECL_VOIDATTR";
		text = "attributes may not be used with void type";
	} else if (sign && !integer) {
		tag = "D_DECL_SIGNINT";
		text = "signed and unsigned may only be used with integer type";
	} else if (c[WORD_LONG] && !integer && !c[WORD_FLOAT] && !c[WORD_DOUBLE]) {
		tag = "D_DECL_LONGINT";
		text = "long and long long may only be used with integer or floating-point type";
	}
	if (tag)
		parse_error(p, ds->loc, tag, "invalid type declaration: %s", text);
	if (bases > 1 || c[WORD_SIGNED] + c[WORD_UNSIGNED] > 1 || c[WORD_SHORT] > 1 ||
	    c[WORD_LONG] > 2 || (c[WORD_SHORT] && (c[WORD_LONG] || !integer)) ||
	    (c[WORD_LONG] && c[WORD_FLOAT]) || (c[WORD_LONG] > 1 && c[WORD_DOUBLE]))
		parse_error(p, ds->loc, "D_DECL_COMBO", "invalid type combination");
}

static const char *words_name(const unsigned char *c)
{
	bool u = c[WORD_UNSIGNED];

	if (c[WORD_VOID])
		return "void";
	if (c[WORD_STRING])
		return "string";
	if (c[WORD_FLOAT])
		return "float";
	if (c[WORD_DOUBLE])
		return c[WORD_LONG] ? "long double" : "double";
	if (c[WORD_CHAR])
		return u ? "unsigned char" : c[WORD_SIGNED] ? "signed char" : "char";
	if (c[WORD_SHORT])
		return u ? "unsigned short" : "short";
	if (c[WORD_LONG] > 1)
		return u ? "unsigned long long" : "long long";
	if (c[WORD_LONG])
		return u ? "unsigned long" : "long";
	return u ? "unsigned int" : "int";
}

static struct type *declspec_type(struct parse *p, struct declspec *ds)
{
	struct type *t = ds->type;

	if (ds->done)
		return ds->done;
	declspec_check(p, ds);
	if (!t)
		t = type_builtin(p->s->types, words_name(ds->count));
	if (!t)
		t = fallback(p);
	if (ds->count[WORD_CONST] || ds->count[WORD_VOLATILE])
		t = type_qualified(p->s->types, t, ds->count[WORD_CONST], ds->count[WORD_VOLATILE]);
	ds->done = t;
	return t;
}

/* ---- declarators ------------------------------------------------------------- */

struct declarator *declarator_new(struct parse *p, struct srcloc loc, const char *name)
{
	struct declarator *dr = arena_new(p->arena, struct declarator);

	dr->loc = loc;
	dr->name = name;
	return dr;
}

struct derive *derive_new(struct parse *p, enum derive_kind kind)
{
	struct derive *d = arena_new(p->arena, struct derive);

	d->kind = kind;
	return d;
}

struct derive *derive_join(struct derive *a, struct derive *b)
{
	struct derive *at = a;

	while (at->next)
		at = at->next;
	at->next = b;
	return a;
}

struct declarator_list declarator_join(struct declarator_list l, struct declarator *dr)
{
	if (l.last)
		l.last->next = dr;
	else
		l.first = dr;
	l.last = dr;
	return l;
}

void declarator_derive(struct parse *p, struct declarator *dr, struct derive *list)
{
	if (dr->last)
		dr->last->next = list;
	else
		dr->first = list;
	for (; list; list = list->next) {
		dr->last = list;
		dr->nderive++;
	}
	if (dr->nderive > PARSE_MAX_DERIVE)
		parse_error(p, dr->loc, "D_SYNTAX", "declaration is nested too deeply");
}

struct param_list *param_add(struct parse *p, struct param_list *l, struct srcloc loc,
			     struct declspec *ds, struct declarator *dr)
{
	struct param *param;

	if (!l)
		l = arena_new(p->arena, struct param_list);
	if (!ds)
		return l;
	param = arena_new(p->arena, struct param);
	param->loc = loc;
	param->ds = ds;
	param->dr = dr;
	if (l->last)
		l->last->next = param;
	else
		l->first = param;
	l->last = param;
	l->n++;
	return l;
}

/* How many steps a type is away from a scalar or a struct. */
static unsigned int type_depth(const struct type *t)
{
	unsigned int n = 0;

	for (; t; t = t->ref)
		n++;
	return n;
}

static bool is_void(struct type *t)
{
	return type_resolve(t)->kind == TYPE_VOID;
}

/* A struct, union or enum of which only the name is known. */
static bool is_incomplete(struct type *t)
{
	t = type_resolve(t);
	while (t->kind == TYPE_ARRAY)
		t = type_resolve(t->ref);
	return t->kind == TYPE_FORWARD;
}

static const char *or_anonymous(const char *name)
{
	return name ? name : "(anonymous)";
}

/* The value of a constant expression, true if it is a positive integer. */
static bool positive_constant(struct parse *p, struct node *n, uint64_t *value)
{
	if (p->d->set || lang_check_const(p->s, &n, p->d) < 0)
		return true; /* the error is recorded: no second one */
	*value = 1;
	if (n->kind != NODE_INT)
		return false;
	*value = n->u.integer.value;
	return *value && !((int64_t)*value < 0 && type_is_signed(n->type));
}

static struct type *derive_array(struct parse *p, const struct declarator *dr,
				 const struct derive *d, struct type *t)
{
	uint64_t n = 0;
	struct type *elem;

	if (is_void(t)) {
		parse_error(p, dr->loc, "D_DECL_VOIDOBJ", "cannot declare array of void");
		return fallback(p);
	}
	elem = type_resolve(t);
	if (is_incomplete(t))
		parse_error(p, dr->loc, "D_DECL_INCOMPLETE", "incomplete struct/union/enum %s: %s",
			    type_name(p->s->types, elem), or_anonymous(dr->name));
	if (elem->kind == TYPE_FUNCTION) {
		parse_error(p, dr->loc, "D_DECL_COMBO", "invalid type combination");
		return fallback(p);
	}
	if (!d->size) {
		if (d != dr->first)
			parse_error(
				p, dr->loc, "D_DECL_ARRNULL",
				"array declaration requires array dimension or tuple signature: %s",
				or_anonymous(dr->name));
		return type_array(p->s->types, t, 0);
	}
	if (!positive_constant(p, d->size, &n)) {
		parse_error(p, dr->loc, "D_DECL_ARRSUB",
			    "positive integral constant expression or tuple signature expected as "
			    "array declaration subscript");
		return fallback(p);
	}
	if (n > UINT32_MAX || n * MAX(elem->size, 1ul) > DECL_MAX_SIZE) {
		parse_error(p, dr->loc, "D_DECL_ARRBIG", "array dimension too big");
		return fallback(p);
	}
	return type_array(p->s->types, t, n);
}

static struct type **param_types(struct parse *p, const struct param_list *l, const char *what,
				 size_t *n);

static struct type *derive_function(struct parse *p, const struct declarator *dr,
				    const struct derive *d, struct type *result)
{
	struct type *t = type_new(p->s->types, TYPE_FUNCTION, "");
	enum type_kind kind = type_resolve(result)->kind;

	if (kind == TYPE_FUNCTION || kind == TYPE_ARRAY)
		parse_error(p, dr->loc, "D_DECL_COMBO", "invalid type combination");
	t->ref = result;
	t->complete = true;
	if (d->params) {
		t->params = param_types(p, d->params, "function", &t->nmembers);
		t->varargs = d->params->varargs;
	}
	return t;
}

/*
 * The type of the declared name, from the specifiers' type outward to the name. The parameters
 * of an associative array are given in *tuple; its type is then that of the elements.
 */
static struct type *declarator_type(struct parse *p, struct type *t, const struct declarator *dr,
				    const struct derive **tuple)
{
	const struct derive *steps[PARSE_MAX_DERIVE], *d;
	int n = 0;

	*tuple = NULL;
	for (d = dr ? dr->first : NULL; d && n < PARSE_MAX_DERIVE; d = d->next)
		steps[n++] = d;
	if (type_depth(t) + n > PARSE_MAX_TYPE_DEPTH) {
		parse_error(p, dr->loc, "D_SYNTAX", "declaration is nested too deeply");
		return fallback(p);
	}
	while (n--) {
		d = steps[n];
		switch (d->kind) {
		case DERIVE_POINTER:
			t = type_pointer(p->s->types, t);
			if (d->is_const || d->is_volatile)
				t = type_qualified(p->s->types, t, d->is_const, d->is_volatile);
			break;
		case DERIVE_ARRAY: t = derive_array(p, dr, d, t); break;
		case DERIVE_FUNCTION: t = derive_function(p, dr, d, t); break;
		case DERIVE_TUPLE:
			if (n > 0)
				parse_error(p, dr->loc, "D_DECL_DYNOBJ",
					    "cannot declare array of associative arrays");
			*tuple = d;
			break;
		}
	}
	return t;
}

/* ---- parameters -------------------------------------------------------------- */

static struct type *param_type(struct parse *p, const struct param *a, const char *what, size_t i)
{
	const char *name = a->dr ? a->dr->name : NULL;
	const struct derive *tuple;
	struct type *t = declarator_type(p, declspec_type(p, a->ds), a->dr, &tuple), *r;

	if (a->ds->class != CLASS_NONE)
		parse_error(
			p, a->loc, "D_DECL_PARMCLASS",
			"inappropriate storage class for function or associative array parameter");
	r = type_resolve(t);
	if (tuple || r->kind == TYPE_DYNAMIC || r->kind == TYPE_FORWARD || r->kind == TYPE_VOID)
		parse_error(p, a->loc, "D_DECL_PROTO_TYPE",
			    "%s prototype may not use parameter of type %s: %s, parameter #%zu",
			    what, tuple ? "associative array" : type_name(p->s->types, t),
			    or_anonymous(name), i);
	/* Arrays and functions are passed by their address. */
	if (r->kind == TYPE_ARRAY)
		return type_pointer(p->s->types, r->ref);
	if (r->kind == TYPE_FUNCTION)
		return type_pointer(p->s->types, t);
	return t;
}

/* Is it "(void)"? Reports other uses of a void parameter. */
static bool params_void(struct parse *p, const struct param_list *l, bool function)
{
	const struct param *a;

	for (a = l->first; a; a = a->next) {
		if ((a->dr && a->dr->first) || !is_void(declspec_type(p, a->ds)))
			continue;
		if (a->dr && a->dr->name)
			parse_error(p, a->loc, "D_DECL_PROTO_NAME",
				    "void parameter may not have a name: %s", a->dr->name);
		if (l->n > 1 || l->varargs)
			parse_error(p, a->loc, "D_DECL_PROTO_VOID", "void must be sole parameter");
		return function;
	}
	return false;
}

static struct type **param_types(struct parse *p, const struct param_list *l, const char *what,
				 size_t *n)
{
	bool function = !strcmp(what, "function");
	struct type **types;
	const struct param *a;

	*n = 0;
	if (l->varargs && !function)
		parse_error(p, p->tokloc, "D_DECL_PROTO_VARARGS",
			    "%s prototype may not use a variable-length argument list", what);
	if (params_void(p, l, function))
		return NULL;
	types = arena_alloc(p->s->arena, l->n * sizeof(*types));
	for (a = l->first; a; a = a->next) {
		types[*n] = param_type(p, a, what, *n + 1);
		++*n;
	}
	return types;
}

struct type **decl_prototype(struct parse *p, const struct param_list *l, size_t *n)
{
	*n = 0;
	if (l && l->varargs)
		parse_error(p, p->tokloc, "D_DECL_PROTO_VARARGS",
			    "probe prototype may not use a variable-length argument list");
	return l ? param_types(p, l, "function", n) : NULL;
}

struct type *decl_typename(struct parse *p, struct declspec *ds, struct declarator *dr)
{
	const struct derive *tuple;
	struct type *t = declarator_type(p, declspec_type(p, ds), dr, &tuple);

	if (tuple)
		parse_error(p, ds->loc, "D_DECL_ARRSUB",
			    "positive integral constant expression or tuple signature expected as "
			    "array declaration subscript");
	return t;
}

struct type *decl_param(struct parse *p, struct declspec *ds, struct declarator *dr)
{
	struct param a = { .loc = ds->loc, .ds = ds, .dr = dr };

	return param_type(p, &a, "translator", 1);
}

/* ---- struct, union, enum ----------------------------------------------------- */

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
		return fallback(p);
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

	if (!positive_constant(p, dr->bits, &n))
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
			    or_anonymous(dr->name));
	else if (kind == TYPE_VOID)
		parse_error(p, dr->loc, "D_DECL_VOIDOBJ", "cannot have void member: %s",
			    or_anonymous(dr->name));
	else if (is_incomplete(t))
		parse_error(p, dr->loc, "D_DECL_INCOMPLETE", "incomplete struct/union/enum %s: %s",
			    type_name(p->s->types, t), or_anonymous(dr->name));
	else if (kind == TYPE_FUNCTION)
		parse_error(p, dr->loc, "D_DECL_COMBO", "invalid type combination");
	else if (kind == TYPE_ARRAY && !dr->bits && dr->first && !dr->first->size)
		parse_error(p, dr->loc, "D_DECL_ARRNULL",
			    "array declaration requires array dimension or tuple signature: %s",
			    or_anonymous(dr->name));
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
	if (sou->next_value < INT_MIN || sou->next_value > INT_MAX) {
		parse_error(p, loc, "D_DECL_ENOFLOW",
			    "enumerator '%s' value overflows INT_MAX (%d)", name, INT_MAX);
		return;
	}
	if (ident_lookup(p->s, SCOPE_GLOBAL, name)) {
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
		return fallback(p);
	if (sou->kind == TYPE_ENUM)
		enum_close(p, sou);
	else
		sou_close(p, sou);
	return sou->type;
}

/* ---- declarations ------------------------------------------------------------ */

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
	else if (class != CLASS_EXTERN && is_incomplete(t))
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
		now.keys = param_types(p, tuple->params, "array", &now.nkeys);
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
	struct type **types = param_types(p, l, "inline array", &n);
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
