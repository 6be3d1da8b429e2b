/* SPDX-License-Identifier: BSD-2-Clause */
/* A growing byte string, always NUL-terminated; and small helpers on C strings. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct str {
	char *s; /* NULL until something is added */
	size_t n;
	size_t cap;
};

void str_free(struct str *b);
void str_reserve(struct str *b, size_t more); /* room for `more` bytes and the NUL */
void str_add(struct str *b, const char *s, size_t n);
void str_puts(struct str *b, const char *s);
void str_putc(struct str *b, char c);
void str_pad(struct str *b, char c, size_t n);
void str_printf(struct str *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void str_vprintf(struct str *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
const char *str_c(const struct str *b); /* "" when empty */

/* Shell glob of probe descriptions: * ? [set] [!set] and \. */
bool glob_match(const char *pattern, const char *s);
bool glob_has(const char *pattern); /* does it hold a glob character? */

#endif
