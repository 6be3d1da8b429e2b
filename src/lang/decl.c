/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations: specifiers, declarators and parameters become types. Structs, unions and enums are in
 * decl_sou.c; what is declared with these types is in decl_ident.c.
 */
#include "lang/decl_impl.h"

struct type *decl_fallback(struct parse *p)
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

struct type *declspec_type(struct parse *p, struct declspec *ds)
{
	struct type *t = ds->type;

	if (ds->done)
		return ds->done;
	declspec_check(p, ds);
	if (!t)
		t = type_builtin(p->s->types, words_name(ds->count));
	if (!t)
		t = decl_fallback(p);
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
bool decl_incomplete(struct type *t)
{
	t = type_resolve(t);
	while (t->kind == TYPE_ARRAY)
		t = type_resolve(t->ref);
	return t->kind == TYPE_FORWARD;
}

const char *decl_or_anonymous(const char *name)
{
	return name ? name : "(anonymous)";
}

/* The value of a constant expression, true if it is a positive integer. */
bool decl_positive_constant(struct parse *p, struct node *n, uint64_t *value)
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
		return decl_fallback(p);
	}
	elem = type_resolve(t);
	if (decl_incomplete(t))
		parse_error(p, dr->loc, "D_DECL_INCOMPLETE", "incomplete struct/union/enum %s: %s",
			    type_name(p->s->types, elem), decl_or_anonymous(dr->name));
	if (elem->kind == TYPE_FUNCTION) {
		parse_error(p, dr->loc, "D_DECL_COMBO", "invalid type combination");
		return decl_fallback(p);
	}
	if (!d->size) {
		if (d != dr->first)
			parse_error(
				p, dr->loc, "D_DECL_ARRNULL",
				"array declaration requires array dimension or tuple signature: %s",
				decl_or_anonymous(dr->name));
		return type_array(p->s->types, t, 0);
	}
	if (!decl_positive_constant(p, d->size, &n) && !(p->include && !n)) {
		parse_error(p, dr->loc, "D_DECL_ARRSUB",
			    "positive integral constant expression or tuple signature expected as "
			    "array declaration subscript");
		return decl_fallback(p);
	}
	if (n > UINT32_MAX || n * MAX(elem->size, 1ul) > DECL_MAX_SIZE) {
		parse_error(p, dr->loc, "D_DECL_ARRBIG", "array dimension too big");
		return decl_fallback(p);
	}
	return type_array(p->s->types, t, n);
}

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
		t->params = decl_param_types(p, d->params, "function", &t->nmembers);
		t->varargs = d->params->varargs;
	}
	return t;
}

/*
 * The type of the declared name, from the specifiers' type outward to the name. The parameters
 * of an associative array are given in *tuple; its type is then that of the elements.
 */
struct type *declarator_type(struct parse *p, struct type *t, const struct declarator *dr,
			     const struct derive **tuple)
{
	const struct derive *steps[PARSE_MAX_DERIVE], *d;
	int n = 0;

	*tuple = NULL;
	for (d = dr ? dr->first : NULL; d && n < PARSE_MAX_DERIVE; d = d->next)
		steps[n++] = d;
	if (type_depth(t) + n > PARSE_MAX_TYPE_DEPTH) {
		parse_error(p, dr->loc, "D_SYNTAX", "declaration is nested too deeply");
		return decl_fallback(p);
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
			    decl_or_anonymous(name), i);
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

struct type **decl_param_types(struct parse *p, const struct param_list *l, const char *what,
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
	return l ? decl_param_types(p, l, "function", n) : NULL;
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
