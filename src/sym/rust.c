/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rust's names of the form "_R" (its "v0"): a prefix code of paths and types, in which "B" refers
 * back to an earlier place. The text is written while the name is read; crates' and instances'
 * hashes are left out. What does not follow the form is no Rust name.
 */
#include "sym/rust.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define DEPTH_MAX 200
#define TEXT_MAX 8192 /* references back can make a short name very long */

struct parser {
	const char *s; /* behind "_R" */
	size_t at, n;
	struct str *out; /* NULL: read, but not written */
	int depth;
	bool bad;
};

static void path(struct parser *p, bool in_value);
static void type(struct parser *p);

static void put(struct parser *p, const char *text, size_t n)
{
	if (p->out && p->out->n + n > TEXT_MAX)
		p->bad = true;
	else if (p->out)
		str_add(p->out, text, n);
}

static void puts_(struct parser *p, const char *text)
{
	put(p, text, strlen(text));
}

static char peek(const struct parser *p)
{
	return p->bad || p->at >= p->n ? 0 : p->s[p->at];
}

static char next(struct parser *p)
{
	char c = peek(p);

	if (c)
		p->at++;
	else
		p->bad = true;
	return c;
}

static bool eat(struct parser *p, char c)
{
	if (peek(p) != c)
		return false;
	p->at++;
	return true;
}

/* "_" is 0, "0_" is 1, "Z_" is 62 */
static uint64_t base62(struct parser *p)
{
	uint64_t v = 0;
	char c;

	if (eat(p, '_'))
		return 0;
	while ((c = next(p)) && c != '_') {
		unsigned int digit = c >= '0' && c <= '9'   ? (unsigned int)(c - '0')
				     : c >= 'a' && c <= 'z' ? (unsigned int)(c - 'a') + 10
				     : c >= 'A' && c <= 'Z' ? (unsigned int)(c - 'A') + 36
							    : 99;

		if (digit == 99 || v > UINT64_MAX / 62 - 62) {
			p->bad = true;
			return 0;
		}
		v = v * 62 + digit;
	}
	return v + 1;
}

static uint64_t optional62(struct parser *p, char tag)
{
	return eat(p, tag) ? base62(p) + 1 : 0;
}

/* Text as it is written; a name with other letters than ASCII is in punycode, which is kept. */
static void identifier(struct parser *p, const char **name, size_t *len, uint64_t *which)
{
	size_t n = 0;

	*name = "";
	*len = 0;
	*which = optional62(p, 's');
	eat(p, 'u');
	if (peek(p) < '0' || peek(p) > '9')
		p->bad = true;
	while (peek(p) >= '0' && peek(p) <= '9' && n < p->n)
		n = n * 10 + (size_t)(next(p) - '0');
	eat(p, '_');
	if (p->bad || n > p->n - p->at) {
		p->bad = true;
		return;
	}
	*name = p->s + p->at;
	*len = n;
	p->at += n;
}

static bool enter(struct parser *p)
{
	if (++p->depth > DEPTH_MAX)
		p->bad = true;
	return !p->bad;
}

/* Reads at an earlier place what f reads, and comes back. */
static void refer(struct parser *p, void (*f)(struct parser *p, bool flag), bool flag)
{
	size_t tag = p->at - 1;
	uint64_t to = base62(p);
	size_t back = p->at;

	if (p->bad || to >= tag) {
		p->bad = true;
		return;
	}
	p->at = (size_t)to;
	if (p->out) /* what is not written need not be read again */
		f(p, flag);
	p->at = back;
}

static void lifetime(struct parser *p)
{
	base62(p);
	puts_(p, "'_");
}

/* A constant as generic argument: "p", or a type and its value in hexadecimal. */
static void constant(struct parser *p, bool flag)
{
	uint64_t v = 0;
	char buf[32], t, c;
	size_t digits = 0;
	bool minus;

	(void)flag;
	if (!enter(p))
		return;
	t = next(p);
	if (t == 'B') {
		refer(p, constant, false);
	} else if (t == 'p') {
		puts_(p, "_");
	} else if (!strchr("abchijlmnostxy", t)) {
		p->bad = true; /* structures as constants */
	} else {
		minus = eat(p, 'n');
		while ((c = next(p)) && c != '_') {
			v = v << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
			digits++;
		}
		if (t == 'b')
			puts_(p, v ? "true" : "false");
		else if (t == 'c' && v >= ' ' && v <= '~')
			put(p, buf, (size_t)snprintf(buf, sizeof(buf), "'%c'", (char)v));
		else if (digits > 16)
			puts_(p, "_");
		else
			put(p, buf,
			    (size_t)snprintf(buf, sizeof(buf), "%s%llu", minus ? "-" : "",
					     (unsigned long long)v));
	}
	p->depth--;
}

static void generic(struct parser *p)
{
	if (eat(p, 'L'))
		lifetime(p);
	else if (eat(p, 'K'))
		constant(p, false);
	else
		type(p);
}

/* Things up to "E", with ", " between them; how many. */
static size_t list(struct parser *p, void (*f)(struct parser *p))
{
	size_t n = 0;

	while (!p->bad && !eat(p, 'E')) {
		if (n++)
			puts_(p, ", ");
		f(p);
	}
	return n;
}

/* The path of an impl is only for telling impls apart. */
static void impl_path(struct parser *p)
{
	struct str *out = p->out;

	optional62(p, 's');
	p->out = NULL;
	path(p, false);
	p->out = out;
}

static void nested(struct parser *p, bool in_value)
{
	char space = next(p);
	const char *name;
	uint64_t which;
	size_t len;

	path(p, in_value);
	identifier(p, &name, &len, &which);
	if (space >= 'a' && space <= 'z') {
		if (!len)
			return;
		puts_(p, "::");
		put(p, name, len);
		return;
	}
	puts_(p, space == 'C' ? "::{closure" : space == 'S' ? "::{shim" : "::{");
	if (len) {
		puts_(p, ":");
		put(p, name, len);
	}
	if (p->out)
		str_printf(p->out, "#%llu}", (unsigned long long)which);
}

static void path(struct parser *p, bool in_value)
{
	const char *name;
	uint64_t which;
	size_t len;

	if (!enter(p))
		return;
	switch (next(p)) {
	case 'C':
		identifier(p, &name, &len, &which);
		put(p, name, len);
		break;
	case 'M':
		impl_path(p);
		puts_(p, "<");
		type(p);
		puts_(p, ">");
		break;
	case 'X': impl_path(p); /* fall through */
	case 'Y':
		puts_(p, "<");
		type(p);
		puts_(p, " as ");
		path(p, false);
		puts_(p, ">");
		break;
	case 'N': nested(p, in_value); break;
	case 'I':
		path(p, in_value);
		puts_(p, in_value ? "::<" : "<");
		list(p, generic);
		puts_(p, ">");
		break;
	case 'B': refer(p, path, in_value); break;
	default: p->bad = true;
	}
	p->depth--;
}

static void function_type(struct parser *p)
{
	const char *abi;
	uint64_t which;
	size_t len;

	optional62(p, 'G');
	if (eat(p, 'U'))
		puts_(p, "unsafe ");
	if (eat(p, 'K')) {
		if (eat(p, 'C')) {
			puts_(p, "extern \"C\" ");
		} else {
			identifier(p, &abi, &len, &which);
			puts_(p, "extern \"");
			put(p, abi, len);
			puts_(p, "\" ");
		}
	}
	puts_(p, "fn(");
	list(p, type);
	puts_(p, ")");
	if (eat(p, 'u')) /* () is not written */
		return;
	puts_(p, " -> ");
	type(p);
}

/* One trait of "dyn", with its associated types. */
static void bound(struct parser *p)
{
	const char *name;
	uint64_t which;
	size_t len;

	path(p, false);
	while (eat(p, 'p')) {
		identifier(p, &name, &len, &which);
		puts_(p, "<");
		put(p, name, len);
		puts_(p, " = ");
		type(p);
		puts_(p, ">");
	}
}

static void dyn_type(struct parser *p)
{
	size_t n = 0;

	puts_(p, "dyn ");
	optional62(p, 'G');
	while (!p->bad && !eat(p, 'E')) {
		if (n++)
			puts_(p, " + ");
		bound(p);
	}
	if (!eat(p, 'L'))
		p->bad = true;
	base62(p);
}

static const char *basic_type(char c)
{
	static const char *const names[26] = {
		"i8",	 "bool", "char", "f64", "str",	"f32",	NULL,  "u8", "isize",
		"usize", NULL,	 "i32",	 "u32", "i128", "u128", "_",   NULL, NULL,
		"i16",	 "u16",	 "()",	 "...", NULL,	"i64",	"u64", "!",
	};

	return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

static void type_again(struct parser *p, bool flag)
{
	(void)flag;
	type(p);
}

static void reference(struct parser *p, const char *text)
{
	puts_(p, text);
	if (eat(p, 'L'))
		base62(p);
}

static void type(struct parser *p)
{
	char c = peek(p);

	if (!enter(p))
		return;
	if (basic_type(c)) {
		p->at++;
		puts_(p, basic_type(c));
		p->depth--;
		return;
	}
	if (!c || !strchr("ASTRQPOFDB", c)) {
		path(p, false);
		p->depth--;
		return;
	}
	p->at++;
	switch (c) {
	case 'A':
	case 'S':
		puts_(p, "[");
		type(p);
		if (c == 'A') {
			puts_(p, "; ");
			constant(p, false);
		}
		puts_(p, "]");
		break;
	case 'T':
		puts_(p, "(");
		puts_(p, list(p, type) == 1 ? ",)" : ")");
		break;
	case 'R': reference(p, "&"), type(p); break;
	case 'Q': reference(p, "&"), puts_(p, "mut "), type(p); break;
	case 'P': puts_(p, "*const "), type(p); break;
	case 'O': puts_(p, "*mut "), type(p); break;
	case 'F': function_type(p); break;
	case 'D': dyn_type(p); break;
	default: refer(p, type_again, false);
	}
	p->depth--;
}

char *rust_demangle(const char *name)
{
	struct str out = { 0 };
	struct parser p = { .out = &out };

	if (name[0] != '_' || name[1] != 'R')
		return NULL;
	p.s = name + 2;
	p.n = strcspn(p.s, ".$"); /* a suffix of the linker's */
	path(&p, true);
	if (!p.bad && p.at < p.n) { /* the crate that made the instance */
		p.out = NULL;
		path(&p, false);
	}
	if (p.bad || p.at != p.n || !out.n) {
		str_free(&out);
		return NULL;
	}
	return out.s;
}
