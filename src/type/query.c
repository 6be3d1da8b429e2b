/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions about types: kind after typedefs, compatibility, members. */
#include <string.h>

#include "type/impl.h"
#include "type/type.h"

/* Typedefs cannot be circular in C; the bound is for types made wrongly by a declaration. */
#define TYPEDEF_DEPTH 64

/* The definition of a forward tag, if there is one by now. */
static struct type *forward_resolve(struct type *t)
{
	struct types *ts = type_universe(t);
	const char *word = t->fwd_kind == TYPE_UNION  ? "union"
			   : t->fwd_kind == TYPE_ENUM ? "enum"
						      : "struct";
	struct type *def;
	char *full;

	if (!*t->name)
		return t;
	full = mem_printf("%s %s", word, t->name);
	def = t->btf_id ? NULL : type_declared(ts, full);
	if (!def && t->btf_id && t->btf->module)
		def = btf_type_lookup(ts, t->btf->module, t->fwd_kind, t->name, false);
	if (!def && t->btf_id)
		def = btf_type_lookup(ts, "", t->fwd_kind, t->name, false);
	if (!def && t->btf_id)
		def = type_declared(ts, full);
	free(full);
	return def && def->kind != TYPE_FORWARD ? def : t;
}

struct type *type_resolve(struct type *t)
{
	for (int i = 0; t->kind == TYPE_TYPEDEF && t->ref && i < TYPEDEF_DEPTH; i++)
		t = t->ref;
	if (t->kind == TYPE_FORWARD)
		t = forward_resolve(t);
	if (t->btf_id && !t->complete)
		btf_type_complete(type_universe(t), t);
	return t;
}

bool type_is_integer(struct type *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_INT || t->kind == TYPE_ENUM;
}

bool type_is_arith(struct type *t)
{
	return type_is_integer(t) || type_resolve(t)->kind == TYPE_FLOAT;
}

bool type_is_scalar(struct type *t)
{
	return type_is_integer(t) || type_resolve(t)->kind == TYPE_POINTER;
}

bool type_is_pointer(struct type *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_POINTER || t->kind == TYPE_ARRAY;
}

bool type_is_string(struct type *t)
{
	return type_resolve(t)->kind == TYPE_STRING;
}

bool type_is_string_like(struct type *t)
{
	t = type_resolve(t);
	if (t->kind == TYPE_STRING)
		return true;
	if (t->kind != TYPE_POINTER && t->kind != TYPE_ARRAY)
		return false;
	t = type_resolve(t->ref);
	return t->kind == TYPE_INT && t->is_char;
}

bool type_is_sou(struct type *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_STRUCT || t->kind == TYPE_UNION;
}

bool type_is_signed(struct type *t)
{
	t = type_resolve(t);
	return (t->kind == TYPE_INT || t->kind == TYPE_ENUM) && t->is_signed;
}

static bool functions_compatible(struct type *a, struct type *b, int depth);

static bool compatible(struct type *a, struct type *b, int depth)
{
	a = type_resolve(a);
	b = type_resolve(b);
	if (a == b || depth > TYPEDEF_DEPTH)
		return true;
	if ((a->kind == TYPE_ENUM && b->kind == TYPE_INT) ||
	    (a->kind == TYPE_INT && b->kind == TYPE_ENUM))
		return true;
	if (a->kind == TYPE_FORWARD && (b->kind == a->fwd_kind || b->kind == TYPE_FORWARD))
		return *a->name && !strcmp(a->name, b->name);
	if (b->kind == TYPE_FORWARD && a->kind == b->fwd_kind)
		return *a->name && !strcmp(a->name, b->name);
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case TYPE_INT: return a->size == b->size && a->is_signed == b->is_signed;
	case TYPE_FLOAT: return a->size == b->size;
	case TYPE_POINTER: return compatible(a->ref, b->ref, depth + 1);
	case TYPE_ARRAY: return a->nelems == b->nelems && compatible(a->ref, b->ref, depth + 1);
	case TYPE_STRUCT:
	case TYPE_UNION:
	case TYPE_ENUM: return *a->name && !strcmp(a->name, b->name) && a->size == b->size;
	case TYPE_FUNCTION: return functions_compatible(a, b, depth + 1);
	default: return true;
	}
}

static bool functions_compatible(struct type *a, struct type *b, int depth)
{
	if (a->nmembers != b->nmembers || a->varargs != b->varargs)
		return false;
	if (a->ref && b->ref && !compatible(a->ref, b->ref, depth))
		return false;
	for (size_t i = 0; i < a->nmembers; i++)
		if (!compatible(a->params[i], b->params[i], depth))
			return false;
	return true;
}

bool type_compatible(struct type *a, struct type *b)
{
	return compatible(a, b, 0);
}

static const struct type_member *member_find(struct type *t, const char *name, uint64_t *bit_offset,
					     int depth)
{
	t = type_resolve(t);
	if ((t->kind != TYPE_STRUCT && t->kind != TYPE_UNION) || depth > TYPEDEF_DEPTH)
		return NULL;
	for (size_t i = 0; i < t->nmembers; i++) {
		const struct type_member *m = &t->members[i], *in;

		if (m->name && *m->name) {
			if (!strcmp(m->name, name)) {
				*bit_offset = m->bit_offset;
				return m;
			}
			continue;
		}
		in = member_find(m->type, name, bit_offset, depth + 1);
		if (in) {
			*bit_offset += m->bit_offset;
			return in;
		}
	}
	return NULL;
}

const struct type_member *type_member(struct type *t, const char *name, uint64_t *bit_offset)
{
	return *name ? member_find(t, name, bit_offset, 0) : NULL;
}
