/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The universe of types: built-in types and typedefs, the D scope, look-up by name, construction
 * and layout. Kernel types come from btf.c; predicates and spellings are in query.c and name.c.
 */
#include "type/type.h"

#include <string.h>

#include "type/impl.h"

/* Names with a target that is another built-in or an earlier line. */
static const struct {
	const char *name, *target;
} typedefs[] = {
	{ "int8_t", "signed char" },
	{ "int16_t", "short" },
	{ "int32_t", "int" },
	{ "int64_t", "long" },
	{ "intptr_t", "long" },
	{ "uint8_t", "unsigned char" },
	{ "uint16_t", "unsigned short" },
	{ "uint32_t", "unsigned int" },
	{ "uint64_t", "unsigned long" },
	{ "uintptr_t", "unsigned long" },
	{ "uchar_t", "unsigned char" },
	{ "ushort_t", "unsigned short" },
	{ "uint_t", "unsigned int" },
	{ "ulong_t", "unsigned long" },
	{ "longlong_t", "long long" },
	{ "u_longlong_t", "unsigned long long" },
	{ "ssize_t", "long" },
	{ "size_t", "unsigned long" },
	{ "ptrdiff_t", "long" },
	{ "off_t", "long" },
	{ "id_t", "int" },
	{ "pid_t", "int" },
	{ "uid_t", "unsigned int" },
	{ "gid_t", "unsigned int" },
	{ "dev_t", "unsigned int" },
	{ "mode_t", "unsigned short" },
	{ "time_t", "long" },
	{ "hrtime_t", "long long" },
	{ "processorid_t", "int" },
	{ "psetid_t", "int" },
	{ "chipid_t", "int" },
	{ "lgrp_id_t", "int" },
	{ "zoneid_t", "int" },
	{ "taskid_t", "int" },
	{ "projid_t", "int" },
	{ "lwpid_t", "int" },
	{ "major_t", "unsigned int" },
	{ "minor_t", "unsigned int" },
	{ "ipaddr_t", "unsigned int" },
};

static const struct {
	const char *name;
	uint32_t size;
	bool is_signed, is_char;
} integers[] = {
	{ "char", 1, true, true },
	{ "signed char", 1, true, true },
	{ "unsigned char", 1, false, true },
	{ "short", 2, true, false },
	{ "unsigned short", 2, false, false },
	{ "int", 4, true, false },
	{ "unsigned int", 4, false, false },
	{ "long", 8, true, false },
	{ "unsigned long", 8, false, false },
	{ "long long", 8, true, false },
	{ "unsigned long long", 8, false, false },
	{ "_Bool", 1, false, false },
};

struct type *type_new(struct types *ts, enum type_kind kind, const char *name)
{
	struct type_node *n = arena_new(ts->arena, struct type_node);
	struct type *t = &n->t;

	n->ts = ts;
	t->kind = kind;
	t->name = arena_strdup(ts->arena, name ? name : "");
	t->align = 1;
	if (kind == TYPE_ENUM) {
		t->size = t->align = 4;
		t->is_signed = true;
		vec_push(&ts->enums, t);
	}
	return t;
}

static struct type *base_add(struct types *ts, enum type_kind kind, const char *name, uint64_t size)
{
	struct type *t = type_new(ts, kind, name);

	t->size = size;
	t->align = size ? MIN(size, 16) : 1;
	t->complete = true;
	hmap_put(ts->base, t->name, t);
	return t;
}

static struct type *typedef_add(struct types *ts, const char *name, struct type *target)
{
	struct type *t = base_add(ts, TYPE_TYPEDEF, name, target->size);

	t->align = target->align;
	t->ref = target;
	return t;
}

/* cpuinfo_t, what curcpu points to. */
static void cpuinfo_add(struct types *ts)
{
	static const char *const members[][2] = {
		{ "cpu_id", "processorid_t" },
		{ "cpu_pset", "psetid_t" },
		{ "cpu_chip", "chipid_t" },
		{ "cpu_lgrp", "lgrp_id_t" },
	};
	struct type *s = type_new(ts, TYPE_STRUCT, "cpuinfo");

	s->nmembers = ARRAY_SIZE(members);
	s->members = arena_alloc(ts->arena, s->nmembers * sizeof(*s->members));
	for (size_t i = 0; i < s->nmembers; i++) {
		s->members[i].name = members[i][0];
		s->members[i].type = hmap_get(ts->base, members[i][1]);
	}
	type_layout(ts, s);
	hmap_put(ts->base, "struct cpuinfo", s);
	typedef_add(ts, "cpuinfo_t", s);
}

struct types *types_create(uint32_t strsize)
{
	struct types *ts = mem_alloc(sizeof(*ts));

	ts->arena = arena_create();
	ts->base = hmap_create();
	ts->dscope = hmap_create();
	ts->libscope = hmap_create();
	ts->names = hmap_create();
	ts->voidt = base_add(ts, TYPE_VOID, "void", 0);
	for (size_t i = 0; i < ARRAY_SIZE(integers); i++) {
		struct type *t = base_add(ts, TYPE_INT, integers[i].name, integers[i].size);

		t->is_signed = integers[i].is_signed;
		t->is_char = integers[i].is_char;
	}
	base_add(ts, TYPE_FLOAT, "float", 4);
	base_add(ts, TYPE_FLOAT, "double", 8);
	base_add(ts, TYPE_FLOAT, "long double", 16);
	ts->string = base_add(ts, TYPE_STRING, "string", strsize);
	ts->string->align = 1;
	for (size_t i = 0; i < ARRAY_SIZE(typedefs); i++)
		typedef_add(ts, typedefs[i].name, hmap_get(ts->base, typedefs[i].target));
	typedef_add(ts, "caddr_t", type_pointer(ts, hmap_get(ts->base, "char")));
	cpuinfo_add(ts);
	base_add(ts, TYPE_STACK, "stack", 8);
	base_add(ts, TYPE_SYMADDR, "_symaddr", 8);
	base_add(ts, TYPE_USYMADDR, "_usymaddr", 16)->align = 8;
	ts->dynamic = type_new(ts, TYPE_DYNAMIC, "dynamic variable");
	return ts;
}

void types_destroy(struct types *ts)
{
	if (!ts)
		return;
	btf_sources_unload(ts);
	hmap_destroy(ts->base);
	hmap_destroy(ts->dscope);
	hmap_destroy(ts->libscope);
	hmap_destroy(ts->names);
	vec_free(&ts->enums);
	arena_destroy(ts->arena);
	free(ts);
}

void types_set_finder(struct types *ts, bool (*find)(void *arg, const char *name), void *arg)
{
	ts->find = find;
	ts->find_arg = arg;
}

void types_set_strsize(struct types *ts, uint32_t strsize)
{
	ts->string->size = strsize;
}

/* ---- look-up ---------------------------------------------------------------------------- */

/* Counts of the words of an integer type in any order: "long unsigned int". */
struct words {
	int is_signed, is_unsigned, is_short, is_long, is_int, is_char, is_double;
};

static bool words_count(struct words *w, const char *name)
{
	static const char *const known[] = { "signed", "unsigned", "short", "long",
					     "int",    "char",	   "double" };
	int *counts[] = { &w->is_signed, &w->is_unsigned, &w->is_short, &w->is_long,
			  &w->is_int,	 &w->is_char,	  &w->is_double };

	while (*name) {
		size_t n = strcspn(name, " "), i;

		for (i = 0; i < ARRAY_SIZE(known); i++)
			if (strlen(known[i]) == n && !strncmp(known[i], name, n))
				break;
		if (i == ARRAY_SIZE(known) || ++*counts[i] > 2)
			return false;
		name += n;
		name += strspn(name, " ");
	}
	return true;
}

/* The built-in for a spelling that is not in the table word for word, or NULL. */
static struct type *builtin_words(struct types *ts, const char *name)
{
	struct words w = { 0 };
	char buf[32] = "";

	if (!words_count(&w, name))
		return NULL;
	if (w.is_signed + w.is_unsigned > 1 || w.is_short > 1 || w.is_int > 1 || w.is_char > 1 ||
	    w.is_double > 1 || (w.is_short && w.is_long) ||
	    w.is_int + w.is_char + w.is_double > 1 || ((w.is_char || w.is_double) && w.is_short) ||
	    (w.is_char && w.is_long) ||
	    (w.is_double && (w.is_long > 1 || w.is_signed || w.is_unsigned)))
		return NULL;
	if (w.is_double)
		return hmap_get(ts->base, w.is_long ? "long double" : "double");
	if (w.is_unsigned)
		strcat(buf, "unsigned ");
	else if (w.is_signed && w.is_char)
		strcat(buf, "signed ");
	strcat(buf, w.is_char	    ? "char"
		    : w.is_short    ? "short"
		    : w.is_long > 1 ? "long long"
		    : w.is_long	    ? "long"
				    : "int");
	return hmap_get(ts->base, buf);
}

struct type *type_builtin(struct types *ts, const char *name)
{
	struct type *t;

	if (!strcmp(name, "dynamic"))
		return ts->dynamic;
	t = hmap_get(ts->base, name);
	return t ? t : *name ? builtin_words(ts, name) : NULL;
}

/*
 * Splits "struct mod`tag" or "mod`name" into kind, module and name; the module goes to buf. Gives
 * the name, or NULL when there is more than one backquote or the module name is too long.
 */
static const char *name_split(const char *name, enum type_kind *kind, char *buf, size_t size)
{
	static const struct {
		const char *word;
		enum type_kind kind;
	} words[] = { { "struct ", TYPE_STRUCT },
		      { "union ", TYPE_UNION },
		      { "enum ", TYPE_ENUM } };
	const char *tick;

	*kind = TYPE_TYPEDEF;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strncmp(name, words[i].word, strlen(words[i].word))) {
			*kind = words[i].kind;
			name += strlen(words[i].word);
			break;
		}
	}
	buf[0] = 0;
	tick = strchr(name, '`');
	if (!tick)
		return name;
	if ((size_t)(tick - name) >= size || strchr(tick + 1, '`'))
		return NULL;
	memcpy(buf, name, tick - name);
	buf[tick - name] = 0;
	return tick + 1;
}

struct type *type_declared(struct types *ts, const char *name)
{
	struct type *t = ts->in_library ? NULL : hmap_get(ts->dscope, name);

	return t ? t : hmap_get(ts->libscope, name);
}

static struct type *lookup(struct types *ts, const char *name, bool load)
{
	enum type_kind kind;
	char module[64];
	const char *rest = name_split(name, &kind, module, sizeof(module));
	struct type *t;

	if (!rest || !*rest)
		return NULL;
	if (!strcmp(module, "D") || !strcmp(module, "C")) {
		const char *word = kind == TYPE_STRUCT	? "struct "
				   : kind == TYPE_UNION ? "union "
				   : kind == TYPE_ENUM	? "enum "
							: "";
		char *full = mem_printf("%s%s", word, rest);

		t = type_declared(ts, full);
		free(full);
		return t;
	}
	if (!*module) {
		t = type_declared(ts, name);
		if (!t)
			t = type_builtin(ts, name);
		if (!t && load && ts->find && ts->find(ts->find_arg, name))
			t = type_declared(ts, name);
		if (t)
			return t;
	}
	return btf_type_lookup(ts, module, kind, rest, load);
}

struct type *type_lookup(struct types *ts, const char *name)
{
	return lookup(ts, name, true);
}

struct type *type_lookup_loaded(struct types *ts, const char *name)
{
	return lookup(ts, name, false);
}

bool type_define(struct types *ts, const char *name, struct type *t)
{
	struct hmap *scope = ts->in_library ? ts->libscope : ts->dscope;

	if (hmap_get(scope, name))
		return false;
	hmap_put(scope, name, t);
	return true;
}

bool types_library(struct types *ts, bool library)
{
	bool was = ts->in_library;

	ts->in_library = library;
	return was;
}

struct type *type_parse(struct types *ts, const char *text)
{
	bool is_const = false, was = types_library(ts, true);
	struct type *t;
	size_t n, stars = 0;
	char *base;

	text += strspn(text, " ");
	if (!strncmp(text, "const ", 6)) {
		is_const = true;
		text += 6;
	}
	n = strlen(text);
	while (n && (text[n - 1] == '*' || text[n - 1] == ' ')) {
		stars += text[n - 1] == '*';
		n--;
	}
	base = mem_strndup(text, n);
	t = type_lookup(ts, base);
	types_library(ts, was);
	free(base);
	if (t && is_const)
		t = type_qualified(ts, t, true, false);
	while (t && stars--)
		t = type_pointer(ts, t);
	return t;
}

bool type_enumerator(struct types *ts, const char *name, int64_t *value, struct type **of)
{
	for (size_t i = 0; i < ts->enums.n; i++) {
		struct type *t = ts->enums.v[i];

		if (t->btf_id)
			continue;
		for (size_t j = 0; j < t->nmembers; j++) {
			if (t->enumerators && !strcmp(t->enumerators[j].name, name)) {
				*value = t->enumerators[j].value;
				*of = t;
				return true;
			}
		}
	}
	return btf_type_enumerator(ts, name, value, of);
}

/* ---- built-in types by function ---------------------------------------------------------- */

struct type *type_int(struct types *ts)
{
	return hmap_get(ts->base, "int");
}

struct type *type_int64(struct types *ts)
{
	return hmap_get(ts->base, "int64_t");
}

struct type *type_uint64(struct types *ts)
{
	return hmap_get(ts->base, "uint64_t");
}

struct type *type_string(struct types *ts)
{
	return ts->string;
}

struct type *type_void(struct types *ts)
{
	return ts->voidt;
}

struct type *type_dynamic(struct types *ts)
{
	return ts->dynamic;
}

/* ---- construction ------------------------------------------------------------------------ */

struct type *type_pointer(struct types *ts, struct type *to)
{
	struct type *t = to->ptr;

	if (t)
		return t;
	t = type_new(ts, TYPE_POINTER, "");
	t->size = t->align = 8;
	t->ref = to;
	t->complete = true;
	to->ptr = t;
	return t;
}

struct type *type_array(struct types *ts, struct type *of, uint64_t nelems)
{
	struct type *t = type_new(ts, TYPE_ARRAY, "");
	/* Resolving completes kernel structures: not needed when the size is known already. */
	struct type *elem = of->size ? of : type_resolve(of);

	t->ref = of;
	t->nelems = nelems;
	if (__builtin_mul_overflow(elem->size, nelems, &t->size))
		t->size = UINT64_MAX;
	t->align = elem->align;
	t->complete = true;
	return t;
}

/*
 * A qualified type is a nameless typedef of the unqualified one, so that a structure completed
 * later is complete under its qualifiers too.
 */
struct type *type_qualified(struct types *ts, struct type *t, bool is_const, bool is_volatile)
{
	struct type *q;

	if (!is_const && !is_volatile)
		return t;
	if (t->kind == TYPE_TYPEDEF && !*t->name) {
		is_const |= t->is_const;
		is_volatile |= t->is_volatile;
		t = t->ref;
	}
	q = type_new(ts, TYPE_TYPEDEF, "");
	q->ref = t;
	q->size = t->size;
	q->align = t->align;
	q->is_const = is_const;
	q->is_volatile = is_volatile;
	return q;
}

/* A D bit-field takes its width in whole bytes, aligned as an integer of that size is. */
static void field_extent(const struct type_member *m, uint64_t *size, uint32_t *align)
{
	struct type *t = type_resolve(m->type);

	*size = t->size;
	*align = t->align ? t->align : 1;
	if (m->bit_size) {
		*size = (m->bit_size + 7) / 8;
		*align = *size & -*size;
	}
}

void type_layout(struct types *ts, struct type *sou)
{
	uint64_t at = 0, size = 0;
	uint32_t align = 1;

	sou->strsize = (uint32_t)ts->string->size;
	for (size_t i = 0; i < sou->nmembers; i++) {
		uint64_t msize;
		uint32_t malign;

		field_extent(&sou->members[i], &msize, &malign);
		align = MAX(align, malign);
		if (sou->kind == TYPE_UNION)
			at = 0;
		at = ROUND_UP(at, malign);
		sou->members[i].bit_offset = at * 8;
		at += msize;
		size = MAX(size, at);
	}
	sou->align = align;
	sou->size = ROUND_UP(size, align);
	sou->complete = true;
}
