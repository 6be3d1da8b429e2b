/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Definitions of providers: what a program's own probes are called and passed. What is made
 * of them, a C header and an object, is in lib/usdt.c.
 */
#include <ctype.h>
#include <string.h>

#include "lang/parse.h"

#define NAME_MAX_LEN 63
#define ARGS_MAX 128

static void check_name(struct parse *p, struct srcloc loc, const char *what, const char *name)
{
	if (strchr(name, '`'))
		parse_error(p, loc, "D_PROV_BADNAME", "%s name may not contain scoping operator: %s",
			    what, name);
	if (strlen(name) > NAME_MAX_LEN)
		parse_error(p, loc, "D_PROV_BADNAME", "%s name may not exceed %d characters: %s",
			    what, NAME_MAX_LEN, name);
}

void provdef_open(struct parse *p, struct srcloc loc, const char *name)
{
	struct provdef *pd = arena_new(p->s->arena, struct provdef);

	check_name(p, loc, "provider", name);
	if (*name && isdigit((unsigned char)name[strlen(name) - 1]))
		parse_error(p, loc, "D_PROV_BADNAME", "provider name may not end with a digit: %s",
			    name);
	pd->name = arena_strdup(p->s->arena, name);
	p->provider = pd;
}

static size_t prototype(struct parse *p, struct srcloc loc, const char *name, const char *which,
			const struct derive *d, struct type ***types)
{
	size_t n;

	*types = decl_prototype(p, d->params, &n);
	if (n > ARGS_MAX)
		parse_error(p, loc, "D_PROV_PRARGLEN",
			    "probe %s %s prototype exceeds %u parameters: %zu params used", name,
			    which, ARGS_MAX, n);
	return n;
}

static const char *param_name(const struct param *a)
{
	return a->dr ? a->dr->name : NULL;
}

/* The parameter of that name before `end`, or NULL. */
static const struct param *named(const struct derive *d, const struct param *end, const char *name)
{
	const struct param *a = d->params ? d->params->first : NULL;

	for (; a && a != end; a = a->next)
		if (param_name(a) && !strcmp(param_name(a), name))
			return a;
	return NULL;
}

/* The names of the input are different; those of the output, which may come again, are among them. */
static void check_names(struct parse *p, struct srcloc loc, const struct derive *in,
			const struct derive *out)
{
	const struct derive *d = out ? out : in;
	const struct param *a = d->params ? d->params->first : NULL;

	for (int n = 1; a; a = a->next, n++) {
		const char *name = param_name(a);

		if (!name || (out && named(in, NULL, name)) || (!out && !named(in, a, name)))
			continue;
		parse_error(p, loc, "D_DECL_PROTO_FORM",
			    "parameter is %s declared in input prototype: %s, parameter #%d",
			    out ? "not" : "redundantly", name, n);
	}
}

/* The parameter of the input prototype that one of the output prototype is made of. */
static size_t source_of(const struct derive *in, const struct param *a, size_t i)
{
	const struct param *b;
	size_t k = 0;

	for (b = in->params && param_name(a) ? in->params->first : NULL; b; b = b->next, k++)
		if (param_name(b) && !strcmp(param_name(a), param_name(b)))
			return k;
	return i;
}

/* From a type to the structure that the output argument points to. */
static bool translated(const struct dsession *s, struct type *from, struct type *out)
{
	struct type *r = type_resolve(out);

	if (r->kind == TYPE_POINTER)
		out = r->ref;
	for (size_t i = 0; i < s->translators.n; i++)
		if (type_compatible(s->translators.v[i]->out, out) &&
		    type_compatible(s->translators.v[i]->in, from))
			return true;
	return false;
}

static void check_translators(struct parse *p, struct srcloc loc, struct provdef_probe *pr,
			      const struct derive *in, const struct derive *out)
{
	const struct param *a = out->params ? out->params->first : NULL;

	for (size_t i = 0; i < pr->nout; i++, a = a->next) {
		size_t k = pr->from[i] = source_of(in, a, i);
		struct type *from = k < pr->nargs ? pr->args[k] : NULL;

		if (from && (type_compatible(from, pr->out[i]) ||
			     translated(p->s, from, pr->out[i])))
			continue;
		parse_error(p, loc, "D_PROV_PRXLATOR",
			    "translator for %s:%s output argument #%zu from %s to %s is not defined",
			    p->provider->name, pr->name, i + 1,
			    from ? type_name(p->s->types, from) : "<none>",
			    type_name(p->s->types, pr->out[i]));
	}
}

void provdef_probe(struct parse *p, struct srcloc loc, const char *name, const struct derive *in,
		   const struct derive *out)
{
	struct provdef_probe *pr = arena_new(p->s->arena, struct provdef_probe);

	check_name(p, loc, "probe", name);
	pr->name = arena_strdup(p->s->arena, name);
	pr->nargs = prototype(p, loc, name, "input", in, &pr->args);
	check_names(p, loc, in, NULL);
	if (out) {
		pr->nout = prototype(p, loc, name, "output", out, &pr->out);
		pr->from = arena_alloc(p->s->arena, sizeof(*pr->from) * pr->nout);
		check_names(p, loc, in, out);
		if (!p->d->set)
			check_translators(p, loc, pr, in, out);
	}
	for (size_t i = 0; i < p->provider->probes.n; i++)
		if (!strcmp(p->provider->probes.v[i]->name, name))
			parse_error(p, loc, "D_PROV_PRDUP", "probe redeclared: %s:%s",
				    p->provider->name, name);
	vec_push(&p->provider->probes, pr);
}

/* ---- two definitions of one name --------------------------------------------- */

#define MISMATCH "provider interface mismatch: %s\n\t"

static const struct provdef_probe *find(const struct provdef *pd, const char *name)
{
	for (size_t i = 0; i < pd->probes.n; i++)
		if (!strcmp(pd->probes.v[i]->name, name))
			return pd->probes.v[i];
	return NULL;
}

/* Every probe of the one is in the other; `now` tells which of them is the later. */
static void compare_names(struct parse *p, const struct provdef *a, const struct provdef *b,
			  bool now)
{
	for (size_t i = 0; i < a->probes.n; i++) {
		const char *name = a->probes.v[i]->name;

		if (!find(b, name))
			parse_error(
				p, p->tokloc, "D_PROV_INCOMPAT",
				MISMATCH
				" current: probe %s:%s %sdefined\n\tprevious: probe %s:%s %sdefined",
				a->name, a->name, name, now ? "" : "not ", a->name, name,
				now ? "not " : "");
	}
}

static void compare_args(struct parse *p, const char *prov, const char *name, const char *which,
			 struct type **now, size_t nnow, struct type **old, size_t nold)
{
	if (nnow != nold)
		parse_error(
			p, p->tokloc, "D_PROV_INCOMPAT",
			"probe %s:%s %s prototype mismatch:\n\t current: %zu arg%s\n\tprevious: %zu arg%s",
			prov, name, which, nnow, nnow == 1 ? "" : "s", nold, nold == 1 ? "" : "s");
	for (size_t i = 0; i < nnow && i < nold; i++)
		if (!type_compatible(now[i], old[i]))
			parse_error(p, p->tokloc, "D_PROV_INCOMPAT",
				    "probe %s:%s %s prototype argument #%zu mismatch:\n"
				    "\t current: %s\n\tprevious: %s",
				    prov, name, which, i + 1, type_name(p->s->types, now[i]),
				    type_name(p->s->types, old[i]));
}

/* The same definition may be read twice; another of that name does not fit. */
static void compare(struct parse *p, const struct provdef *now, const struct provdef *old)
{
	compare_names(p, now, old, true);
	compare_names(p, old, now, false);
	for (size_t i = 0; i < now->probes.n && !p->d->set; i++) {
		const struct provdef_probe *x = now->probes.v[i], *y = find(old, x->name);

		compare_args(p, now->name, x->name, "input", x->args, x->nargs, y->args, y->nargs);
		if (!x->out != !y->out)
			parse_error(p, p->tokloc, "D_PROV_INCOMPAT",
				    MISMATCH " current: probe %s:%s has %s output prototype\n"
					     "\tprevious: probe %s:%s has %s output prototype",
				    now->name, now->name, x->name, x->out ? "an" : "no", now->name,
				    x->name, y->out ? "an" : "no");
		compare_args(p, now->name, x->name, "output", x->out, x->nout, y->out, y->nout);
	}
}

void provdef_close(struct parse *p)
{
	struct provdef *pd = p->provider;

	p->provider = NULL;
	for (size_t i = 0; i < p->s->providers.n; i++) {
		struct provdef *old = p->s->providers.v[i];

		if (strcmp(old->name, pd->name))
			continue;
		compare(p, pd, old);
		vec_free(&pd->probes);
		return;
	}
	vec_push(&p->s->providers, pd);
}
