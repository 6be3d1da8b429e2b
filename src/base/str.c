/* SPDX-License-Identifier: BSD-2-Clause */
/* Growing strings and the shell glob of probe descriptions. */
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void str_free(struct str *b)
{
	free(b->s);
	memset(b, 0, sizeof(*b));
}

void str_reserve(struct str *b, size_t more)
{
	size_t need = b->n + more + 1;

	if (b->cap >= need)
		return;
	b->cap = MAX(need, b->cap * 2);
	b->cap = MAX(b->cap, (size_t)32);
	b->s = mem_realloc(b->s, b->cap);
	b->s[b->n] = '\0';
}

void str_add(struct str *b, const char *s, size_t n)
{
	str_reserve(b, n);
	if (n)
		memcpy(b->s + b->n, s, n);
	b->n += n;
	b->s[b->n] = '\0';
}

void str_puts(struct str *b, const char *s)
{
	str_add(b, s, strlen(s));
}

void str_putc(struct str *b, char c)
{
	str_add(b, &c, 1);
}

void str_pad(struct str *b, char c, size_t n)
{
	str_reserve(b, n);
	memset(b->s + b->n, c, n);
	b->n += n;
	b->s[b->n] = '\0';
}

void str_vprintf(struct str *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	str_reserve(b, 64);
	va_copy(again, ap);
	n = vsnprintf(b->s + b->n, b->cap - b->n, fmt, ap);
	if (n >= 0 && (size_t)n >= b->cap - b->n) {
		str_reserve(b, n);
		n = vsnprintf(b->s + b->n, b->cap - b->n, fmt, again);
	}
	va_end(again);
	if (n > 0)
		b->n += n;
	b->s[b->n] = '\0';
}

void str_printf(struct str *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	str_vprintf(b, fmt, ap);
	va_end(ap);
}

const char *str_c(const struct str *b)
{
	return b->s ? b->s : "";
}

/*
 * Matches c against the set at p (just behind '['). Gives the place behind ']', or NULL if
 * there is no ']': then the '[' stands for itself.
 */
static const char *glob_set(const char *p, unsigned char c, bool *hit)
{
	bool negate = *p == '!', found = false;
	const char *first;

	if (negate)
		p++;
	for (first = p; *p && (*p != ']' || p == first); p++) {
		unsigned char lo, hi;

		if (*p == '\\' && p[1])
			p++;
		lo = hi = *p;
		if (p[1] == '-' && p[2] && p[2] != ']') {
			p += 2;
			if (*p == '\\' && p[1])
				p++;
			hi = *p;
		}
		if (c >= lo && c <= hi)
			found = true;
	}
	if (!*p)
		return NULL;
	*hit = found != negate;
	return p + 1;
}

/* Matches one character of s against the pattern element at *pp and steps over the element. */
static bool glob_one(const char **pp, char c)
{
	const char *p = *pp, *after;
	bool hit;

	switch (*p) {
	case '?': *pp = p + 1; return true;
	case '[':
		after = glob_set(p + 1, c, &hit);
		if (after) {
			*pp = after;
			return hit;
		}
		break;
	case '\\':
		if (p[1])
			p++;
		break;
	}
	*pp = p + 1;
	return *p == c;
}

/*
 * On a mismatch only the last '*' need take one more character: time is at worst |pattern| *
 * |s|.
 */
bool glob_match(const char *p, const char *s)
{
	const char *star = NULL, *from = NULL;

	while (*s) {
		if (*p == '*') {
			star = ++p;
			from = s;
		} else if (*p && glob_one(&p, *s)) {
			s++;
		} else if (star) {
			p = star;
			s = ++from;
		} else {
			return false;
		}
	}
	while (*p == '*')
		p++;
	return !*p;
}

bool glob_has(const char *pattern)
{
	return pattern[strcspn(pattern, "*?[\\")] != '\0';
}
