/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel types from BTF. The data is loaded at the first question that needs it (source.c), a type converted
 * when it is first reached, the members of a structure when it is first looked into.
 */
#include <bpf/btf.h>
#include <linux/btf.h>
#include <string.h>

#include "type/impl.h"
#include "type/type.h"

static const char *str_at(const struct btf_source *b, uint32_t off)
{
	const char *s = btf__name_by_offset(b->btf, off);

	return s ? s : "";
}

static struct type *convert(struct types *ts, struct btf_source *b, uint32_t id);

/* An integer of C is the D type of that name, so that both are one type; others are made. */
static struct type *convert_int(struct types *ts, struct btf_source *b, const struct btf_type *bt)
{
	const char *name = str_at(b, bt->name_off);
	struct type *t = type_builtin(ts, name);

	if (t && t->kind == TYPE_INT && t->size == bt->size)
		return t;
	t = type_new(ts, TYPE_INT, name);
	t->size = t->align = bt->size;
	t->is_signed = btf_int_encoding(bt) & BTF_INT_SIGNED;
	t->is_char = bt->size == 1 && (btf_int_encoding(bt) & BTF_INT_CHAR);
	t->complete = true;
	return t;
}

static struct type *convert_tagged(struct types *ts, struct btf_source *b, uint32_t id,
				   enum type_kind kind, const struct btf_type *bt)
{
	struct type *t = type_new(ts, kind, str_at(b, bt->name_off));
	int align;

	t->btf_id = id;
	t->btf = b;
	t->size = bt->size;
	align = btf__align_of(b->btf, id);
	t->align = align > 0 ? align : 1;
	if (kind == TYPE_ENUM)
		t->is_signed = true;
	return t;
}

static struct type *convert_forward(struct types *ts, struct btf_source *b, uint32_t id,
				    const struct btf_type *bt)
{
	struct type *t = type_new(ts, TYPE_FORWARD, str_at(b, bt->name_off));

	t->btf_id = id;
	t->btf = b;
	t->fwd_kind = btf_kflag(bt) ? TYPE_UNION : TYPE_STRUCT;
	t->complete = true;
	return t;
}

static struct type *convert_function(struct types *ts, struct btf_source *b, uint32_t id,
				     const struct btf_type *bt)
{
	const struct btf_param *p = btf_params(bt);
	struct type *t = type_new(ts, TYPE_FUNCTION, "");
	uint32_t n = btf_vlen(bt);

	b->converted[id - b->first] = t;
	t->complete = true;
	t->ref = convert(ts, b, bt->type);
	if (n && !p[n - 1].type) {
		t->varargs = true;
		n--;
	}
	t->nmembers = n;
	t->params = arena_alloc(ts->arena, (n + 1) * sizeof(*t->params));
	for (uint32_t i = 0; i < n; i++)
		t->params[i] = convert(ts, b, p[i].type);
	return t;
}

static struct type *convert_typedef(struct types *ts, struct btf_source *b,
				    const struct btf_type *bt)
{
	struct type *to = convert(ts, b, bt->type);
	const char *name = str_at(b, bt->name_off);
	struct type *t = type_builtin(ts, name);

	if (t && t->kind == TYPE_TYPEDEF && type_compatible(t, to))
		return t;
	t = type_new(ts, TYPE_TYPEDEF, name);
	t->ref = to;
	t->size = to->size;
	t->align = to->align;
	return t;
}

static struct type *convert_kind(struct types *ts, struct btf_source *b, uint32_t id,
				 const struct btf_type *bt)
{
	struct type *t;

	switch (btf_kind(bt)) {
	case BTF_KIND_INT: return convert_int(ts, b, bt);
	case BTF_KIND_FLOAT:
		t = type_builtin(ts, str_at(b, bt->name_off));
		return t ? t : type_builtin(ts, "double");
	case BTF_KIND_PTR: return type_pointer(ts, convert(ts, b, bt->type));
	case BTF_KIND_ARRAY:
		return type_array(ts, convert(ts, b, btf_array(bt)->type), btf_array(bt)->nelems);
	case BTF_KIND_STRUCT: return convert_tagged(ts, b, id, TYPE_STRUCT, bt);
	case BTF_KIND_UNION: return convert_tagged(ts, b, id, TYPE_UNION, bt);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64: return convert_tagged(ts, b, id, TYPE_ENUM, bt);
	case BTF_KIND_FWD: return convert_forward(ts, b, id, bt);
	case BTF_KIND_TYPEDEF: return convert_typedef(ts, b, bt);
	case BTF_KIND_CONST: return type_qualified(ts, convert(ts, b, bt->type), true, false);
	case BTF_KIND_VOLATILE: return type_qualified(ts, convert(ts, b, bt->type), false, true);
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
	case BTF_KIND_FUNC:
	case BTF_KIND_VAR: return convert(ts, b, bt->type);
	case BTF_KIND_FUNC_PROTO: return convert_function(ts, b, id, bt);
	default: return type_void(ts);
	}
}

static struct type *convert(struct types *ts, struct btf_source *b, uint32_t id)
{
	const struct btf_type *bt;

	if (b->base && id < b->first)
		b = b->base;
	if (!id || id >= b->end)
		return type_void(ts);
	if (!b->converted[id - b->first]) {
		bt = btf__type_by_id(b->btf, id);
		if (!bt)
			return type_void(ts);
		b->converted[id - b->first] = convert_kind(ts, b, id, bt);
	}
	return b->converted[id - b->first];
}

static void complete_members(struct types *ts, struct btf_source *b, struct type *t,
			     const struct btf_type *bt)
{
	const struct btf_member *m = btf_members(bt);

	t->nmembers = btf_vlen(bt);
	t->members = arena_alloc(ts->arena, (t->nmembers + 1) * sizeof(*t->members));
	for (size_t i = 0; i < t->nmembers; i++) {
		t->members[i].name = arena_strdup(ts->arena, str_at(b, m[i].name_off));
		t->members[i].type = convert(ts, b, m[i].type);
		t->members[i].bit_offset = btf_member_bit_offset(bt, i);
		t->members[i].bit_size = btf_member_bitfield_size(bt, i);
	}
}

static void complete_enumerators(struct types *ts, struct btf_source *b, struct type *t,
				 const struct btf_type *bt)
{
	bool wide = btf_kind(bt) == BTF_KIND_ENUM64;

	t->nmembers = btf_vlen(bt);
	t->enumerators = arena_alloc(ts->arena, (t->nmembers + 1) * sizeof(*t->enumerators));
	for (size_t i = 0; i < t->nmembers; i++) {
		uint32_t name = wide ? btf_enum64(bt)[i].name_off : btf_enum(bt)[i].name_off;

		t->enumerators[i].name = arena_strdup(ts->arena, str_at(b, name));
		t->enumerators[i].value =
			wide ? (int64_t)btf_enum64_value(&btf_enum64(bt)[i]) : btf_enum(bt)[i].val;
	}
}

void btf_type_complete(struct types *ts, struct type *t)
{
	struct btf_source *b = t->btf;
	const struct btf_type *bt = btf__type_by_id(b->btf, t->btf_id);

	t->complete = true;
	if (!bt)
		return;
	if (btf_is_composite(bt))
		complete_members(ts, b, t, bt);
	else if (btf_is_any_enum(bt))
		complete_enumerators(ts, b, t, bt);
}

/* Among a source's own types: 0 if there is none. */
static uint32_t find_kind(const struct btf_source *b, const char *name, uint32_t kind)
{
	for (uint32_t id = MAX(b->first, 1); id < b->end; id++) {
		const struct btf_type *bt = btf__type_by_id(b->btf, id);

		if (bt && btf_kind(bt) == kind && !strcmp(str_at(b, bt->name_off), name))
			return id;
	}
	return 0;
}

static uint32_t find(const struct btf_source *b, enum type_kind want, const char *name)
{
	uint32_t id;

	switch (want) {
	case TYPE_STRUCT: return find_kind(b, name, BTF_KIND_STRUCT);
	case TYPE_UNION: return find_kind(b, name, BTF_KIND_UNION);
	case TYPE_ENUM:
		id = find_kind(b, name, BTF_KIND_ENUM);
		return id ? id : find_kind(b, name, BTF_KIND_ENUM64);
	default:
		id = find_kind(b, name, BTF_KIND_TYPEDEF);
		return id ? id : find_kind(b, name, BTF_KIND_INT);
	}
}

static struct type *type_in(struct types *ts, struct btf_source *b, enum type_kind want,
			    const char *name)
{
	uint32_t id = b && b->btf ? find(b, want, name) : 0;

	return id ? convert(ts, b, id) : NULL;
}

static struct type *type_in_modules(struct types *ts, enum type_kind want, const char *name,
				    bool load)
{
	struct type *t = NULL;

	for (struct btf_source *b = btf_source_modules(ts, load); b && !t; b = b->next)
		t = type_in(ts, b, want, name);
	return t;
}

struct type *btf_type_lookup(struct types *ts, const char *module, enum type_kind want,
			     const char *name, bool load)
{
	struct btf_source *b;
	struct type *t;

	if (*module && !type_module_is_core(module)) {
		b = btf_source_module(ts, module, load);
		t = type_in(ts, b, want, name);
		/* What the module has in common with the kernel is left out of its own. */
		return t || !b || !b->btf ? t : type_in(ts, b->base, want, name);
	}
	t = type_in(ts, btf_source_kernel(ts, load), want, name);
	if (!t && !*module)
		t = type_in_modules(ts, want, name, false);
	if (!t && !*module && load)
		t = type_in_modules(ts, want, name, true);
	return t;
}

struct type *type_symbol(struct types *ts, const char *module, const char *name)
{
	bool core = type_module_is_core(module);
	struct btf_source *b;
	uint32_t id = 0;

	if (!*name)
		return NULL;
	b = core ? btf_source_kernel(ts, true) : btf_source_module(ts, module, true);
	if (!b || !b->btf)
		return NULL;
	/* Variables that BTF has are per CPU, and where a module has these is not told. */
	if (core)
		id = find_kind(b, name, BTF_KIND_VAR);
	if (!id)
		id = find_kind(b, name, BTF_KIND_FUNC);
	return id ? convert(ts, b, id) : NULL;
}

static bool enumerator_in(struct types *ts, struct btf_source *b, const char *name, int64_t *value,
			  struct type **of)
{
	for (uint32_t id = b->first; b->btf && id < b->end; id++) {
		const struct btf_type *bt = btf__type_by_id(b->btf, id);
		struct type *t;

		if (!bt || !btf_is_any_enum(bt))
			continue;
		for (uint32_t i = 0; i < btf_vlen(bt); i++) {
			uint32_t off = btf_kind(bt) == BTF_KIND_ENUM64 ? btf_enum64(bt)[i].name_off
								       : btf_enum(bt)[i].name_off;

			if (strcmp(str_at(b, off), name) != 0)
				continue;
			t = type_resolve(convert(ts, b, id));
			*value = t->enumerators[i].value;
			*of = t;
			return true;
		}
	}
	return false;
}

/* Of types that were read already. */
bool btf_type_enumerator(struct types *ts, const char *name, int64_t *value, struct type **of)
{
	struct btf_source *b = btf_source_kernel(ts, false);

	if (b && enumerator_in(ts, b, name, value, of))
		return true;
	for (b = btf_source_modules(ts, false); b; b = b->next)
		if (enumerator_in(ts, b, name, value, of))
			return true;
	return false;
}
