/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Formats of printf, printa, system and freopen: parsing, and checking of the arguments against the
 * conversions. Which conversion takes what is one table.
 */
#include "lang/format.h"

#include <limits.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "lang/check_impl.h"

/* What a conversion takes. */
enum takes {
	TAKES_INT,   /* any integer */
	TAKES_CTYPE, /* an integer compatible with the C type named */
	TAKES_CHAR,  /* integer of at most 32 bits */
	TAKES_FLOAT,
	TAKES_ADDR,  /* pointer or integer */
	TAKES_UADDR, /* the same, or a _usymaddr */
	TAKES_STRING,
	TAKES_WSTRING,
	TAKES_STACK,
	TAKES_TIME, /* 64-bit integer */
	TAKES_PORT,
	TAKES_SYM, /* values of sym() and the like, printed with %a */
};

#define P_INT "char, short, int, long, or long long"
#define P_STRING "char [] or string (or use stringof)"
#define P_FLOAT "float, double, or long double"
#define P_ADDR "pointer or integer"

static const struct convrow {
	const char *name;
	enum takes takes;
	const char *proto;
} rows[] = {
	{ "a", TAKES_ADDR, P_ADDR },
	{ "A", TAKES_UADDR, "pointer or integer (with -p/-c) or _usymaddr (without -p/-c)" },
	{ "c", TAKES_CHAR, "char, short, or int" },
	{ "C", TAKES_CHAR, "char, short, or int" },
	{ "d", TAKES_INT, P_INT },
	{ "e", TAKES_FLOAT, P_FLOAT },
	{ "E", TAKES_FLOAT, P_FLOAT },
	{ "f", TAKES_FLOAT, P_FLOAT },
	{ "g", TAKES_FLOAT, P_FLOAT },
	{ "G", TAKES_FLOAT, P_FLOAT },
	{ "hd", TAKES_CTYPE, "short" },
	{ "hi", TAKES_CTYPE, "short" },
	{ "ho", TAKES_CTYPE, "unsigned short" },
	{ "hu", TAKES_CTYPE, "unsigned short" },
	{ "hx", TAKES_CTYPE, "short" },
	{ "hX", TAKES_CTYPE, "short" },
	{ "i", TAKES_INT, P_INT },
	{ "I", TAKES_ADDR, P_ADDR },
	{ "k", TAKES_STACK, "stack" },
	{ "lc", TAKES_CTYPE, "int" },
	{ "ld", TAKES_CTYPE, "long" },
	{ "li", TAKES_CTYPE, "long" },
	{ "lo", TAKES_CTYPE, "unsigned long" },
	{ "lu", TAKES_CTYPE, "unsigned long" },
	{ "ls", TAKES_WSTRING, "wchar_t []" },
	{ "lx", TAKES_CTYPE, "long" },
	{ "lX", TAKES_CTYPE, "long" },
	{ "lld", TAKES_CTYPE, "long long" },
	{ "lli", TAKES_CTYPE, "long long" },
	{ "llo", TAKES_CTYPE, "unsigned long long" },
	{ "llu", TAKES_CTYPE, "unsigned long long" },
	{ "llx", TAKES_CTYPE, "long long" },
	{ "llX", TAKES_CTYPE, "long long" },
	{ "Le", TAKES_FLOAT, "long double" },
	{ "LE", TAKES_FLOAT, "long double" },
	{ "Lf", TAKES_FLOAT, "long double" },
	{ "Lg", TAKES_FLOAT, "long double" },
	{ "LG", TAKES_FLOAT, "long double" },
	{ "o", TAKES_INT, P_INT },
	{ "p", TAKES_ADDR, P_ADDR },
	{ "P", TAKES_PORT, "uint16_t" },
	{ "s", TAKES_STRING, P_STRING },
	{ "S", TAKES_STRING, P_STRING },
	{ "T", TAKES_TIME, "int64_t" },
	{ "u", TAKES_INT, P_INT },
	{ "wc", TAKES_CTYPE, "int" },
	{ "ws", TAKES_WSTRING, "wchar_t []" },
	{ "x", TAKES_INT, P_INT },
	{ "X", TAKES_INT, P_INT },
	{ "Y", TAKES_TIME, "int64_t" },
};

static const struct convrow *row_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

/* ---- parsing ------------------------------------------------------------------------------ */

struct fparse {
	struct diag *d;
	struct srcloc loc;
	const char *p, *end;
	unsigned int n; /* of the conversion under way, from 1 */
};

static int ferror_at(struct fparse *fp, const char *what)
{
	return diag_error(fp->d, "D_SYNTAX", fp->loc, "format conversion #%u %s", fp->n, what);
}

/* A number; what does not fit an int is as good as the largest one. */
static int number(struct fparse *fp)
{
	long v = 0;

	while (fp->p < fp->end && *fp->p >= '0' && *fp->p <= '9') {
		if (v < INT_MAX / 10 - 1)
			v = v * 10 + (*fp->p - '0');
		fp->p++;
	}
	return v;
}

/* Flags, width and precision, in the order they come; a digit 1-9 starts the width. */
static int modifiers(struct fparse *fp, struct format_conv *c)
{
	bool dot = false;

	for (; fp->p < fp->end; fp->p++) {
		switch (*fp->p) {
		case '#': c->flags |= FMT_ALT; break;
		case '0':
			if (dot) {
				c->prec = number(fp);
				fp->p--;
			} else {
				c->flags |= FMT_ZERO;
			}
			break;
		case '1':
		case '2':
		case '3':
		case '4':
		case '5':
		case '6':
		case '7':
		case '8':
		case '9':
			if (dot)
				c->prec = number(fp);
			else
				c->width = number(fp);
			if (fp->p < fp->end && *fp->p == '$')
				return ferror_at(fp, "uses unsupported positional format (%n$)");
			fp->p--;
			break;
		case '-': c->flags |= FMT_LEFT; break;
		case '+': c->flags |= FMT_PLUS; break;
		case ' ': c->flags |= FMT_SPACE; break;
		case '\'': c->flags |= FMT_GROUP; break;
		case '?':
			c->flags |= FMT_PTRWIDTH;
			c->width = 16;
			break;
		case '@': c->flags |= FMT_AGG; break;
		case '*':
			if (c->flags & (dot ? FMT_DYNPREC : FMT_DYNWIDTH))
				return ferror_at(fp, dot ? "has more than one '*' specified for "
							   "the output precision"
							 : "has more than one '*' specified for "
							   "the output width");
			c->flags |= dot ? FMT_DYNPREC : FMT_DYNWIDTH;
			break;
		case '.':
			if (dot)
				return ferror_at(fp, "has more than one '.' specified");
			dot = true;
			break;
		default: return 0;
		}
	}
	return 0;
}

/* The conversion's name: size prefixes, then the letter. */
static int name(struct fparse *fp, struct format_conv *c)
{
	const char *start = fp->p, *shown;
	size_t n;

	while (fp->p < fp->end && strchr("hlLw", *fp->p) && *fp->p)
		fp->p++;
	if (fp->p == fp->end)
		return ferror_at(fp, "name expected before end of format string");
	n = ++fp->p - start;
	if (n < sizeof(c->name)) {
		memcpy(c->name, start, n);
		c->name[n] = 0;
		if (row_find(c->name)) {
			c->conv = c->name[n - 1];
			return 0;
		}
	}
	shown = *start ? start : " ";
	return diag_error(fp->d, "D_SYNTAX", fp->loc, "format conversion #%u is undefined: %%%.*s",
			  fp->n, (int)MIN(n, (size_t)32), shown);
}

static int conversion(struct fparse *fp, struct format_conv *c)
{
	const char *start = fp->p;

	if (modifiers(fp, c))
		return -1;
	if (fp->p == fp->end)
		return ferror_at(fp, "name expected before end of format string");
	if (*fp->p == '%' && fp->p != start)
		return ferror_at(fp, "cannot be combined with other format flags: %%");
	return name(fp, c);
}

struct format *format_parse(struct arena *a, struct diag *d, struct srcloc loc, const char *func,
			    const char *text, size_t len)
{
	struct fparse fp = { .d = d, .loc = loc, .p = text, .end = text + len };
	VEC(struct format_conv) v = { 0 };
	struct format *f = NULL;
	struct str lit = { 0 };

	if (!len) {
		diag_error(d, "D_PRINTF_FMT_EMPTY", loc, "%s( ) format string is empty", func);
		return NULL;
	}
	for (;;) {
		struct format_conv c = { .width = -1, .prec = -1, .arg = -1 };
		bool literal;

		while (fp.p < fp.end && *fp.p != '%')
			str_putc(&lit, *fp.p++);
		literal = fp.p + 1 < fp.end && fp.p[1] == '%';
		if (literal) {
			str_putc(&lit, '%');
			fp.p += 2;
			continue;
		}
		c.lit = arena_strndup(a, str_c(&lit), lit.n);
		c.lit_len = lit.n;
		str_free(&lit);
		if (fp.p == fp.end) {
			vec_push(&v, c);
			break;
		}
		fp.p++;
		fp.n++;
		if (conversion(&fp, &c))
			goto out;
		vec_push(&v, c);
	}
	f = arena_new(a, struct format);
	f->n = v.n;
	f->v = arena_alloc(a, v.n * sizeof(*f->v));
	memcpy(f->v, v.v, v.n * sizeof(*f->v));
out:
	vec_free(&v);
	str_free(&lit);
	return f;
}

/* ---- checking ----------------------------------------------------------------------------- */

static bool char_array(struct type *t)
{
	return type_is_string_like(t);
}

static bool accepts(struct types *ts, const struct convrow *row, char conv, struct type *t)
{
	struct type *r = type_resolve(t), *want;

	switch (row->takes) {
	case TAKES_INT: return type_is_integer(r);
	case TAKES_CHAR: return type_is_integer(r) && r->size <= 4;
	case TAKES_CTYPE:
		want = type_resolve(type_builtin(ts, row->proto));
		if (!type_is_integer(r) || r->size != want->size)
			return false;
		return conv == 'x' || conv == 'X' || r->kind == TYPE_ENUM ||
		       r->is_signed == want->is_signed;
	case TAKES_FLOAT: return r->kind == TYPE_FLOAT && (row->name[0] != 'L' || r->size == 16);
	case TAKES_UADDR:
		return r->kind == TYPE_USYMADDR || r->kind == TYPE_POINTER ||
		       r->kind == TYPE_ARRAY || type_is_integer(r);
	case TAKES_ADDR:
		return r->kind == TYPE_POINTER || r->kind == TYPE_ARRAY || type_is_integer(r) ||
		       r->kind == TYPE_SYMADDR;
	case TAKES_STRING: return char_array(r);
	case TAKES_WSTRING:
		return r->kind == TYPE_ARRAY && type_is_integer(r->ref) &&
		       type_resolve(r->ref)->size == 4;
	case TAKES_STACK: return r->kind == TYPE_STACK;
	case TAKES_TIME: return type_is_integer(r) && r->size == 8;
	case TAKES_PORT: return type_is_integer(r) && r->size <= 4;
	default: return false;
	}
}

struct fcheck {
	struct types *ts;
	struct diag *d;
	const char *func;
	const struct node_list *args;
	size_t next; /* argument to take */
};

/* Takes a width or precision argument. */
static int take_dyn(struct fcheck *fc, const struct format_conv *c, int n, const char *star)
{
	struct node *arg;

	if (fc->next >= fc->args->n)
		return diag_error(fc->d, "D_PRINTF_DYN_PROTO", fc->args->v[0]->loc,
				  "%s( ) prototype mismatch: conversion #%d (%%%s) is missing a "
				  "corresponding \"%s\" "
				  "argument",
				  fc->func, n, c->name, star);
	arg = fc->args->v[fc->next++];
	if (type_is_integer(arg->type))
		return 0;
	return diag_error(fc->d, "D_PRINTF_DYN_TYPE", arg->loc,
			  "%s( ) argument #%zu is incompatible with conversion #%d prototype:\n"
			  "\tconversion: %% %s %s\n\t prototype: int\n\t  argument: %s",
			  fc->func, fc->next, n, star, c->name, check_type_name(fc->ts, arg));
}

static int take_value(struct fcheck *fc, const struct format_conv *c, int n, bool is_printa)
{
	const struct convrow *row = row_find(c->name);
	struct node *arg;

	if (c->flags & FMT_AGG) {
		if (is_printa)
			return 0;
		return diag_error(
			fc->d, "D_PRINTF_AGG_CONV", fc->args->v[0]->loc,
			"%%@ conversion requires an aggregation and is not for use with %s( )",
			fc->func);
	}
	if (fc->next >= fc->args->n)
		return diag_error(fc->d, "D_PRINTF_ARG_PROTO", fc->args->v[0]->loc,
				  "%s( ) prototype mismatch: conversion #%d (%%%s) is missing a "
				  "corresponding value "
				  "argument",
				  fc->func, n, c->name);
	arg = fc->args->v[fc->next++];
	if (accepts(fc->ts, row, c->conv, arg->type))
		return 0;
	return diag_error(fc->d, "D_PRINTF_ARG_TYPE", arg->loc,
			  "%s( ) argument #%zu is incompatible with conversion #%d prototype:\n"
			  "\tconversion: %%%s\n\t prototype: %s\n\t  argument: %s",
			  fc->func, fc->next, n, c->name, row->proto, check_type_name(fc->ts, arg));
}

int format_check(struct types *ts, struct format *f, struct diag *d, const char *func,
		 const struct node_list *args, size_t first_arg, bool is_printa)
{
	struct fcheck fc = { .ts = ts, .d = d, .func = func, .args = args, .next = first_arg };

	for (size_t i = 0; i < f->n; i++) {
		struct format_conv *c = &f->v[i];
		int n = (int)i + 1;
		size_t before = fc.next;

		if (!c->conv)
			continue;
		if ((c->flags & FMT_DYNWIDTH) && take_dyn(&fc, c, n, "*"))
			return -1;
		if ((c->flags & FMT_DYNPREC) && take_dyn(&fc, c, n, ".*"))
			return -1;
		if (take_value(&fc, c, n, is_printa))
			return -1;
		c->arg = fc.next > before ? (int)before : -1;
	}
	f->nargs = fc.next - first_arg;
	if (!is_printa && fc.next < args->n)
		return diag_error(d, "D_PRINTF_ARG_EXTRA", args->v[0]->loc,
				  "%s( ) prototype mismatch: only %zu arguments required by this "
				  "format string",
				  func, f->nargs);
	return 0;
}

int format_check_agg(struct types *ts, const struct format_conv *c, int n, struct diag *d,
		     struct srcloc loc, size_t argument)
{
	const struct convrow *row = row_find(c->name);
	struct type *t = type_int64(ts);
	bool ok = row->takes == TAKES_CTYPE ? type_resolve(type_builtin(ts, row->proto))->size == 8
					    : accepts(ts, row, c->conv, t);

	if (ok)
		return 0;
	return diag_error(d, "D_PRINTF_ARG_TYPE", loc,
			  "printa( ) argument #%zu is incompatible with conversion #%d prototype:\n"
			  "\tconversion: %%%s\n\t prototype: %s\n\t  argument: %s",
			  argument, n, c->name, row->proto, type_name(ts, t));
}
