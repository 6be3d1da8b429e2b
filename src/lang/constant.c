/* SPDX-License-Identifier: BSD-2-Clause */
/* Constants of the scanner: integers, characters, strings. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "lang/parse.h"

/* The suffix [uU]?[lL]?[lL]? at the end of an integer constant: how many l, and whether u. */
static size_t number_suffix(const char *text, size_t n, bool *u, int *l)
{
	*u = false;
	*l = 0;
	while (n && *l < 2 && (text[n - 1] == 'l' || text[n - 1] == 'L')) {
		n--;
		(*l)++;
	}
	if (n && (text[n - 1] == 'u' || text[n - 1] == 'U')) {
		n--;
		*u = true;
	}
	return n;
}

static int digit_value(int c)
{
	if (isdigit(c))
		return c - '0';
	if (isxdigit(c))
		return tolower(c) - 'a' + 10;
	return 99;
}

int scan_number(const char *text, size_t n, uint64_t *value, char *bad_digit)
{
	unsigned int base = 10, digit;
	bool u, overflow = false;
	uint64_t v = 0;
	size_t i = 0;
	int l;

	*bad_digit = '\0';
	n = number_suffix(text, n, &u, &l);
	if (n > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		i = 2;
	} else if (n > 1 && text[0] == '0') {
		base = 8;
	}
	if (!n)
		return EINVAL;
	for (; i < n; i++) {
		digit = digit_value((unsigned char)text[i]);
		if (digit >= base) {
			*bad_digit = text[i];
			return EINVAL;
		}
		if (v > (UINT64_MAX - digit) / base)
			overflow = true;
		v = v * base + digit;
	}
	*value = v;
	return overflow ? ERANGE : 0;
}

struct type *scan_number_type(struct parse *p, const char *text, size_t n, uint64_t value)
{
	static const struct {
		const char *name;
		uint64_t max;
		bool u;
		int l;
	} types[] = {
		{ "int", INT32_MAX, false, 0 },	      { "unsigned int", UINT32_MAX, true, 0 },
		{ "long", INT64_MAX, false, 1 },      { "unsigned long", UINT64_MAX, true, 1 },
		{ "long long", INT64_MAX, false, 2 }, { "unsigned long long", UINT64_MAX, true, 2 },
	};
	bool u, decimal = text[0] != '0';
	size_t i;
	int l;

	number_suffix(text, n, &u, &l);
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (types[i].l < l || value > types[i].max)
			continue;
		if (u ? !types[i].u : (types[i].u && (decimal || l == 2)))
			continue;
		return type_builtin(p->s->types, types[i].name);
	}
	return NULL;
}

struct node *scan_integer_node(struct parse *p, uint64_t value, struct type *type)
{
	struct node *node = node_new(p, NODE_INT, p->tokloc);

	node->u.integer.value = value;
	node->type = type;
	node->is_const = true;
	return node;
}

struct node *scan_integer(struct parse *p, const char *text, size_t n)
{
	uint64_t value = 0;
	struct type *type;
	char bad;

	switch (scan_number(text, n, &value, &bad)) {
	case EINVAL:
		scan_fail(p, "D_INT_DIGIT", "constant %.*s contains invalid digit %c", (int)n, text,
			  bad);
		return NULL;
	case ERANGE:
		scan_fail(p, "D_INT_OFLOW", "constant %.*s results in integer overflow", (int)n,
			  text);
		return NULL;
	}
	type = scan_number_type(p, text, n, value);
	if (!type) {
		scan_fail(
			p, "D_INT_OFLOW",
			"integer constant 0x%llx cannot be represented in any built-in integral type",
			(unsigned long long)value);
		return NULL;
	}
	return scan_integer_node(p, value, type);
}

/*
 * The escape behind a backslash at s: its byte, and how many characters it takes (at least 1).
 * An unknown one gives -1: backslash and character stay.
 */
static int escape(const char *s, size_t n, size_t *len)
{
	static const char from[] = "abfnrtv\\\"", to[] = "\a\b\f\n\r\t\v\\\"";
	const char *at;
	unsigned int v = 0;
	size_t i;

	*len = 1;
	if (!n)
		return -1;
	if (*s >= '0' && *s <= '7') {
		for (i = 0; i < n && i < 3 && s[i] >= '0' && s[i] <= '7'; i++)
			v = v * 8 + (s[i] - '0');
		*len = i;
		return v & 0xff;
	}
	if (*s == 'x' && n > 1 && isxdigit((unsigned char)s[1])) {
		for (i = 1; i < n && isxdigit((unsigned char)s[i]); i++)
			v = v * 16 + digit_value((unsigned char)s[i]);
		*len = i;
		return v & 0xff;
	}
	at = *s ? strchr(from, *s) : NULL;
	return at ? (unsigned char)to[at - from] : -1;
}

/* Undoes the escapes in place. Gives the new length. */
static size_t unescape(char *s, size_t n)
{
	size_t from = 0, to = 0, len;
	int c;

	while (from < n) {
		if (s[from] == '\\') {
			c = escape(s + from + 1, n - from - 1, &len);
			if (c >= 0) {
				s[to++] = (char)c;
				from += 1 + len;
				continue;
			}
		}
		s[to++] = s[from++];
		if (s[from - 1] == '\\' && from < n)
			s[to++] = s[from++]; /* "\?" stays as it is */
	}
	s[to] = '\0';
	return to;
}

struct node *scan_string(struct parse *p, const char *text, size_t n)
{
	struct node *node = node_new(p, NODE_STRING, p->tokloc);
	char *s = arena_strndup(p->arena, text, n);

	node->u.str.len = unescape(s, n);
	node->u.str.s = s;
	node->type = type_string(p->s->types);
	node->is_const = true;
	return node;
}

struct node *scan_char(struct parse *p, const char *text, size_t n)
{
	char *s = arena_strndup(p->arena, text, n);
	uint64_t value = 0;
	struct node *node;
	struct type *type;
	size_t i;

	n = unescape(s, n);
	if (!n) {
		scan_fail(p, "D_CHR_NULL", "empty character constant");
		return NULL;
	}
	if (n > sizeof(value)) {
		scan_fail(p, "D_CHR_OFLOW", "character constant is too long");
		return NULL;
	}
	for (i = 0; i < n; i++)
		value = value << 8 | (unsigned char)s[i];
	type = scan_number_type(p, "1", 1, value);
	node = scan_integer_node(p, value,
				 type ? type : type_builtin(p->s->types, "unsigned long"));
	node->u.integer.is_char = true;
	return node;
}
