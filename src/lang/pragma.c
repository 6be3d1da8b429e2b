/* SPDX-License-Identifier: BSD-2-Clause */
/* Control lines: #line, #error, #pragma and the pragmas of D. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "lang/parse.h"

#define PRAGMA_WORDS 6

/*
 * The words of a line, each in the arena. `rest` is the text behind the first word, blanks
 * trimmed.
 */
struct line {
	const char *word[PRAGMA_WORDS];
	size_t n; /* may be more than PRAGMA_WORDS: superfluous ones are only counted */
	const char *rest;
};

static bool is_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\f' || c == '\v' || c == '\r' || c == '\n';
}

static const char *skip_blanks(const char *s)
{
	for (;;) {
		const char *end;

		while (is_blank(*s))
			s++;
		if (s[0] != '/' || s[1] != '*')
			return s;
		end = strstr(s + 2, "*/");
		if (!end)
			return s;
		s = end + 2;
	}
}

/* A word ends at a blank; in quotes it may hold blanks. */
static const char *word_end(const char *s)
{
	bool quoted = false;

	for (; *s && *s != '\n' && (quoted || !is_blank(*s)); s++) {
		if (*s == '"')
			quoted = !quoted;
		if (!quoted && s[0] == '/' && s[1] == '*')
			break;
	}
	return s;
}

static struct line split(struct parse *p, const char *s)
{
	struct line l = { .rest = "" };
	const char *end;

	for (s = skip_blanks(s); *s; s = skip_blanks(end)) {
		end = word_end(s);
		if (l.n < PRAGMA_WORDS)
			l.word[l.n] = arena_strndup(p->arena, s, end - s);
		l.n++;
		if (l.n == 2) {
			const char *last = s + strlen(s);

			while (last > s && is_blank(last[-1]))
				last--;
			l.rest = arena_strndup(p->arena, s, last - s);
		}
		if (end == s)
			break; /* an unterminated comment or quote: one word more, then stop */
	}
	return l;
}

static int fail(struct parse *p, const char *tag, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int fail(struct parse *p, const char *tag, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_verror(p->d, tag, p->tokloc, fmt, ap);
	va_end(ap);
	return -1;
}

/* The text of a word in double quotes, or NULL. */
static const char *unquote(struct parse *p, const char *word)
{
	size_t n = strlen(word);

	if (n < 2 || word[0] != '"' || word[n - 1] != '"')
		return NULL;
	return arena_strndup(p->arena, word + 1, n - 2);
}

/* ---- #line ------------------------------------------------------------------- */

/* Of cpp's states, 1 begins a file that is included, and 2 is back from one. */
static void include_flag(struct parse *p, const char *state)
{
	if (!strcmp(state, "1"))
		p->include++;
	else if (!strcmp(state, "2") && p->include > 0)
		p->include--;
}

/* <line> [ "file" [state ...] ]: the number is that of the next line. */
static int line_number(struct parse *p, const char *name, const char *text)
{
	struct line l = split(p, text);
	uint64_t n = 0;
	char bad;
	size_t i;

	if (!l.n || scan_number(l.word[0], strlen(l.word[0]), &n, &bad) || n > INT32_MAX)
		goto malformed;
	if (l.n > 1 && !unquote(p, l.word[1]))
		goto malformed;
	for (i = 2; i < l.n && i < PRAGMA_WORDS; i++)
		if (strspn(l.word[i], "0123456789") != strlen(l.word[i]))
			goto malformed;
	for (i = 2; i < l.n && i < PRAGMA_WORDS; i++)
		include_flag(p, l.word[i]);
	p->line = (int)n;
	if (l.n > 1)
		p->file = arena_strdup(p->s->arena, unquote(p, l.word[1]));
	return 0;
malformed:
	return fail(p, "D_PRAGMA_MALFORM", "malformed #%s <line> [ [\"file\"] state ]", name);
}

/* ---- #pragma D option, depends_on -------------------------------------------- */

static int pragma_option(struct parse *p, const struct line *l)
{
	const char *why, *value, *name;
	char *eq;

	if (l->n < 2)
		return fail(p, "D_PRAGMA_MALFORM", "malformed #pragma %s <option>=<val>",
			    l->word[0]);
	if (l->n > 2)
		return fail(p, "D_PRAGMA_MALFORM", "superfluous arguments specified for #pragma %s",
			    l->word[0]);
	name = l->word[1];
	value = NULL;
	eq = strchr(name, '=');
	if (eq) {
		name = arena_strndup(p->arena, name, eq - name);
		value = eq + 1;
	}
	why = p->s->hooks.set_option ? p->s->hooks.set_option(p->s->hooks.arg, name, value)
				     : "Invalid option name";
	if (!why)
		return 0;
	if (value)
		return fail(p, "D_PRAGMA_OPTSET", "failed to set option '%s' to '%s': %s", name,
			    value, why);
	return fail(p, "D_PRAGMA_OPTSET", "failed to set option '%s': %s", name, why);
}

static int pragma_depends_on(struct parse *p, const struct line *l)
{
	const struct lang_hooks *h = &p->s->hooks;
	const char *class, *name;
	bool there;

	if (l->n != 3)
		return fail(p, "D_PRAGMA_MALFORM", "malformed #pragma %s <class> <name>",
			    l->word[0]);
	class = l->word[1];
	name = l->word[2];
	if (!strcmp(class, "library")) {
		if (!p->src->library)
			return fail(p, "D_PRAGMA_DEPEND",
				    "main program may not explicitly depend on a library");
		if (h->load_library && h->load_library(h->arg, name))
			return 0;
		return fail(p, "D_PRAGMA_DEPEND",
			    "program requires library \"%s\" which failed to load", name);
	}
	if (!strcmp(class, "provider"))
		there = h->provider_exists && h->provider_exists(h->arg, name);
	else if (!strcmp(class, "module"))
		there = h->module_exists && h->module_exists(h->arg, name);
	else
		return fail(p, "D_PRAGMA_INVAL", "invalid class %s specified by #pragma %s", class,
			    l->word[0]);
	p->s->unmet = !there;
	if (!there)
		return fail(p, "D_PRAGMA_DEPEND", "program requires %s %s", class, name);
	return 0;
}

/* ---- #pragma D attributes, binding ------------------------------------------- */

static const char *const stabilities[] = { "Internal", "Private",  "Obsolete", "External",
					   "Unstable", "Evolving", "Stable",   "Standard" };
static const char *const classes[] = { "Unknown", "CPU", "Platform", "Group", "ISA", "Common" };
static const char *const components[] = { "provider", "module", "function", "name", "args" };

/* Counted from 1; 0: not among them. */
static uint32_t find(const char *const *names, size_t count, const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strlen(names[i]) == n && !strncmp(names[i], s, n))
			return i + 1;
	return 0;
}

/* "Name/Data/Class" as in struct ident; 0 if invalid. */
static uint32_t attributes_parse(const char *s)
{
	size_t n1 = strcspn(s, "/"), n2, n3;
	uint32_t name, data, class;

	if (!s[n1])
		return 0;
	n2 = strcspn(s + n1 + 1, "/");
	if (!s[n1 + 1 + n2])
		return 0;
	n3 = strlen(s + n1 + n2 + 2);
	name = find(stabilities, ARRAY_SIZE(stabilities), s, n1);
	data = find(stabilities, ARRAY_SIZE(stabilities), s + n1 + 1, n2);
	class = find(classes, ARRAY_SIZE(classes), s + n1 + n2 + 2, n3);
	return name && data && class ? name << 16 | data << 8 | class : 0;
}

/* "major.minor[.micro]" as in struct ident; 0 if invalid. */
static uint32_t version_parse(const char *s)
{
	static const uint32_t max[] = { 0xff, 0xfff, 0xfff };
	uint32_t v[3] = { 0 };
	int i;

	for (i = 0; i < 3; i++) {
		if (!isdigit((unsigned char)*s))
			return 0;
		for (; isdigit((unsigned char)*s); s++) {
			v[i] = v[i] * 10 + (*s - '0');
			if (v[i] > max[i])
				return 0;
		}
		if (!*s)
			return i ? v[0] << 24 | v[1] << 12 | v[2] : 0;
		if (*s++ != '.')
			return 0;
	}
	return 0;
}

static void ident_apply(struct ident *id, const struct pragma *pr)
{
	if (pr->kind == PRAGMA_ATTRIBUTES)
		id->attr = pr->value;
	else
		id->vers = pr->value;
}

/* Applies it to what this unit has defined already, or keeps it for a later definition. */
static int pragma_add(struct parse *p, struct pragma pr, const char *what)
{
	struct ident *id = ident_lookup(p->s, SCOPE_GLOBAL, pr.name);
	size_t i;

	if (id) {
		for (i = p->first_ident; i < p->s->all.n; i++)
			if (p->s->all.v[i] == id && id->declared && id->library == p->src->library)
				break;
		if (i == p->s->all.n)
			return fail(p, "D_PRAGMA_SCOPE",
				    "#pragma %s cannot modify entity defined outside program scope",
				    what);
		ident_apply(id, &pr);
		return 0;
	}
	pr.loc = p->tokloc;
	pr.name = arena_strdup(p->prog->arena, pr.name);
	vec_push(&p->pragmas, pr);
	return 0;
}

/* <attributes> <ident>, or <attributes> provider <name> <component> */
static int pragma_attributes(struct parse *p, const struct line *l)
{
	struct pragma pr = { .kind = PRAGMA_ATTRIBUTES };
	bool provider = l->n > 2 && !strcmp(l->word[2], "provider");
	uint32_t component;

	if (l->n < 3 || (l->n > 3 && !provider) || (provider && l->n != 5))
		return fail(p, "D_PRAGMA_MALFORM", "malformed #pragma %s <attributes> <ident>",
			    l->word[0]);
	pr.value = attributes_parse(l->word[1]);
	if (!pr.value)
		return fail(p, "D_PRAGMA_INVAL", "invalid attributes specified by #pragma %s",
			    l->word[0]);
	if (!provider) {
		pr.name = l->word[2];
		return pragma_add(p, pr, l->word[0]);
	}
	component = find(components, ARRAY_SIZE(components), l->word[4], strlen(l->word[4]));
	if (!component)
		return fail(p, "D_PRAGMA_INVAL",
			    "invalid component \"%s\" in attribute #pragma for provider %s",
			    l->word[4], l->word[3]);
	if (p->s->hooks.provider_exists && p->s->hooks.provider_exists(p->s->hooks.arg, l->word[3]))
		return fail(p, "D_PRAGMA_SCOPE",
			    "#pragma %s cannot modify entity defined outside program scope",
			    l->word[0]);
	for (size_t i = 0; i < p->s->providers.n; i++) {
		if (strcmp(p->s->providers.v[i]->name, l->word[3]) != 0)
			continue;
		p->s->providers.v[i]->attr[component - 1] = pr.value;
		return 0;
	}
	return fail(p, "D_PRAGMA_UNUSED", "unused #pragma %s", l->word[0]);
}

/* "<version>" <ident> */
static int pragma_binding(struct parse *p, const struct line *l)
{
	struct pragma pr = { .kind = PRAGMA_BINDING };
	const char *version = l->n == 3 ? unquote(p, l->word[1]) : NULL;

	if (!version)
		return fail(p, "D_PRAGMA_MALFORM", "malformed #pragma %s \"version\" <ident>",
			    l->word[0]);
	pr.value = version_parse(version);
	if (!pr.value)
		return fail(p, "D_PRAGMA_INVAL", "invalid version string specified by #pragma %s",
			    l->word[0]);
	pr.name = l->word[2];
	return pragma_add(p, pr, l->word[0]);
}

void pragma_defined(struct parse *p, struct ident *id)
{
	size_t i;

	for (i = 0; i < p->pragmas.n; i++) {
		if (strcmp(p->pragmas.v[i].name, id->name) != 0)
			continue;
		ident_apply(id, &p->pragmas.v[i]);
		p->pragmas.v[i].used = true;
	}
}

static uint32_t program_version(const struct parse *p)
{
	return p->s->opt.version ? version_parse(p->s->opt.version) : 0;
}

bool pragma_hides_translator(struct parse *p)
{
	uint32_t version = program_version(p);
	bool hides = false;

	for (size_t i = 0; i < p->pragmas.n; i++) {
		struct pragma *pr = &p->pragmas.v[i];

		if (pr->used || strcmp(pr->name, "translator") != 0)
			continue;
		pr->used = true;
		if (version && pr->kind == PRAGMA_BINDING && pr->value > version)
			hides = true;
	}
	return hides;
}

bool pragma_hides(struct parse *p, const char *name)
{
	uint32_t version = program_version(p);
	bool hides = false;
	size_t i;

	if (!version)
		return false;
	for (i = 0; i < p->pragmas.n; i++) {
		struct pragma *pr = &p->pragmas.v[i];

		if (strcmp(pr->name, name) != 0)
			continue;
		pr->used = true;
		if (pr->kind == PRAGMA_BINDING && pr->value > version)
			hides = true;
	}
	return hides;
}

void pragma_check_unused(struct parse *p)
{
	size_t i;

	for (i = 0; i < p->pragmas.n; i++) {
		const struct pragma *pr = &p->pragmas.v[i];

		if (!pr->used)
			parse_error(p, pr->loc, "D_PRAGMA_UNUSED", "unused #pragma %s",
				    pr->kind == PRAGMA_ATTRIBUTES ? "attributes" : "binding");
	}
}

/* ---- dispatch ---------------------------------------------------------------- */

static int pragma_error(struct parse *p, const struct line *l)
{
	return fail(p, "D_PRAGERR", "#%s: %s", l->word[0], l->rest);
}

static int pragma_d(struct parse *p, const char *text)
{
	static const struct {
		const char *name;
		int (*run)(struct parse *p, const struct line *l);
	} pragmas[] = {
		{ "attributes", pragma_attributes }, { "binding", pragma_binding },
		{ "depends_on", pragma_depends_on }, { "error", pragma_error },
		{ "option", pragma_option },
	};
	struct line l = split(p, text);
	size_t i;

	if (!l.n)
		return fail(p, "D_PRAGMA_INVAL", "invalid D pragma: ");
	for (i = 0; i < ARRAY_SIZE(pragmas); i++)
		if (!strcmp(pragmas[i].name, l.word[0]))
			return pragmas[i].run(p, &l);
	if (!strcmp(l.word[0], "ident"))
		return 0;
	if (!strcmp(l.word[0], "line"))
		return line_number(p, l.word[0], l.rest);
	return fail(p, "D_PRAGMA_INVAL", "invalid D pragma: %s", l.word[0]);
}

static int pragma_any(struct parse *p, const char *text)
{
	struct line l = split(p, text);

	if (!l.n || !strcmp(l.word[0], "ident"))
		return 0;
	if (!strcmp(l.word[0], "line"))
		return line_number(p, l.word[0], l.rest);
	if (!strcmp(l.word[0], "error"))
		return pragma_error(p, &l);
	if (!strcmp(l.word[0], "D"))
		return pragma_d(p, l.rest);
	return 0;
}

int pragma_line(struct parse *p, const char *text, size_t n)
{
	const char *s = arena_strndup(p->arena, text, n);
	struct line l;

	s += strcspn(s, "#");
	if (*s == '#')
		s++;
	if (*s == '!')
		return 0;
	l = split(p, s);
	if (!l.n)
		return 0;
	if (isdigit((unsigned char)l.word[0][0]))
		return line_number(p, "line", s);
	if (!strcmp(l.word[0], "line"))
		return line_number(p, "line", l.rest);
	if (!strcmp(l.word[0], "error"))
		return pragma_error(p, &l);
	if (!strcmp(l.word[0], "ident"))
		return 0;
	if (!strcmp(l.word[0], "pragma"))
		return pragma_any(p, l.rest);
	if (isalpha((unsigned char)l.word[0][0]) || l.word[0][0] == '_')
		return fail(p, "D_PRAGCTL_INVAL", "invalid control directive: #%s", l.word[0]);
	return fail(p, "D_PRAGCTL_INVAL", "invalid control directive");
}
