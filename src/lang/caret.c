/* SPDX-License-Identifier: BSD-2-Clause */
/* The line of an error, with a caret below the place (-x caret). */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "lang/lang.h"

#define SHOWN_MAX 120	/* bytes of a line */
#define SHOWN_BEFORE 60 /* of them before the place, in a longer line */

static bool continues_char(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static bool is_control(char c)
{
	return iscntrl((unsigned char)c) && c != '\t';
}

/* Within the line: from the first byte that is shown, of `n` bytes. */
static void put_line(struct str *out, const char *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		str_putc(out, is_control(from[i]) ? '?' : from[i]);
}

/* As wide as what stands above it. */
static void put_blanks(struct str *out, const char *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!continues_char(from[i]))
			str_putc(out, from[i] == '\t' ? '\t' : ' ');
}

static void show(struct str *out, const char *line, size_t n, size_t at)
{
	size_t from = n > SHOWN_MAX && at > SHOWN_BEFORE ? at - SHOWN_BEFORE : 0;
	size_t len = n - from > SHOWN_MAX ? SHOWN_MAX : n - from;
	const char *dots = from ? "..." : "";

	while (from && from < at && continues_char(line[from]))
		from++, len--;
	while (len && from + len < n && continues_char(line[from + len]))
		len--;
	str_printf(out, "\t%s", dots);
	put_line(out, line + from, len);
	str_printf(out, "%s\n\t%*s", from + len < n ? "..." : "", (int)strlen(dots), "");
	put_blanks(out, line + from, at - from);
	str_putc(out, '^');
}

void lang_diag_show(struct diag *d, const struct dsession *s, const struct lang_source *src)
{
	size_t at = d->loc.pos - 1, from, to;
	struct str out = { 0 };

	if (!s->opt.caret || d->shown || !d->loc.pos || !src->id || d->loc.source != src->id ||
	    at > src->len)
		return;
	/* An end of the text is shown behind the last thing that is there. */
	if (at == src->len)
		while (at && isspace((unsigned char)src->text[at - 1]))
			at--;
	for (from = at; from && src->text[from - 1] != '\n'; from--)
		;
	for (to = at; to < src->len && src->text[to] != '\n'; to++)
		;
	show(&out, src->text + from, to - from, at - from);
	d->shown = mem_strdup(str_c(&out));
	str_free(&out);
}
