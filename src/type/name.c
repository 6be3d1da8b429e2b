/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The C spelling of a type, as messages print it. A declarator grows from the inside out: stars to
 * the left, dimensions to the right, parentheses where a star meets a dimension.
 */
#include <string.h>

#include "base/str.h"
#include "type/impl.h"
#include "type/type.h"

#define NAME_DEPTH 64

static const char *kind_word(enum type_kind k)
{
	switch (k) {
	case TYPE_STRUCT: return "struct";
	case TYPE_UNION: return "union";
	case TYPE_ENUM: return "enum";
	default: return "";
	}
}

static void quals(struct str *b, const struct type *t)
{
	if (t->is_const)
		str_puts(b, "const ");
	if (t->is_volatile)
		str_puts(b, "volatile ");
}

/* The name at the end of a chain of pointers and arrays. */
static void base_name(struct str *b, const struct type *t)
{
	enum type_kind k = t->kind == TYPE_FORWARD ? t->fwd_kind : t->kind;

	quals(b, t);
	str_puts(b, kind_word(k));
	if (*kind_word(k))
		str_puts(b, *t->name ? " " : " (anon)");
	str_puts(b, t->name);
}

static bool is_function_pointer(struct type *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_POINTER && type_resolve(t->ref)->kind == TYPE_FUNCTION;
}

void type_spell(struct str *out, struct type *t)
{
	struct str left = { 0 }, right = { 0 }, tmp = { 0 };
	bool star = false;

	for (int i = 0; i < NAME_DEPTH; i++) {
		if (t->kind == TYPE_POINTER) {
			str_puts(&tmp, "*");
			str_puts(&tmp, str_c(&left));
			str_free(&left);
			left = tmp;
			memset(&tmp, 0, sizeof(tmp));
			star = true;
			t = t->ref;
		} else if (t->kind == TYPE_TYPEDEF && !*t->name &&
			   (t->ref->kind == TYPE_POINTER || t->ref->kind == TYPE_ARRAY)) {
			if (t->ref->kind == TYPE_POINTER) {
				/* "* const": the qualifier stands after the star */
				str_puts(&tmp, t->is_const ? "const" : "volatile");
				if (left.n)
					str_puts(&tmp, " ");
				str_puts(&tmp, str_c(&left));
				str_free(&left);
				left = tmp;
				memset(&tmp, 0, sizeof(tmp));
			}
			t = t->ref;
		} else if (t->kind == TYPE_ARRAY) {
			if (star) {
				str_printf(&tmp, "(%s)", str_c(&left));
				str_free(&left);
				left = tmp;
				memset(&tmp, 0, sizeof(tmp));
			}
			star = false;
			if (t->nelems)
				str_printf(&right, "[%llu]", (unsigned long long)t->nelems);
			else
				str_puts(&right, "[]");
			t = t->ref;
		} else {
			break;
		}
	}
	if (t->kind == TYPE_FUNCTION) {
		str_puts(out, star ? "function pointer" : "function");
	} else {
		for (int i = 0; i < NAME_DEPTH && t->kind == TYPE_TYPEDEF && !*t->name; i++) {
			quals(out, t);
			t = t->ref;
		}
		base_name(out, t);
		if (left.n || right.n)
			str_puts(out, " ");
		str_puts(out, str_c(&left));
		str_puts(out, str_c(&right));
	}
	str_free(&left);
	str_free(&right);
}

const char *type_name(struct types *ts, struct type *t)
{
	struct str b = { 0 };
	const char *name;

	if (!t)
		return "<none>";
	if (t->kind == TYPE_POINTER && is_function_pointer(t))
		return "function pointer";
	name = hmap_get_u64(ts->names, (uint64_t)(uintptr_t)t);
	if (name)
		return name;
	type_spell(&b, t);
	name = arena_strdup(ts->arena, str_c(&b));
	hmap_put_u64(ts->names, (uint64_t)(uintptr_t)t, (void *)(uintptr_t)name);
	str_free(&b);
	return name;
}
