/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executes the formats of printf() and printa(): one function per kind of conversion, chosen by its
 * letter.
 */
#include <locale.h>
#include <string.h>
#include <time.h>

#include "consumer/print_impl.h"

/* A conversion with width and precision settled. */
struct spec {
	const struct format_conv *c;
	unsigned int flags;
	size_t width;
	size_t prec; /* 0: none; a precision of 0 is ignored */
};

/* ---- padding -------------------------------------------------------------------------------- */

static void put_padded(struct str *out, const struct spec *s, const char *text, size_t n)
{
	size_t pad = n < s->width ? s->width - n : 0;

	if (pad && !(s->flags & FMT_LEFT))
		str_pad(out, ' ', pad);
	str_add(out, text, n);
	if (pad && (s->flags & FMT_LEFT))
		str_pad(out, ' ', pad);
}

/* Pads what was appended from `from` on. */
static void pad_since(struct str *out, const struct spec *s, size_t from)
{
	size_t n = out->n - from, pad = n < s->width ? s->width - n : 0;

	if (!pad)
		return;
	str_pad(out, ' ', pad);
	if (!(s->flags & FMT_LEFT)) {
		memmove(out->s + from + pad, out->s + from, n);
		memset(out->s + from, ' ', pad);
	}
}

/* ---- integers ------------------------------------------------------------------------------- */

static uint64_t raw_value(const struct print_value *v, uint32_t *size)
{
	uint64_t x = v->value;

	*size = 8;
	if (v->kind == FIELD_INT)
		*size = v->size;
	else if (v->kind == FIELD_BYTES || v->kind == FIELD_STRING) {
		x = 0;
		memcpy(&x, v->data, v->size < 8 ? v->size : 8);
	}
	return x;
}

/* Puts the separators of the locale between groups of three. */
static char *group_digits(char *p, char *end, char *room)
{
	const char *sep = localeconv()->thousands_sep;
	size_t n = sep ? strlen(sep) : 0, i = 0;
	char *to = room;

	if (!n || n > 4)
		return p;
	while (end > p) {
		if (i && i % 3 == 0) {
			to -= n;
			memcpy(to, sep, n);
		}
		*--to = *--end;
		i++;
	}
	return to;
}

static void put_number(struct str *out, const struct spec *s, const char *sign, const char *digits,
		       size_t n)
{
	size_t sign_len = strlen(sign), zeros = n < s->prec ? s->prec - n : 0, all, pad;

	if ((s->flags & FMT_ZERO) && !(s->flags & FMT_LEFT) && !s->prec && sign_len + n < s->width)
		zeros = s->width - sign_len - n;
	all = sign_len + zeros + n;
	pad = all < s->width ? s->width - all : 0;
	if (pad && !(s->flags & FMT_LEFT))
		str_pad(out, ' ', pad);
	str_add(out, sign, sign_len);
	if (zeros)
		str_pad(out, '0', zeros);
	str_add(out, digits, n);
	if (pad && (s->flags & FMT_LEFT))
		str_pad(out, ' ', pad);
}

static void conv_decimal(struct print *p, const struct spec *s, const struct print_value *v)
{
	char buf[32], room[192], *end = buf + sizeof(buf), *d;
	const char *sign = "";
	uint32_t size;
	uint64_t x = raw_value(v, &size);
	bool is_signed = s->c->conv != 'u' && (v->is_signed || s->c->name[1]);

	x = print_extend(x, size, is_signed);
	if (is_signed && (int64_t)x < 0) {
		sign = "-";
		x = -x;
	} else if (is_signed && (s->flags & FMT_PLUS)) {
		sign = "+";
	} else if (is_signed && (s->flags & FMT_SPACE)) {
		sign = " ";
	}
	d = print_digits(end, x);
	if (s->flags & FMT_GROUP) {
		char *g = group_digits(d, end, room + sizeof(room));

		if (g != d) {
			put_number(p->out, s, sign, g, (size_t)(room + sizeof(room) - g));
			return;
		}
	}
	put_number(p->out, s, sign, d, (size_t)(end - d));
}

static void conv_radix(struct print *p, const struct spec *s, const struct print_value *v)
{
	const char *set = s->c->conv == 'X' ? "0123456789ABCDEF" : "0123456789abcdef", *sign = "";
	unsigned int shift = s->c->conv == 'o' ? 3 : 4;
	char buf[32], *end = buf + sizeof(buf), *d = end;
	uint32_t size;
	uint64_t x = raw_value(v, &size), rest;

	x = print_extend(x, size, false);
	rest = x;
	do {
		*--d = set[rest & ((1u << shift) - 1)];
		rest >>= shift;
	} while (rest);
	if ((s->flags & FMT_ALT) && x) {
		if (shift == 3)
			*--d = '0';
		else
			sign = s->c->conv == 'X' ? "0X" : "0x";
	}
	put_number(p->out, s, sign, d, (size_t)(end - d));
}

/* ---- characters and strings ----------------------------------------------------------------- */

static void put_utf8(struct str *out, uint32_t c)
{
	if (c < 0x80) {
		str_putc(out, (char)c);
	} else if (c < 0x800) {
		str_putc(out, (char)(0xc0 | c >> 6));
		str_putc(out, (char)(0x80 | (c & 63)));
	} else if (c < 0x10000) {
		str_putc(out, (char)(0xe0 | c >> 12));
		str_putc(out, (char)(0x80 | (c >> 6 & 63)));
		str_putc(out, (char)(0x80 | (c & 63)));
	} else if (c < 0x110000) {
		str_putc(out, (char)(0xf0 | c >> 18));
		str_putc(out, (char)(0x80 | (c >> 12 & 63)));
		str_putc(out, (char)(0x80 | (c >> 6 & 63)));
		str_putc(out, (char)(0x80 | (c & 63)));
	} else {
		str_putc(out, '?');
	}
}

/* A character that cannot be printed becomes its C escape. */
static void put_escaped(struct str *out, unsigned char c)
{
	static const char plain[] = "\a\b\f\n\r\t\v\\", letter[] = "abfnrtv\\";
	const char *at = c ? strchr(plain, c) : NULL;

	if (at) {
		str_putc(out, '\\');
		str_putc(out, letter[at - plain]);
	} else if (c >= ' ' && c <= '~') {
		str_putc(out, (char)c);
	} else {
		str_printf(out, "\\%03o", c);
	}
}

static void conv_char(struct print *p, const struct spec *s, const struct print_value *v)
{
	size_t from = p->out->n;
	uint32_t size;
	uint64_t x = raw_value(v, &size);

	if (s->c->conv == 'C')
		put_escaped(p->out, (unsigned char)x);
	else if (s->c->name[1]) /* lc, wc */
		put_utf8(p->out, (uint32_t)x);
	else
		str_putc(p->out, (char)x);
	pad_since(p->out, s, from);
}

static void conv_string(struct print *p, const struct spec *s, const struct print_value *v)
{
	size_t n = v->size, from = p->out->n, i;
	const char *text = v->data;

	if (v->kind == FIELD_INT || !text) {
		conv_radix(p, s, v); /* cannot be: refused by the compiler */
		return;
	}
	if (v->kind == FIELD_SYM || v->kind == FIELD_USYM)
		n = 0;
	n = strnlen(text, n);
	if (s->prec && s->prec < n)
		n = s->prec;
	if (s->c->conv == 's') {
		put_padded(p->out, s, text, n);
		return;
	}
	for (i = 0; i < n; i++)
		put_escaped(p->out, (unsigned char)text[i]);
	pad_since(p->out, s, from);
}

static void conv_wide(struct print *p, const struct spec *s, const struct print_value *v)
{
	size_t from = p->out->n, i;
	uint32_t c;

	for (i = 0; v->data && i + 4 <= v->size && (!s->prec || i / 4 < s->prec); i += 4) {
		memcpy(&c, (const char *)v->data + i, 4);
		if (!c)
			break;
		put_utf8(p->out, c);
	}
	pad_since(p->out, s, from);
}

/* ---- the rest ------------------------------------------------------------------------------- */

static void conv_float(struct print *p, const struct spec *s, const struct print_value *v)
{
	char fmt[16], text[512];
	long double x = 0;
	double d;
	float f;
	int n;

	if (v->kind == FIELD_BYTES && v->size == sizeof(x)) {
		memcpy(&x, v->data, sizeof(x));
	} else if (v->size == sizeof(f)) {
		memcpy(&f, v->kind == FIELD_INT ? (const void *)&v->value : v->data, sizeof(f));
		x = f;
	} else if (v->kind == FIELD_INT || v->size >= sizeof(d)) {
		memcpy(&d, v->kind == FIELD_INT ? (const void *)&v->value : v->data, sizeof(d));
		x = d;
	}
	snprintf(fmt, sizeof(fmt), "%%%s%s%s%s%s*.*L%c", s->flags & FMT_ALT ? "#" : "",
		 s->flags & FMT_ZERO ? "0" : "", s->flags & FMT_LEFT ? "-" : "",
		 s->flags & FMT_PLUS ? "+" : "", s->flags & FMT_SPACE ? " " : "", s->c->conv);
	n = snprintf(text, sizeof(text), fmt, (int)(s->width < 256 ? s->width : 256),
		     s->prec ? (int)(s->prec < 200 ? s->prec : 200) : -1, x);
	if (n > 0)
		str_add(p->out, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

static void conv_time(struct print *p, const struct spec *s, const struct print_value *v)
{
	char text[96];
	time_t t = (time_t)(v->value / 1000000000);
	struct tm tm;
	size_t n;

	localtime_r(&t, &tm);
	n = strftime(text, sizeof(text), s->c->conv == 'Y' ? "%Y %b %e %T" : "%a, %d %b %G %T %Z",
		     &tm);
	put_padded(p->out, s, text, n);
}

static void conv_address(struct print *p, const struct spec *s, const struct print_value *v)
{
	size_t from = p->out->n;

	if (v->kind == FIELD_SYM || v->kind == FIELD_USYM)
		print_symbol(p, v);
	else
		print_address(p, s->c->conv == 'A', v->pid, v->value, true);
	pad_since(p->out, s, from);
}

static void conv_stack(struct print *p, const struct spec *s, const struct print_value *v)
{
	if (v->kind == FIELD_STACK || v->kind == FIELD_USTACK)
		print_value_stack(p, v, s->flags & FMT_LEFT ? (int)s->width : 0);
}

/* An IPv4 address in network order. */
static void conv_inet(struct print *p, const struct spec *s, const struct print_value *v)
{
	unsigned char b[4];
	char text[32];
	uint32_t x = (uint32_t)v->value;
	int n;

	memcpy(b, &x, sizeof(b));
	n = snprintf(text, sizeof(text), "%u.%u.%u.%u", b[0], b[1], b[2], b[3]);
	put_padded(p->out, s, text, (size_t)n);
}

static void conv_value(struct print *p, const struct spec *s, const struct print_value *v)
{
	switch (s->c->conv) {
	case 'd':
	case 'i':
	case 'u':
	case 'P': conv_decimal(p, s, v); break;
	case 'o':
	case 'x':
	case 'X':
	case 'p': conv_radix(p, s, v); break;
	case 'c':
	case 'C': conv_char(p, s, v); break;
	case 's':
		if (s->c->name[1]) { /* ls, ws */
			conv_wide(p, s, v);
			break;
		}
		/* fall through */
	case 'S': conv_string(p, s, v); break;
	case 'e':
	case 'E':
	case 'f':
	case 'g':
	case 'G': conv_float(p, s, v); break;
	case 'T':
	case 'Y': conv_time(p, s, v); break;
	case 'a':
	case 'A': conv_address(p, s, v); break;
	case 'k': conv_stack(p, s, v); break;
	case 'I': conv_inet(p, s, v); break;
	default: break;
	}
}

/* ---- execution ------------------------------------------------------------------------------ */

/* The arguments, taken from left to right: width, precision, value. */
struct cursor {
	const struct print_value *v;
	size_t n, next;
};

static const struct print_value *take(struct cursor *c)
{
	static const struct print_value none = { .kind = FIELD_INT, .size = 8 };

	return c->next < c->n ? &c->v[c->next++] : &none;
}

#define WIDTH_MAX (1 << 20) /* of a `*` argument: a wild value must not take all memory */

static void spec_make(struct spec *s, const struct format_conv *c, struct cursor *args)
{
	int64_t n;

	s->c = c;
	s->flags = c->flags;
	s->width = c->width > 0 ? (size_t)MIN(c->width, WIDTH_MAX) : 0;
	s->prec = c->prec > 0 ? (size_t)MIN(c->prec, WIDTH_MAX) : 0;
	if (c->flags & FMT_DYNWIDTH) {
		n = (int)take(args)->value;
		if (n < 0)
			s->flags |= FMT_LEFT;
		n = n < 0 ? -n : n;
		s->width = (size_t)MIN(n, WIDTH_MAX);
	}
	if (c->flags & FMT_DYNPREC) {
		n = (int)take(args)->value;
		s->prec = n > 0 ? (size_t)MIN(n, WIDTH_MAX) : 0;
	}
}

void print_format(struct print *p, const struct format *f, const struct print_value *args,
		  size_t nargs)
{
	struct cursor cur = { args, nargs, 0 };
	struct spec s;
	size_t i;

	for (i = 0; i < f->n; i++) {
		const struct format_conv *c = &f->v[i];

		if (c->lit_len)
			str_add(p->out, c->lit, c->lit_len);
		if (!c->conv)
			continue;
		spec_make(&s, c, &cur);
		conv_value(p, &s, take(&cur));
	}
}

static void put_agg(struct print *p, const struct spec *s, const struct print_agg *a)
{
	struct print_value v = { .kind = FIELD_INT,
				 .size = 8,
				 .is_signed = a->desc->func != FN_stddev };

	if (agg_is_distribution(a->desc)) {
		agg_value_draw(p->out, a->desc, a->value, a->normal, &p->opt->agg_style);
		return;
	}
	v.value = a->value ? (uint64_t)agg_value_number(a->desc, a->value, a->normal) : 0;
	conv_value(p, s, &v);
}

void print_format_agg(struct print *p, const struct format *f, const struct print_value *keys,
		      size_t nkeys, const struct print_agg *aggs, size_t naggs)
{
	struct cursor cur = { keys, nkeys, 0 };
	size_t which = 0, i;
	struct spec s;

	for (i = 0; i < f->n; i++) {
		const struct format_conv *c = &f->v[i];

		if (c->lit_len)
			str_add(p->out, c->lit, c->lit_len);
		if (!c->conv)
			continue;
		spec_make(&s, c, &cur);
		if (!(c->flags & FMT_AGG)) {
			conv_value(p, &s, take(&cur));
		} else if (naggs) {
			put_agg(p, &s, &aggs[which]);
			which += which + 1 < naggs;
		}
	}
}
