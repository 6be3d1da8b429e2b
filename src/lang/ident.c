/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The identifiers of a session. Built-in variables, functions and constants enter the table when
 * they are first named: a small program pays for what it uses.
 */
#include "lang/ident.h"

#include <string.h>

#include "base/hash.h"

static const struct {
	const char *name, *type;
	unsigned int flags;
} builtins[] = {
#define BUILTIN(bid, bname, btype, bflags) [BUILTIN_##bid] = { bname, btype, bflags },
#include "lang/builtin.def"
#undef BUILTIN
};

/* Inlines that every program sees. */
static const struct {
	const char *name;
	int64_t value;
} constants[] = {
	{ "NULL", 0 },
	{ "DTRACEFLT_UNKNOWN", 0 },
	{ "DTRACEFLT_BADADDR", 1 },
	{ "DTRACEFLT_BADALIGN", 2 },
	{ "DTRACEFLT_ILLOP", 3 },
	{ "DTRACEFLT_DIVZERO", 4 },
	{ "DTRACEFLT_NOSCRATCH", 5 },
	{ "DTRACEFLT_KPRIV", 6 },
	{ "DTRACEFLT_UPRIV", 7 },
	{ "DTRACEFLT_TUPOFLOW", 8 },
	{ "DTRACEFLT_BADSTACK", 9 },
	{ "DTRACEFLT_BADSIZE", 10 },
	{ "DTRACEFLT_BADINDEX", 11 },
	{ "DTRACEFLT_LIBRARY", 1000 },
};

/* Types are found in libraries as other names are. */
static bool find_type(void *arg, const char *name)
{
	struct dsession *s = arg;

	return s->hooks.find_name && s->hooks.find_name(s->hooks.arg, name);
}

struct dsession *lang_session_create(void)
{
	struct dsession *s = mem_alloc(sizeof(*s));

	s->opt.strsize = 256;
	s->opt.nspec = 1;
	s->opt.scratchsize = 4096;
	s->opt.stackframes = 20;
	s->opt.ustackframes = 100;
	s->opt.jstackframes = 50;
	s->opt.jstackstrsize = 512;
	s->arena = arena_create();
	s->types = types_create(s->opt.strsize);
	types_set_finder(s->types, find_type, s);
	s->globals = hmap_create();
	s->threads = hmap_create();
	s->locals = hmap_create();
	s->aggs = hmap_create();
	return s;
}

void lang_session_destroy(struct dsession *s)
{
	if (!s)
		return;
	hmap_destroy(s->globals);
	hmap_destroy(s->threads);
	hmap_destroy(s->locals);
	hmap_destroy(s->aggs);
	vec_free(&s->all);
	vec_free(&s->translators);
	for (size_t i = 0; i < s->providers.n; i++)
		vec_free(&s->providers.v[i]->probes);
	vec_free(&s->providers);
	types_destroy(s->types);
	arena_destroy(s->arena);
	free(s);
}

static struct hmap *scope_map(struct dsession *s, int scope)
{
	switch (scope) {
	case SCOPE_SELF: return s->threads;
	case SCOPE_THIS: return s->locals;
	case SCOPE_AGG: return s->aggs;
	default: return s->globals;
	}
}

static int kind_scope(enum ident_kind kind)
{
	switch (kind) {
	case IDENT_THREAD:
	case IDENT_THREAD_ASSOC: return SCOPE_SELF;
	case IDENT_CLAUSE: return SCOPE_THIS;
	case IDENT_AGG: return SCOPE_AGG;
	default: return SCOPE_GLOBAL;
	}
}

unsigned int builtin_flags(enum builtin b)
{
	return builtins[b].flags;
}

const char *builtin_name(enum builtin b)
{
	return builtins[b].name;
}

/* A built-in variable, function or constant of that name, entered now; NULL if there is none. */
static struct ident *predefined(struct dsession *s, const char *name)
{
	const struct func *f;
	struct ident *id;

	for (int i = BUILTIN_NONE + 1; i < BUILTIN_MAX; i++) {
		if (strcmp(builtins[i].name, name) != 0)
			continue;
		id = ident_create(s, IDENT_BUILTIN, name, NULL, 0);
		id->builtin = i;
		id->type = type_parse(s->types, builtins[i].type);
		if (!id->type) /* a kernel type on a machine that does not tell its types */
			id->type = type_pointer(s->types, type_void(s->types));
		return id;
	}
	f = func_lookup(name);
	if (f) {
		id = ident_create(s, IDENT_FUNC, name, NULL, 0);
		id->func = f;
		return id;
	}
	for (size_t i = 0; i < ARRAY_SIZE(constants); i++) {
		if (strcmp(constants[i].name, name) != 0)
			continue;
		id = ident_create(s, IDENT_ENUM, name, NULL, 0);
		id->type = type_int(s->types);
		id->value = constants[i].value;
		return id;
	}
	return NULL;
}

struct ident *ident_lookup(struct dsession *s, int scope, const char *name)
{
	struct ident *id = hmap_get(scope_map(s, scope), name);

	if (id || scope != SCOPE_GLOBAL)
		return id;
	id = predefined(s, name);
	if (!id && s->hooks.find_name && s->hooks.find_name(s->hooks.arg, name))
		id = hmap_get(s->globals, name);
	return id;
}

static bool has_storage(enum ident_kind kind)
{
	return kind == IDENT_GLOBAL || kind == IDENT_ASSOC || kind == IDENT_THREAD ||
	       kind == IDENT_THREAD_ASSOC || kind == IDENT_CLAUSE;
}

struct ident *ident_create(struct dsession *s, enum ident_kind kind, const char *name,
			   struct type *type, int line)
{
	struct ident *id = arena_new(s->arena, struct ident);

	id->name = arena_strdup(s->arena, name);
	id->kind = kind;
	id->line = line;
	if (has_storage(kind))
		id->id = ++s->nvars;
	else if (kind == IDENT_AGG)
		id->id = ++s->naggs;
	hmap_put(scope_map(s, kind_scope(kind)), id->name, id);
	vec_push(&s->all, id);
	if (type)
		ident_set_type(s, id, type);
	return id;
}

uint32_t ident_value_size(const struct dsession *s, struct type *t)
{
	t = type_resolve(t);
	switch (t->kind) {
	case TYPE_STRING: return 8 + ROUND_UP(s->opt.strsize, 8);
	case TYPE_STRUCT:
	case TYPE_UNION:
	case TYPE_ARRAY:
	case TYPE_FLOAT:
		return t->size > UINT32_MAX - 8 ? UINT32_MAX - 7 : ROUND_UP((uint32_t)t->size, 8);
	default: return 8;
	}
}

static void storage_give(struct dsession *s, struct ident *id)
{
	uint32_t *area = id->kind == IDENT_GLOBAL   ? &s->globals_size
			 : id->kind == IDENT_CLAUSE ? &s->locals_size
						    : NULL;

	if (!has_storage(id->kind) || !id->type)
		return;
	id->size = ident_value_size(s, id->type);
	if (!area)
		return;
	id->offset = *area;
	if (__builtin_add_overflow(*area, id->size, area))
		*area = UINT32_MAX; /* stays there: refused when the area is made */
}

void ident_set_type(struct dsession *s, struct ident *id, struct type *type)
{
	id->type = type;
	storage_give(s, id);
}

void ident_set_keys(struct dsession *s, struct ident *id, struct type *const *keys, size_t nkeys)
{
	id->keys = arena_alloc(s->arena, (nkeys + 1) * sizeof(*id->keys));
	for (size_t i = 0; i < nkeys; i++)
		id->keys[i] = keys[i];
	id->nkeys = nkeys;
	id->keys_fixed = true;
}

void ident_layout(struct dsession *s)
{
	s->globals_size = s->locals_size = 0;
	for (size_t i = 0; i < s->all.n; i++)
		storage_give(s, s->all.v[i]);
}

const char *ident_kind_name(const struct ident *id)
{
	switch (id->kind) {
	case IDENT_BUILTIN: return builtin_flags(id->builtin) & BUILTIN_ARRAY ? "array" : "scalar";
	case IDENT_GLOBAL:
		return id->type && type_resolve(id->type)->kind == TYPE_ARRAY ? "scalar array"
									      : "scalar";
	case IDENT_ASSOC:
	case IDENT_THREAD_ASSOC: return "associative array";
	case IDENT_AGG: return "aggregation";
	case IDENT_INLINE: return id->inl_params ? "associative array" : "scalar";
	case IDENT_FUNC:
		return id->func->kind == FUNC_AGG      ? "aggregating function"
		       : id->func->kind == FUNC_ACTION ? "tracing function"
						       : "function";
	case IDENT_ENUM: return "enumerator";
	case IDENT_SYMBOL: return "external symbol reference";
	case IDENT_TRANSLATED: return "translated data";
	default: return "scalar";
	}
}

const char *ident_prefix(const struct ident *id)
{
	switch (id->kind) {
	case IDENT_THREAD:
	case IDENT_THREAD_ASSOC: return "self->";
	case IDENT_CLAUSE: return "this->";
	case IDENT_AGG: return "@";
	default: return "";
	}
}
