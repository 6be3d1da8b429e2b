/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel types from BTF. The data is loaded at the first question that needs it, a type converted
 * when it is first reached, the members of a structure when it is first looked into.
 */
#include <bpf/btf.h>
#include <linux/btf.h>
#include <string.h>

#include "type/impl.h"
#include "type/type.h"

static bool btf_load(struct types *ts, bool load)
{
	if (ts->btf)
		return true;
	if (!load || ts->btf_tried)
		return false;
	ts->btf_tried = true;
	ts->btf = btf__load_vmlinux_btf();
	if (!ts->btf)
		return false;
	ts->nids = btf__type_cnt(ts->btf);
	ts->by_id = mem_alloc(ts->nids * sizeof(*ts->by_id));
	return true;
}

void btf_type_unload(struct types *ts)
{
	btf__free(ts->btf);
	free(ts->by_id);
	ts->btf = NULL;
	ts->by_id = NULL;
}

static const char *str_at(struct types *ts, uint32_t off)
{
	const char *s = btf__name_by_offset(ts->btf, off);

	return s ? s : "";
}

static struct type *convert(struct types *ts, uint32_t id);

/* An integer of C is the D type of that name, so that both are one type; others are made. */
static struct type *convert_int(struct types *ts, const struct btf_type *bt)
{
	const char *name = str_at(ts, bt->name_off);
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

static struct type *convert_tagged(struct types *ts, uint32_t id, enum type_kind kind,
				   const struct btf_type *bt)
{
	struct type *t = type_new(ts, kind, str_at(ts, bt->name_off));
	int align;

	t->btf_id = id;
	t->size = bt->size;
	align = btf__align_of(ts->btf, id);
	t->align = align > 0 ? align : 1;
	if (kind == TYPE_ENUM)
		t->is_signed = true;
	return t;
}

static struct type *convert_forward(struct types *ts, uint32_t id, const struct btf_type *bt)
{
	struct type *t = type_new(ts, TYPE_FORWARD, str_at(ts, bt->name_off));

	t->btf_id = id;
	t->fwd_kind = btf_kflag(bt) ? TYPE_UNION : TYPE_STRUCT;
	t->complete = true;
	return t;
}

static struct type *convert_function(struct types *ts, uint32_t id, const struct btf_type *bt)
{
	const struct btf_param *p = btf_params(bt);
	struct type *t = type_new(ts, TYPE_FUNCTION, "");
	uint32_t n = btf_vlen(bt);

	ts->by_id[id] = t;
	t->complete = true;
	t->ref = convert(ts, bt->type);
	if (n && !p[n - 1].type) {
		t->varargs = true;
		n--;
	}
	t->nmembers = n;
	t->params = arena_alloc(ts->arena, (n + 1) * sizeof(*t->params));
	for (uint32_t i = 0; i < n; i++)
		t->params[i] = convert(ts, p[i].type);
	return t;
}

static struct type *convert_typedef(struct types *ts, const struct btf_type *bt)
{
	struct type *to = convert(ts, bt->type);
	const char *name = str_at(ts, bt->name_off);
	struct type *t = type_builtin(ts, name);

	if (t && t->kind == TYPE_TYPEDEF && type_compatible(t, to))
		return t;
	t = type_new(ts, TYPE_TYPEDEF, name);
	t->ref = to;
	t->size = to->size;
	t->align = to->align;
	return t;
}

static struct type *convert_kind(struct types *ts, uint32_t id, const struct btf_type *bt)
{
	struct type *t;

	switch (btf_kind(bt)) {
	case BTF_KIND_INT: return convert_int(ts, bt);
	case BTF_KIND_FLOAT:
		t = type_builtin(ts, str_at(ts, bt->name_off));
		return t ? t : type_builtin(ts, "double");
	case BTF_KIND_PTR: return type_pointer(ts, convert(ts, bt->type));
	case BTF_KIND_ARRAY:
		return type_array(ts, convert(ts, btf_array(bt)->type), btf_array(bt)->nelems);
	case BTF_KIND_STRUCT: return convert_tagged(ts, id, TYPE_STRUCT, bt);
	case BTF_KIND_UNION: return convert_tagged(ts, id, TYPE_UNION, bt);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64: return convert_tagged(ts, id, TYPE_ENUM, bt);
	case BTF_KIND_FWD: return convert_forward(ts, id, bt);
	case BTF_KIND_TYPEDEF: return convert_typedef(ts, bt);
	case BTF_KIND_CONST: return type_qualified(ts, convert(ts, bt->type), true, false);
	case BTF_KIND_VOLATILE: return type_qualified(ts, convert(ts, bt->type), false, true);
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
	case BTF_KIND_FUNC:
	case BTF_KIND_VAR: return convert(ts, bt->type);
	case BTF_KIND_FUNC_PROTO: return convert_function(ts, id, bt);
	default: return type_void(ts);
	}
}

static struct type *convert(struct types *ts, uint32_t id)
{
	const struct btf_type *bt;

	if (!id || id >= ts->nids)
		return type_void(ts);
	if (!ts->by_id[id]) {
		bt = btf__type_by_id(ts->btf, id);
		if (!bt)
			return type_void(ts);
		ts->by_id[id] = convert_kind(ts, id, bt);
	}
	return ts->by_id[id];
}

static void complete_members(struct types *ts, struct type *t, const struct btf_type *bt)
{
	const struct btf_member *m = btf_members(bt);

	t->nmembers = btf_vlen(bt);
	t->members = arena_alloc(ts->arena, (t->nmembers + 1) * sizeof(*t->members));
	for (size_t i = 0; i < t->nmembers; i++) {
		t->members[i].name = arena_strdup(ts->arena, str_at(ts, m[i].name_off));
		t->members[i].type = convert(ts, m[i].type);
		t->members[i].bit_offset = btf_member_bit_offset(bt, i);
		t->members[i].bit_size = btf_member_bitfield_size(bt, i);
	}
}

static void complete_enumerators(struct types *ts, struct type *t, const struct btf_type *bt)
{
	bool wide = btf_kind(bt) == BTF_KIND_ENUM64;

	t->nmembers = btf_vlen(bt);
	t->enumerators = arena_alloc(ts->arena, (t->nmembers + 1) * sizeof(*t->enumerators));
	for (size_t i = 0; i < t->nmembers; i++) {
		uint32_t name = wide ? btf_enum64(bt)[i].name_off : btf_enum(bt)[i].name_off;

		t->enumerators[i].name = arena_strdup(ts->arena, str_at(ts, name));
		t->enumerators[i].value =
			wide ? (int64_t)btf_enum64_value(&btf_enum64(bt)[i]) : btf_enum(bt)[i].val;
	}
}

void btf_type_complete(struct types *ts, struct type *t)
{
	const struct btf_type *bt = btf__type_by_id(ts->btf, t->btf_id);

	t->complete = true;
	if (!bt)
		return;
	if (btf_is_composite(bt))
		complete_members(ts, t, bt);
	else if (btf_is_any_enum(bt))
		complete_enumerators(ts, t, bt);
}

static int32_t find(struct types *ts, enum type_kind want, const char *name)
{
	int32_t id;

	switch (want) {
	case TYPE_STRUCT: return btf__find_by_name_kind(ts->btf, name, BTF_KIND_STRUCT);
	case TYPE_UNION: return btf__find_by_name_kind(ts->btf, name, BTF_KIND_UNION);
	case TYPE_ENUM:
		id = btf__find_by_name_kind(ts->btf, name, BTF_KIND_ENUM);
		return id > 0 ? id : btf__find_by_name_kind(ts->btf, name, BTF_KIND_ENUM64);
	default:
		id = btf__find_by_name_kind(ts->btf, name, BTF_KIND_TYPEDEF);
		return id > 0 ? id : btf__find_by_name_kind(ts->btf, name, BTF_KIND_INT);
	}
}

struct type *btf_type_lookup(struct types *ts, const char *module, enum type_kind want,
			     const char *name, bool load)
{
	int32_t id;

	/* The types of the core kernel; those of modules are not read. */
	if (*module && strcmp(module, "vmlinux") != 0 && strcmp(module, "kernel") != 0)
		return NULL;
	if (!btf_load(ts, load))
		return NULL;
	id = find(ts, want, name);
	return id > 0 ? convert(ts, id) : NULL;
}

struct type *type_symbol(struct types *ts, const char *name)
{
	int32_t id;

	if (!*name || !btf_load(ts, true))
		return NULL;
	id = btf__find_by_name_kind(ts->btf, name, BTF_KIND_VAR);
	if (id <= 0)
		id = btf__find_by_name_kind(ts->btf, name, BTF_KIND_FUNC);
	return id > 0 ? convert(ts, id) : NULL;
}

bool btf_type_enumerator(struct types *ts, const char *name, int64_t *value, struct type **of)
{
	if (!ts->btf)
		return false;
	for (uint32_t id = 1; id < ts->nids; id++) {
		const struct btf_type *bt = btf__type_by_id(ts->btf, id);
		struct type *t;

		if (!bt || !btf_is_any_enum(bt))
			continue;
		for (uint32_t i = 0; i < btf_vlen(bt); i++) {
			uint32_t off = btf_kind(bt) == BTF_KIND_ENUM64 ? btf_enum64(bt)[i].name_off
								       : btf_enum(bt)[i].name_off;

			if (strcmp(str_at(ts, off), name) != 0)
				continue;
			t = type_resolve(convert(ts, id));
			*value = t->enumerators[i].value;
			*of = t;
			return true;
		}
	}
	return false;
}
