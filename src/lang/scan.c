/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the scanner's tokens mean: keywords, words that may be types, macros. Constants are in constant.c, the patterns
 * and the modes in lex.l.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "lang/parse.h"
#include "lang/parse.tab.h"

static bool is_word_char(int c)
{
	return isalnum(c) || c == '_';
}

/* ---- book-keeping ------------------------------------------------------------ */

struct srcloc scan_place(const struct parse *p)
{
	return (struct srcloc){ p->file, p->line, (int)(p->off + 1), p->src->id };
}

void scan_advance(struct parse *p, const char *text, size_t n)
{
	const char *nl, *at = text, *end = text + n;

	p->tok = (struct text){ p->src->text + p->off, n };
	p->tokloc = scan_place(p);
	while ((nl = memchr(at, '\n', end - at))) {
		p->line++;
		at = nl + 1;
	}
	p->off += n;
}

void scan_show(const struct parse *p, int token, FILE *out)
{
	fprintf(out, "%d\t%-14s", p->tokloc.line, parse_token_name(token));
	if (p->tok.s)
		fprintf(out, "\t%.*s", (int)p->tok.len, p->tok.s);
	fputc('\n', out);
}

/* There is no token: errors have their place behind the text. */
void scan_eof(struct parse *p)
{
	p->tok = (struct text){ NULL, 0 };
	p->tokloc = scan_place(p);
}

void scan_mode(struct parse *p, enum parse_mode mode)
{
	p->mode = mode;
	p->depth_paren = p->depth_bracket = p->depth_brace = 0;
	p->prev = p->prev2 = 0;
	p->seen_assign = false;
}

int scan_done(struct parse *p, int token)
{
	if (p->d->set)
		return LANG_YYerror;
	if (token)
		p->any = true;
	if (p->depth_paren + p->depth_bracket + p->depth_brace > PARSE_MAX_NEST)
		return scan_fail(p, "D_SYNTAX", "program is nested too deeply");
	if (token == '=')
		p->seen_assign = true;
	p->prev2 = p->prev;
	p->prev = token;
	return token;
}

struct text scan_text(struct parse *p, const char *s, size_t n)
{
	return (struct text){ arena_strndup(p->arena, s, n), n };
}

int scan_fail(struct parse *p, const char *tag, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_verror(p->d, tag, p->tokloc, fmt, ap);
	va_end(ap);
	return LANG_YYerror;
}

/* The first byte at or behind `off` that is no white space; -1 at the end. */
static int scan_peek(const struct parse *p, size_t *off)
{
	while (*off < p->src->len && isspace((unsigned char)p->src->text[*off]))
		(*off)++;
	return *off < p->src->len ? (unsigned char)p->src->text[*off] : -1;
}

/* Is the '/' just read the end of the predicate rather than a division? */
bool scan_pred_ends(const struct parse *p)
{
	size_t off = p->off;
	int c = scan_peek(p, &off);

	return c == -1 || c == ';' || c == '{' || c == '/';
}

/* ---- words ------------------------------------------------------------------- */

/* Sorted by name. `outer`: begins a declaration where probe descriptions are expected. */
static const struct keyword {
	const char *name;
	int token;
	bool outer;
} keywords[] = {
	{ "auto", K_AUTO, true },
	{ "break", K_BREAK, false },
	{ "case", K_CASE, false },
	{ "char", K_CHAR, true },
	{ "const", K_CONST, true },
	{ "continue", K_CONTINUE, false },
	{ "counter", K_COUNTER, true },
	{ "default", K_DEFAULT, false },
	{ "do", K_DO, false },
	{ "double", K_DOUBLE, true },
	{ "else", K_ELSE, false },
	{ "enum", K_ENUM, true },
	{ "extern", K_EXTERN, true },
	{ "float", K_FLOAT, true },
	{ "for", K_FOR, false },
	{ "goto", K_GOTO, false },
	{ "if", K_IF, false },
	{ "import", K_IMPORT, true },
	{ "inline", K_INLINE, true },
	{ "int", K_INT, true },
	{ "long", K_LONG, true },
	{ "offsetof", K_OFFSETOF, false },
	{ "probe", K_PROBE, false },
	{ "provider", K_PROVIDER, true },
	{ "register", K_REGISTER, true },
	{ "restrict", K_RESTRICT, true },
	{ "return", K_RETURN, false },
	{ "self", K_SELF, true },
	{ "short", K_SHORT, true },
	{ "signed", K_SIGNED, true },
	{ "sizeof", K_SIZEOF, false },
	{ "static", K_STATIC, true },
	{ "string", K_STRING, true },
	{ "stringof", K_STRINGOF, false },
	{ "struct", K_STRUCT, true },
	{ "switch", K_SWITCH, false },
	{ "this", K_THIS, true },
	{ "translator", K_TRANSLATOR, true },
	{ "typedef", K_TYPEDEF, true },
	{ "union", K_UNION, true },
	{ "unsigned", K_UNSIGNED, true },
	{ "userland", K_USERLAND, false },
	{ "void", K_VOID, true },
	{ "volatile", K_VOLATILE, true },
	{ "while", K_WHILE, false },
	{ "xlate", K_XLATE, false },
};

static const struct keyword *keyword_lookup(const char *word, size_t n)
{
	size_t lo = 0, hi = ARRAY_SIZE(keywords);

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		const char *name = keywords[mid].name;
		int cmp = strncmp(word, name, n);

		if (!cmp && name[n])
			cmp = -1;
		if (!cmp)
			return &keywords[mid];
		if (cmp < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

/*
 * May a type name stand behind the tokens before this word, and does what follows it agree?
 * Only then are types looked up: a look-up that fails everywhere else has to read the kernel's
 * type information, which a program that names no kernel type should not pay for.
 */
static bool scan_type_place(const struct parse *p)
{
	bool decl = p->mode == MODE_DECL, params = decl && !p->seen_assign;
	bool nested = p->depth_paren || p->depth_bracket;
	size_t off = p->off;
	int next = scan_peek(p, &off);
	bool begins = next == '*' || is_word_char(next); /* "foo_t *p", "foo_t x" */

	switch (p->prev) {
	case '(':
		if (p->prev2 == K_IF || (p->prev2 == T_IDENT && !params))
			return false;
		if (params)
			return begins || strchr("),[(", next);
		/*
		 * A cast or an operand of sizeof or offsetof: stars, then the end. Else "(x *
		 * y)".
		 */
		while (next == '*') {
			off++;
			next = scan_peek(p, &off);
		}
		return next == ')' || next == '(' || next == '[' || next == 'c' || next == 'v' ||
		       next == 'r' || next == 'u' || (next == ',' && p->prev2 == K_OFFSETOF);
	case K_CONST:
	case K_VOLATILE:
	case K_RESTRICT:
	case K_USERLAND: return begins || (nested && next != -1 && strchr("),[(]>", next));
	case K_AUTO:
	case K_REGISTER:
	case K_STATIC:
	case K_EXTERN:
	case K_TYPEDEF:
	case K_SELF:
	case K_THIS:
	case K_INLINE:
	case K_TRANSLATOR:
		return decl && (begins || next == '(' || (p->prev == K_TRANSLATOR && next == '<'));
	case '<': return p->prev2 == K_XLATE || params;
	case ',':
	case '[': return params && nested && (begins || (next != -1 && strchr("),[(]", next)));
	case '{':
	case ';': /* "foo_t (*f)(int)", "foo_t :3" */
		return params && (begins || (p->depth_brace && (next == '(' || next == ':')));
	default: return false;
	}
}

/*
 * The type a word names here, or NULL: then it is a name. D's own names come
 * first.
 */
static struct type *scan_type(struct parse *p, const char *word)
{
	if (!scan_type_place(p) || word[0] == '`')
		return NULL;
	if (hmap_get(p->assigned, word) || ident_lookup(p->s, SCOPE_GLOBAL, word))
		return NULL;
	return type_lookup(p->s->types, word);
}

/* Is this word of D's alone the name of a member, as C has it: "char *string;", "int (*probe)(void);"? */
static bool names_member(const struct parse *p, int token)
{
	static const int words[] = { K_COUNTER,	   K_IMPORT,   K_PROBE,	   K_PROVIDER,
				     K_SELF,	   K_STRING,   K_STRINGOF, K_THIS,
				     K_TRANSLATOR, K_USERLAND, K_XLATE };
	size_t off = p->off;
	int next;

	if (p->mode != MODE_DECL || !p->sou || p->prev == '{' || p->prev == ';')
		return false;
	next = scan_peek(p, &off);
	if (next == -1 || !strchr(p->depth_paren ? ")" : ";,:[", next) ||
	    (p->depth_paren && p->prev != '*'))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i] == token)
			return true;
	return false;
}

int scan_word(struct parse *p, union LANG_YYSTYPE *val, const char *word, size_t n)
{
	const struct keyword *k = keyword_lookup(word, n);
	bool member = p->prev == T_ARROW || p->prev == '.' || (k && names_member(p, k->token));
	bool tag = p->prev == K_STRUCT || p->prev == K_UNION || p->prev == K_ENUM;
	char *name;

	if (k && !member) {
		/* These outlive their unit; what ends them goes back to the unit's arena. */
		if (k->token == K_INLINE || k->token == K_TRANSLATOR)
			p->arena = p->s->arena;
		return k->token;
	}
	name = arena_strndup(p->arena, word, n);
	if (!member && !tag) {
		val->type = scan_type(p, name);
		if (val->type)
			return T_TYPENAME;
	}
	val->name = name;
	return T_IDENT;
}

static size_t word_len(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && is_word_char((unsigned char)s[i]))
		i++;
	return i;
}

bool scan_outer_keyword(const char *word, size_t n, size_t *len)
{
	const struct keyword *k;

	*len = word_len(word, n);
	if (*len < n && word[*len] != '*')
		return false;
	k = keyword_lookup(word, *len);
	return k && k->outer;
}

/*
 * "cyc_t x;" and "cyc_t*x;" begin a declaration if cyc_t is a type. What cannot go on like that
 * is not looked up. In the text of -n and friends a word is always a probe description. Gives
 * the length of the type's name or 0.
 */
size_t scan_outer_type(struct parse *p, const char *word, size_t n, struct type **type)
{
	static const char *const own[] = { "BEGIN", "END", "ERROR" };
	size_t len = word_len(word, n), i, off = p->off;
	char *name;
	int next;

	if (!p->src->is_file || p->s->opt.pspec_file || !len)
		return 0;
	for (i = len; i < n && word[i] == '*'; i++)
		;
	if (i < n) {
		if (i == len || word_len(word + i, n - i) != n - i)
			return 0;
	} else {
		next = scan_peek(p, &off);
		if (next != '*' && !is_word_char(next))
			return 0;
	}
	for (i = 0; i < ARRAY_SIZE(own); i++)
		if (strlen(own[i]) == len && !memcmp(own[i], word, len))
			return 0;
	name = arena_strndup(p->arena, word, len);
	*type = type_lookup(p->s->types, name);
	return *type ? len : 0;
}

/* ---- macros ------------------------------------------------------------------ */

static bool is_identifier(const char *s)
{
	size_t i;

	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	for (i = 0; s[i]; i++)
		if (!is_word_char((unsigned char)s[i]))
			return false;
	return true;
}

/*
 * An argument that is an integer, perhaps with a sign: then the sign is given first and the
 * number is pending.
 */
static int macro_integer(struct parse *p, union LANG_YYSTYPE *val, const char *word, size_t n,
			 const char *text)
{
	const char *digits = text + (*text == '-' || *text == '+');
	size_t len = strlen(digits);
	struct type *type = NULL;
	uint64_t value = 0;
	struct node *node;
	char bad;
	int rc;

	if (!isdigit((unsigned char)*digits))
		return 0;
	rc = scan_number(digits, len, &value, &bad);
	if (rc == EINVAL)
		return 0;
	if (!rc)
		type = scan_number_type(p, digits, len, value);
	if (!type)
		return scan_fail(p, "D_MACRO_OFLOW",
				 "macro argument %.*s constant %s results in integer overflow",
				 (int)n, word, text);
	node = scan_integer_node(p, value, type);
	if (digits == text) {
		val->node = node;
		return T_INTEGER;
	}
	p->pending = T_INTEGER;
	p->pending_node = node;
	return *text;
}

int scan_macro(struct parse *p, union LANG_YYSTYPE *val, const char *word, size_t n)
{
	bool string = n > 1 && word[1] == '$', missing;
	const char *text = macro_text(p, word, n, &missing);
	size_t len;
	int token;

	if (!text) {
		bool digit = isdigit((unsigned char)word[1 + string]);

		return scan_fail(p, "D_MACRO_UNDEF", "macro %s %.*s is not defined",
				 digit ? "argument" : "variable", (int)n, word);
	}
	if (missing && !string)
		text = "0";
	if (!string) {
		token = macro_integer(p, val, word, n, text);
		if (token)
			return token;
		if (is_identifier(text)) {
			val->name = text;
			return T_IDENT;
		}
	}
	len = strlen(text);
	if (!string && len > 1 && text[0] == '"' && text[len - 1] == '"') {
		text++;
		len -= 2;
	}
	val->node = scan_string(p, text, len);
	return T_STRING;
}
