/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Definitions of translators. What is made of them where they are used is in
 * check_xlate.c.
 */
#include "lang/parse.h"

static const struct translator *defined(const struct dsession *s, const struct translator *xl)
{
	for (size_t i = 0; i < s->translators.n; i++) {
		const struct translator *t = s->translators.v[i];

		if (type_compatible(t->out, xl->out) && type_compatible(t->in, xl->in))
			return t;
	}
	return NULL;
}

void xlate_open(struct parse *p, struct srcloc loc, struct type *out, struct declspec *ds,
		struct declarator *dr)
{
	struct translator *xl = arena_new(p->s->arena, struct translator);
	struct types *ts = p->s->types;

	xl->loc = loc;
	xl->library = p->src->library;
	xl->hidden = pragma_hides_translator(p);
	xl->out = out;
	xl->in = decl_param(p, ds, dr);
	xl->param = dr->name ? arena_strdup(p->s->arena, dr->name) : "";
	p->translator = xl;
	p->translator_end = &xl->members;
	if (p->d->set)
		return;
	if (type_resolve(out)->kind == TYPE_FORWARD)
		parse_error(p, loc, "D_XLATE_SOU", "incomplete struct/union/enum %s",
			    type_name(ts, out));
	else if (!type_is_sou(out))
		parse_error(p, loc, "D_XLATE_SOU",
			    "translator output type must be a struct or union");
	else if (defined(p->s, xl))
		parse_error(p, loc, "D_XLATE_REDECL",
			    "translator from %s to %s has already been declared",
			    type_name(ts, xl->in), type_name(ts, out));
}

static bool has_member(const struct translator *xl, const char *name)
{
	for (const struct xlate_member *m = xl->members; m; m = m->next)
		if (!strcmp(m->name, name))
			return true;
	return false;
}

void xlate_member(struct parse *p, struct srcloc loc, const char *name, struct node *expr)
{
	struct translator *xl = p->translator;
	struct xlate_member *m = arena_new(p->s->arena, struct xlate_member);
	uint64_t off;

	if (p->d->set)
		return;
	m->name = arena_strdup(p->s->arena, name);
	m->loc = loc;
	m->expr = expr;
	if (!type_member(xl->out, name, &off))
		parse_error(p, loc, "D_XLATE_MEMB", "translator member %s is not a member of %s",
			    name, type_name(p->s->types, xl->out));
	else if (!xl->library && has_member(xl, name))
		parse_error(p, loc, "D_UNKNOWN",
			    "failed to define member '%s': Duplicate member or variable name",
			    name);
	*p->translator_end = m;
	p->translator_end = &m->next;
	if (!p->d->set && !xl->library)
		lang_check_xlate_member(p->s, xl, m, p->d);
}

void xlate_close(struct parse *p)
{
	if (!p->d->set && !p->translator->hidden)
		vec_push(&p->s->translators, p->translator);
	p->translator = NULL;
	p->arena = p->prog->arena;
}
