/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What cpp brings in from C headers: D takes types, enumerators and variables from them. Prototypes, functions and
 * the extensions of compilers mean nothing to D, and are blanked here, so that lines keep their numbers.
 *
 * The text of the script itself (include depth 0) stays as it is. A file that is included may hold D as well: what
 * is not surely C stays, too, and the parser has its say.
 */
#include "lib/impl.h"

#include <ctype.h>
#include <string.h>

/* From the end of one declaration to the end of the next, or of the braces in it. */
struct unit {
	char *start;
	int paren, brace;
	char last;	/* the last character that counts: 'a' for a word */
	bool is_extern; /* its first word is "extern" */
	bool is_typedef, has_value;
	bool is_prototype, is_function; /* so far */
	bool foreign;			/* it names a type that D does not have */
};

struct header {
	char *at, *end;
	int depth; /* of inclusion; 0: the script */
	struct unit u;
};

/* Words that say nothing to D. */
static const char *const noise[] = { "__const",	   "__const__",	   "__extension__", "__inline",
				     "__inline__", "__restrict",   "__restrict__",  "__signed",
				     "__signed__", "__thread",	   "__volatile",    "__volatile__",
				     "_Noreturn",  "_Thread_local" };
/* They have parentheses behind them. */
static const char *const noise_call[] = { "__attribute", "__attribute__",  "__asm",   "__asm__",
					  "asm",	 "_Static_assert", "_Alignas" };
static const char *const foreign[] = { "__int128", "__int128_t",  "__uint128_t",
				       "_Complex", "__complex__", "_Float128" };
static const char *const types[] = { "char",  "double",	  "enum",   "float",  "int",
				     "long",  "short",	  "signed", "string", "struct",
				     "union", "unsigned", "void" };

/* What D has another word for, not a longer one. */
static const struct {
	const char *word, *d;
} others[] = { { "__builtin_va_list", "void *" },
	       { "__alignof__", "sizeof" }, /* right for scalars, of which headers ask it */
	       { "__alignof", "sizeof" },
	       { "_Alignof", "sizeof" } };

static bool is_one_of(const char *const *list, size_t n, const char *word, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(list[i]) == len && !memcmp(list[i], word, len))
			return true;
	return false;
}
#define IS_ONE_OF(list, word, len) is_one_of(list, ARRAY_SIZE(list), word, len)

static bool is_word(const char *word, size_t len, const char *is)
{
	return strlen(is) == len && !memcmp(word, is, len);
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '`';
}

/* Blanks a part, but for its lines and for what cpp says of them. */
static void blank(char *from, const char *to)
{
	bool control = false;

	for (char *p = from; p < to; p++) {
		if (*p == '#' && p[-1] == '\n')
			control = true;
		if (*p == '\n')
			control = false;
		else if (!control)
			*p = ' ';
	}
}

static void unit_begin(struct header *h)
{
	h->u = (struct unit){ .start = h->at };
}

/* # NUMBER "FILE" FLAGS: 1 begins a file, 2 comes back to one. */
static void control_line(struct header *h)
{
	char *eol = memchr(h->at, '\n', (size_t)(h->end - h->at)), *p;

	if (!eol)
		eol = h->end;
	p = eol;
	while (p > h->at && p[-1] != '"')
		p--;
	if (p > h->at && h->at[1] == ' ' && isdigit((unsigned char)h->at[2])) {
		for (; p < eol; p++)
			if (*p == '1')
				h->depth++;
			else if (*p == '2' && h->depth)
				h->depth--;
	}
	h->at = eol;
	if (!h->depth || !h->u.start)
		unit_begin(h);
}

static char *skip_space(const struct header *h, char *p)
{
	while (p < h->end && isspace((unsigned char)*p))
		p++;
	return p;
}

static char *skip_quoted(const struct header *h, char *p)
{
	char quote = *p++;

	while (p < h->end && *p != quote && *p != '\n')
		p += *p == '\\' && p + 1 < h->end ? 2 : 1;
	return p < h->end && *p == quote ? p + 1 : p;
}

/* Behind the parentheses that begin at p; p itself if none do. */
static char *skip_parens(const struct header *h, char *p)
{
	char *q = p;
	int depth = 0;

	if (q == h->end || *q != '(')
		return p;
	while (q < h->end) {
		if (*q == '"' || *q == '\'') {
			q = skip_quoted(h, q);
			continue;
		}
		if (*q == '(')
			depth++;
		if (*q++ == ')' && --depth == 0)
			return q;
	}
	return p;
}

/* Does "word (" begin the parameters of a function? Not in "int (*p)(void)". */
static bool begins_parameters(const struct header *h, const char *word, size_t len, char *next)
{
	if (h->u.paren || h->u.brace || next == h->end || *next != '(')
		return false;
	next = skip_space(h, next + 1);
	return !IS_ONE_OF(types, word, len) && next < h->end && *next != '*';
}

/* Behind "struct { } name;", which has no members: what a macro of the kernel puts before "type name[]". */
static char *skip_empty(const struct header *h, char *p)
{
	p = skip_space(h, p);
	if (p == h->end || *p != '{')
		return NULL;
	p = skip_space(h, p + 1);
	if (p == h->end || *p != '}')
		return NULL;
	p = skip_space(h, p + 1);
	while (p < h->end && in_word(*p))
		p++;
	p = skip_space(h, p);
	return p < h->end && *p == ';' ? p + 1 : NULL;
}

static void take_word(struct header *h)
{
	struct unit *u = &h->u;
	char *word = h->at, *next;
	size_t len;

	while (h->at < h->end && in_word(*h->at))
		h->at++;
	len = (size_t)(h->at - word);
	next = skip_space(h, h->at);
	if (IS_ONE_OF(noise, word, len)) {
		memset(word, ' ', len);
		return;
	}
	if (IS_ONE_OF(noise_call, word, len) && next < h->end && *next == '(') {
		h->at = skip_parens(h, next);
		u->is_prototype |= is_word(word, len, "_Static_assert"); /* its ; goes, too */
		blank(word, h->at);
		return;
	}
	if (is_word(word, len, "struct") && (next = skip_empty(h, h->at)) != NULL) {
		h->at = next;
		blank(word, h->at);
		return;
	}
	next = skip_space(h, h->at);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (is_word(word, len, others[i].word)) {
			memset(word, ' ', len);
			memcpy(word, others[i].d, strlen(others[i].d));
		}
	if (!u->last)
		u->is_extern = is_word(word, len, "extern");
	u->is_typedef |= is_word(word, len, "typedef");
	u->foreign |= IS_ONE_OF(foreign, word, len);
	u->is_prototype |= begins_parameters(h, word, len, next);
	u->last = 'a';
}

static void take_brace(struct header *h, char c)
{
	struct unit *u = &h->u;

	if (c == '{') {
		u->is_function |= !u->brace++ && !u->paren && u->last == ')';
	} else if (u->brace && --u->brace == 0) {
		if (u->is_function)
			blank(u->start, h->at);
		if (!u->foreign || u->is_function)
			unit_begin(h);
	}
}

static void take_character(struct header *h)
{
	struct unit *u = &h->u;
	char c = *h->at++;
	bool outside = !u->paren && !u->brace;

	switch (c) {
	case '(':
		u->is_prototype |= outside && u->is_extern;
		u->paren++;
		break;
	case ')':
		if (u->paren)
			u->paren--;
		break;
	case '=': u->has_value |= outside; break;
	case ';':
		if (!outside)
			break;
		if (!u->has_value && (u->foreign || (u->is_prototype && !u->is_typedef)))
			blank(u->start, h->at);
		unit_begin(h);
		return;
	case '{':
	case '}': take_brace(h, c); break;
	default: break;
	}
	if (h->at != h->u.start)
		h->u.last = c;
}

void cheader_strip(char *text, size_t len)
{
	struct header h = { .at = text, .end = text + len };
	bool line = true; /* at the start of one */

	while (h.at < h.end) {
		char c = *h.at;

		if (c == '#' && line) {
			control_line(&h);
		} else if (isspace((unsigned char)c) || !h.depth) {
			line = c == '\n';
			h.at++;
			continue;
		} else if (c == '"' || c == '\'') {
			h.at = skip_quoted(&h, h.at);
			h.u.last = c;
		} else if (in_word(c)) {
			take_word(&h);
		} else {
			take_character(&h);
		}
		line = false;
	}
}
