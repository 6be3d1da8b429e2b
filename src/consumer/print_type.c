/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print(): values by their types. Of a pointer what it points to, as a tree of members that are not
 * zero; of anything else the type and the value.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "consumer/print_impl.h"

#define TREE_INDENT 44
#define TREE_DEPTH 10
#define VALUE_INDENT 4

/* A value in the data of a record: what lies behind `have` was not recorded. */
struct item {
	struct type *type;
	const struct type_member *member; /* NULL: none; bit-fields are read by it */
	const unsigned char *data;
	size_t have;
};

static bool is_sou(enum type_kind k)
{
	return k == TYPE_STRUCT || k == TYPE_UNION;
}

static void put_type(struct print *p, struct type *t)
{
	struct type *r = t;

	while (r->kind == TYPE_TYPEDEF && !*r->name)
		r = r->ref;
	if (is_sou(r->kind) && !*r->name)
		str_puts(p->out, r->kind == TYPE_STRUCT ? "struct" : "union");
	else if (r->kind == TYPE_ENUM && !*r->name)
		str_puts(p->out, "enum");
	else
		type_spell(p->out, t);
}

/* ---- reading ---- */

/* Was all of it recorded? */
static bool item_whole(const struct item *it)
{
	return it->have >= (it->member && it->member->bit_size ? 1 : type_resolve(it->type)->size);
}

static struct item item_member(const struct item *of, const struct type_member *m)
{
	size_t off = m->bit_offset / 8;

	return (struct item){ m->type, m, of->data + off, of->have > off ? of->have - off : 0 };
}

static struct item item_element(const struct item *of, uint64_t i)
{
	struct type *t = type_resolve(of->type)->ref;
	size_t off = i * type_resolve(t)->size;

	return (struct item){ t, NULL, of->data + off, of->have > off ? of->have - off : 0 };
}

static uint64_t item_integer(const struct item *it, bool *is_signed)
{
	struct type *t = type_resolve(it->type);
	size_t n = MIN(t->size, 8), shift = 0;
	uint64_t v = 0;

	*is_signed = type_is_signed(t);
	if (!it->member || !it->member->bit_size) {
		memcpy(&v, it->data, n);
		return print_extend(v, (uint32_t)n, *is_signed);
	}
	shift = it->member->bit_offset % 8;
	n = (shift + it->member->bit_size + 7) / 8;
	memcpy(&v, it->data, MIN(MIN(n, 8), it->have));
	v = v >> shift << (64 - it->member->bit_size);
	return *is_signed ? (uint64_t)((int64_t)v >> (64 - it->member->bit_size))
			  : v >> (64 - it->member->bit_size);
}

static bool item_is_zero(const struct item *it)
{
	size_t n = MIN(type_resolve(it->type)->size, it->have);
	bool is_signed;

	if (it->member && it->member->bit_size)
		return !item_integer(it, &is_signed);
	for (size_t i = 0; i < n; i++)
		if (it->data[i])
			return false;
	return true;
}

/* A character, not a small number. */
static bool is_char(struct type *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_INT && t->is_char && t->is_signed;
}

/* ---- scalars ---- */

static void put_char(struct str *out, unsigned char c)
{
	static const char from[] = "\a\b\f\n\r\t\v\\'\"", to[] = "abfnrtv\\'\"";
	const char *e = c ? strchr(from, c) : NULL;

	if (e)
		str_printf(out, "\\%c", to[e - from]);
	else if (!c)
		str_puts(out, "\\0");
	else if (isprint(c))
		str_putc(out, (char)c);
	else
		str_printf(out, "\\%03o", c);
}

static bool put_enumerator(struct print *p, struct type *t, int64_t v)
{
	for (size_t i = 0; i < t->nmembers; i++) {
		if (t->enumerators[i].value != v)
			continue;
		str_puts(p->out, t->enumerators[i].name);
		return true;
	}
	return false;
}

static void put_float(struct print *p, const struct item *it, size_t size)
{
	long double ld;
	double d;
	float f;

	if (size == sizeof(f)) {
		memcpy(&f, it->data, sizeof(f));
		str_printf(p->out, "%g", f);
	} else if (size == sizeof(d)) {
		memcpy(&d, it->data, sizeof(d));
		str_printf(p->out, "%g", d);
	} else if (size >= sizeof(ld)) {
		memcpy(&ld, it->data, sizeof(ld));
		str_printf(p->out, "%Lg", ld);
	}
}

static void put_scalar(struct print *p, const struct item *it, bool hex)
{
	struct type *t = type_resolve(it->type);
	bool is_signed;
	uint64_t v;

	if (t->kind == TYPE_FLOAT) {
		put_float(p, it, t->size);
		return;
	}
	v = item_integer(it, &is_signed);
	if (t->kind == TYPE_ENUM && put_enumerator(p, t, (int64_t)v))
		return;
	if (is_char(t) && !(it->member && it->member->bit_size)) {
		str_putc(p->out, '\'');
		put_char(p->out, (unsigned char)v);
		str_putc(p->out, '\'');
	} else if (t->kind == TYPE_POINTER && v &&
		   type_resolve(t->ref)->kind == TYPE_FUNCTION) {
		print_address(p, false, 0, v, true);
	} else if (t->kind == TYPE_POINTER) {
		str_printf(p->out, "0x%" PRIx64, v);
	} else if (hex) {
		str_printf(p->out, "0x%" PRIx64, print_extend(v, (uint32_t)MIN(t->size, 8), false));
	} else if (is_signed) {
		str_printf(p->out, "%" PRId64, (int64_t)v);
	} else {
		str_printf(p->out, "%" PRIu64, v);
	}
}

static void put_text(struct print *p, const struct item *it, size_t n)
{
	str_putc(p->out, '"');
	for (size_t i = 0; i < n && it->data[i]; i++)
		put_char(p->out, it->data[i]);
	str_putc(p->out, '"');
}

/* ---- the tree behind a pointer ---- */

static void tree_line(struct print *p, int depth)
{
	str_pad(p->out, ' ', (size_t)(TREE_INDENT + depth));
}

static void tree_value(struct print *p, const struct item *it, int depth);

static void tree_entry(struct print *p, const struct item *it, int depth)
{
	tree_line(p, depth);
	if (it->member && *it->member->name)
		str_printf(p->out, ".%s = ", it->member->name);
	tree_value(p, it, depth);
	str_puts(p->out, ",\n");
}

/* False: the rest was not recorded. */
static bool tree_part(struct print *p, const struct item *it, int depth)
{
	if (!item_whole(it) && (!it->have || !is_sou(type_resolve(it->type)->kind))) {
		tree_line(p, depth);
		str_puts(p->out, "...\n");
		return false;
	}
	if (!item_is_zero(it))
		tree_entry(p, it, depth);
	return true;
}

static void tree_members(struct print *p, const struct item *of, int depth)
{
	struct type *t = type_resolve(of->type);

	for (size_t i = 0; i < t->nmembers; i++) {
		struct item it = item_member(of, &t->members[i]);

		if (!type_resolve(it.type)->size) /* the end of a structure of any length */
			continue;
		if (!tree_part(p, &it, depth))
			return;
	}
}

static void tree_elements(struct print *p, const struct item *of, int depth)
{
	struct type *t = type_resolve(of->type);

	for (uint64_t i = 0; i < t->nelems; i++) {
		struct item it = item_element(of, i);

		if (is_char(it.type) && item_whole(&it) && !*it.data)
			return;
		if (!tree_part(p, &it, depth))
			return;
	}
}

static void tree_value(struct print *p, const struct item *it, int depth)
{
	struct type *t = type_resolve(it->type);
	bool is_array = t->kind == TYPE_ARRAY;

	str_putc(p->out, '(');
	put_type(p, it->type);
	str_putc(p->out, ')');
	if (!is_array && !is_sou(t->kind)) {
		if (t->kind == TYPE_STRING)
			put_text(p, it, MIN(t->size, it->have));
		else
			put_scalar(p, it, false);
		return;
	}
	str_puts(p->out, is_array ? " [\n" : " {\n");
	if (depth + 1 >= TREE_DEPTH) {
		tree_line(p, depth + 1);
		str_puts(p->out, "...\n");
	} else if (is_array) {
		tree_elements(p, it, depth + 1);
	} else {
		tree_members(p, it, depth + 1);
	}
	tree_line(p, depth);
	str_putc(p->out, is_array ? ']' : '}');
}

void print_tree(struct print *p, uint64_t addr, const struct print_value *v)
{
	struct item it = { v->type, NULL, v->data, v->size };

	str_printf(p->out, "0x%" PRIx64 " = *\n", addr);
	tree_line(p, 0);
	tree_value(p, &it, 0);
}

/* ---- a value ---- */

static void value_line(struct print *p, int depth)
{
	str_putc(p->out, '\n');
	str_pad(p->out, ' ', (size_t)(VALUE_INDENT * depth));
}

static void value_put(struct print *p, const struct item *it, int depth);

static void value_members(struct print *p, const struct item *of, int depth)
{
	struct type *t = type_resolve(of->type);

	str_putc(p->out, '{');
	for (size_t i = 0; i < t->nmembers; i++) {
		struct item it = item_member(of, &t->members[i]);

		if (!type_resolve(it.type)->size)
			continue;
		value_line(p, depth + 1);
		if (!it.have || depth >= TREE_DEPTH) {
			str_puts(p->out, "...");
			break;
		}
		put_type(p, it.type);
		if (*it.member->name)
			str_printf(p->out, " %s", it.member->name);
		if (it.member->bit_size)
			str_printf(p->out, " :%u", it.member->bit_size);
		str_puts(p->out, " = ");
		value_put(p, &it, depth + 1);
	}
	value_line(p, depth);
	str_putc(p->out, '}');
}

static void value_elements(struct print *p, const struct item *of, int depth)
{
	struct type *t = type_resolve(of->type);
	bool lines = is_sou(type_resolve(t->ref)->kind);

	str_puts(p->out, lines ? "[" : "[ ");
	if (is_char(t->ref)) {
		put_text(p, of, MIN(t->nelems, of->have));
	} else {
		for (uint64_t i = 0; i < t->nelems; i++) {
			struct item it = item_element(of, i);

			if (i)
				str_puts(p->out, lines ? "," : ", ");
			if (lines) {
				value_line(p, depth + 1);
				put_type(p, it.type);
				str_putc(p->out, ' ');
			}
			if (!it.have) {
				str_puts(p->out, "...");
				break;
			}
			value_put(p, &it, depth + 1);
		}
	}
	if (lines)
		value_line(p, depth);
	str_puts(p->out, lines ? "]" : " ]");
}

static void value_put(struct print *p, const struct item *it, int depth)
{
	struct type *t = type_resolve(it->type);

	if (is_sou(t->kind))
		value_members(p, it, depth);
	else if (t->kind == TYPE_ARRAY)
		value_elements(p, it, depth);
	else if (t->kind == TYPE_STRING)
		put_text(p, it, MIN(t->size, it->have));
	else if (item_whole(it))
		put_scalar(p, it, true);
	else
		str_puts(p->out, "...");
}

void print_typed(struct print *p, const struct print_value *v)
{
	struct item it = { v->type, NULL, v->data, v->size };

	if (v->kind == FIELD_INT)
		it.data = (const void *)&v->value;
	if (!v->type)
		return;
	put_type(p, v->type);
	str_putc(p->out, ' ');
	if (v->kind == FIELD_STRING)
		put_text(p, &it, v->size);
	else
		value_put(p, &it, 0);
}
