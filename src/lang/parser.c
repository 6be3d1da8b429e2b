/* SPDX-License-Identifier: BSD-2-Clause */
/* One compilation from text to checked clauses; clauses; errors as the user reads them. */
#include "lang/parse.h"

#include <stdlib.h>

#include "lang/parse.tab.h"

void parse_error(struct parse *p, struct srcloc loc, const char *tag, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_verror(p->d, tag, loc, fmt, ap);
	va_end(ap);
}

void parse_syntax_error(struct parse *p, struct srcloc loc, const char *msg)
{
	bool member = p->prev2 == T_ARROW || p->prev2 == '.';

	if (!strcmp(msg, "memory exhausted"))
		parse_error(p, p->tokloc, "D_SYNTAX", "program is nested too deeply");
	else if (!p->tok.s)
		parse_error(p, p->tokloc, "D_SYNTAX", "syntax error near end of input");
	else if (member)
		parse_error(p, loc, "D_OP_IDENT", "operator %s must be followed by an identifier",
			    p->prev2 == '.' ? "." : "->");
	else
		parse_error(p, loc, "D_SYNTAX", "syntax error near \"%.*s\"", (int)p->tok.len,
			    p->tok.s);
}

void parse_clause(struct parse *p, struct srcloc loc, enum clause_parts parts, struct node *pred,
		  struct stmt_list body)
{
	struct dprog *prog = p->prog;
	struct clause *c;

	if (p->src->library)
		parse_error(p, loc, "D_SYNTAX", "a library may not contain probe clauses");

	if (parts == CLAUSE_PRED)
		parse_error(p, loc, "D_SYNTAX",
			    "expected actions { } following probe description and predicate");
	if (parts == CLAUSE_BARE && p->src->is_file)
		parse_error(p, loc, "D_SYNTAX",
			    "expected predicate and/or actions following probe description");
	if (p->d->set)
		return;
	c = arena_new(prog->arena, struct clause);
	c->loc = loc;
	c->nspecs = p->specs.n;
	c->specs = arena_alloc(prog->arena, c->nspecs * sizeof(*c->specs));
	memcpy(c->specs, p->specs.v, c->nspecs * sizeof(*c->specs));
	p->specs.n = 0;
	c->pred = pred;
	c->body = body.first;
	c->has_body = parts == CLAUSE_BODY;
	c->index = p->s->nclauses + prog->nclauses++;
	if (prog->last)
		prog->last->next = c;
	else
		prog->clauses = c;
	prog->last = c;
}

static void parse_unit(struct parse *p)
{
	p->prog = mem_alloc(sizeof(*p->prog));
	p->prog->arena = p->arena = arena_create();
	p->prog->name = arena_strdup(p->arena, p->src->name ? p->src->name : "");
	p->line = 1;
	if (p->src->library)
		p->file = arena_strdup(p->s->arena, p->src->name);
	p->assigned = hmap_create();
	p->members = hmap_create();
	p->first_ident = p->s->all.n;
	p->arg_used = mem_alloc(p->src->argc * sizeof(*p->arg_used));
	if (p->src->len > PARSE_MAX_TEXT) {
		parse_error(p, (struct srcloc){ 0 }, "D_SYNTAX", "program text is too long");
		return;
	}
	scan_begin(p);
	if (lang_yyparse(p))
		parse_error(p, p->tokloc, "D_SYNTAX", "syntax error");
	if (!p->any && !p->s->opt.empty && !p->src->library)
		parse_error(p, scan_place(p), "D_EMPTY", "empty D program translation unit");
	pragma_check_unused(p);
	macro_check_unused(p);
}

static void parse_end(struct parse *p)
{
	scan_end(p);
	hmap_destroy(p->assigned);
	hmap_destroy(p->members);
	free(p->arg_used);
	if (p->provider)
		vec_free(&p->provider->probes);
	vec_free(&p->pragmas);
	vec_free(&p->specs);
}

static int check_clause(struct dsession *s, struct clause *c, struct diag *d)
{
	size_t i;
	int rc;

	for (i = 0; i < c->nspecs; i++)
		if (probespec_match(s, &c->specs[i], d) < 0)
			return -1;
	rc = lang_check_clause(s, c, d);
	d->where_now = DIAG_TEXT;
	return rc < 0 || d->set ? -1 : 0;
}

struct dprog *lang_compile(struct dsession *s, const struct lang_source *src, struct diag *d)
{
	struct parse p = { .s = s, .d = d, .src = src };
	struct clause *c;

	d->where_now = DIAG_TEXT;
	parse_unit(&p);
	parse_end(&p);
	for (c = p.prog->clauses; c && !d->set; c = c->next)
		check_clause(s, c, d);
	if (d->set) {
		lang_diag_show(d, s, src);
		lang_prog_destroy(p.prog);
		return NULL;
	}
	s->nclauses += p.prog->nclauses;
	return p.prog;
}

void lang_prog_destroy(struct dprog *p)
{
	if (!p)
		return;
	arena_destroy(p->arena);
	free(p);
}

char *lang_diag_text(const struct diag *d, const struct lang_source *src, bool errtags)
{
	struct str out = { 0 };

	if (errtags && d->tag)
		str_printf(&out, "[%s] ", d->tag);
	if (!d->tag)
		; /* system-like: has no place */
	else if (d->loc.file)
		str_printf(&out, "\"%s\", line %d: ", d->loc.file, d->loc.line);
	else if (src->is_file && d->loc.line)
		str_printf(&out, "line %d: ", d->loc.line);
	else if (!src->is_file && d->where == DIAG_ACTION)
		str_puts(&out, "in action list: ");
	else if (!src->is_file && d->where == DIAG_PREDICATE)
		str_puts(&out, "in predicate: ");
	str_puts(&out, d->text ? d->text : "");
	if (d->shown)
		str_printf(&out, "\n%s", d->shown);
	return out.s ? out.s : mem_strdup("");
}
