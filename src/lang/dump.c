/* SPDX-License-Identifier: BSD-2-Clause */
/* The tree as text, one node a line, indented by depth: for -x tree and for tests. */
#include <ctype.h>

#include "lang/parse.h"

struct dump {
	struct types *ts;
	FILE *out;
};

static const char *const op_names[] = {
	[OP_NONE] = "?",     [OP_ADD] = "+",	   [OP_SUB] = "-",	 [OP_MUL] = "*",
	[OP_DIV] = "/",	     [OP_MOD] = "%",	   [OP_AND] = "&",	 [OP_OR] = "|",
	[OP_XOR] = "^",	     [OP_SHL] = "<<",	   [OP_SHR] = ">>",	 [OP_EQ] = "==",
	[OP_NE] = "!=",	     [OP_LT] = "<",	   [OP_LE] = "<=",	 [OP_GT] = ">",
	[OP_GE] = ">=",	     [OP_LAND] = "&&",	   [OP_LOR] = "||",	 [OP_LXOR] = "^^",
	[OP_NEG] = "-",	     [OP_PLUS] = "+",	   [OP_NOT] = "!",	 [OP_COMPL] = "~",
	[OP_DEREF] = "*",    [OP_ADDROF] = "&",	   [OP_ASSIGN] = "",	 [OP_PREINC] = "++x",
	[OP_PREDEC] = "--x", [OP_POSTINC] = "x++", [OP_POSTDEC] = "x--",
};

static void indent(struct dump *d, int depth)
{
	fprintf(d->out, "%*s", depth * 2, "");
}

static void put_string(struct dump *d, const char *s, size_t n)
{
	size_t i;

	putc('"', d->out);
	for (i = 0; i < n; i++) {
		unsigned char c = s[i];

		if (c == '"' || c == '\\')
			fprintf(d->out, "\\%c", c);
		else if (isprint(c))
			putc(c, d->out);
		else
			fprintf(d->out, "\\%03o", c);
	}
	putc('"', d->out);
}

static void put_ident(struct dump *d, const struct ident *id)
{
	fprintf(d->out, " %s%s", ident_prefix(id), id->name);
}

static void put_scoped(struct dump *d, int scope, const char *name)
{
	fprintf(d->out, " %s%s",
		scope == SCOPE_SELF   ? "self->"
		: scope == SCOPE_THIS ? "this->"
				      : "",
		name);
}

/* The node's own line, without its type. */
static void put_node(struct dump *d, const struct node *n)
{
	switch (n->kind) {
	case NODE_INT: fprintf(d->out, "int %lld", (long long)n->u.integer.value); break;
	case NODE_STRING:
		fputs("string ", d->out);
		put_string(d, n->u.str.s, n->u.str.len);
		break;
	case NODE_VAR:
		fputs("var", d->out);
		put_ident(d, n->u.var.ident);
		break;
	case NODE_INDEX:
		fputs("index", d->out);
		if (n->u.index.ident)
			put_ident(d, n->u.index.ident);
		break;
	case NODE_AGG:
		fprintf(d->out, "agg @%s", n->u.agg.ident ? n->u.agg.ident->name : n->u.agg.name);
		break;
	case NODE_CALL:
		fprintf(d->out, "call %s",
			n->u.call.func	 ? n->u.call.func->name
			: n->u.call.name ? n->u.call.name
					 : "");
		break;
	case NODE_UNARY: fprintf(d->out, "unary %s", op_names[n->u.op.op]); break;
	case NODE_BINARY: fprintf(d->out, "binary %s", op_names[n->u.op.op]); break;
	case NODE_COND: fputs("cond", d->out); break;
	case NODE_ASSIGN: fprintf(d->out, "assign %s=", op_names[n->u.op.op]); break;
	case NODE_INCDEC: fprintf(d->out, "incdec %s", op_names[n->u.op.op]); break;
	case NODE_MEMBER:
		fprintf(d->out, "member %s%s", n->u.member.arrow ? "->" : ".", n->u.member.name);
		break;
	case NODE_CAST: fputs("cast", d->out); break;
	case NODE_STRINGOF: fputs("stringof", d->out); break;
	case NODE_SIZEOF: fputs("sizeof", d->out); break;
	case NODE_OFFSETOF: fprintf(d->out, "offsetof %s", n->u.member.name); break;
	case NODE_XLATE: fputs("xlate", d->out); break;
	case NODE_COMMA: fputs("comma", d->out); break;
	case NODE_IDENT:
		fputs("name", d->out);
		put_scoped(d, n->u.ident.scope, n->u.ident.name);
		break;
	case NODE_TYPE: fputs("type", d->out); break;
	}
}

static void dump_list(struct dump *d, const struct node_list *l, int depth);

static void dump_node(struct dump *d, const struct node *n, int depth)
{
	if (!n)
		return;
	indent(d, depth);
	put_node(d, n);
	if (n->type)
		fprintf(d->out, " <%s>", type_name(d->ts, n->type));
	putc('\n', d->out);
	dump_node(d, n->a, depth + 1);
	dump_node(d, n->b, depth + 1);
	dump_node(d, n->c, depth + 1);
	if (n->kind == NODE_INDEX)
		dump_list(d, &n->u.index.keys, depth + 1);
	else if (n->kind == NODE_AGG)
		dump_list(d, &n->u.agg.keys, depth + 1);
	else if (n->kind == NODE_CALL)
		dump_list(d, &n->u.call.args, depth + 1);
}

static void dump_list(struct dump *d, const struct node_list *l, int depth)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		dump_node(d, l->v[i], depth);
}

static void dump_stmts(struct dump *d, const struct stmt *s, int depth)
{
	static const char *const names[] = {
		[STMT_EXPR] = "expression",
		[STMT_ACTION] = "action",
		[STMT_AGG] = "aggregate",
		[STMT_IF] = "if",
	};

	for (; s; s = s->next) {
		indent(d, depth);
		fputs(names[s->kind], d->out);
		if (s->action_index)
			fprintf(d->out, " #%d", s->action_index);
		putc('\n', d->out);
		dump_node(d, s->agg, depth + 1);
		dump_node(d, s->expr, depth + 1);
		if (s->kind != STMT_IF)
			continue;
		indent(d, depth);
		fputs("then\n", d->out);
		dump_stmts(d, s->then, depth + 1);
		if (!s->els)
			continue;
		indent(d, depth);
		fputs("else\n", d->out);
		dump_stmts(d, s->els, depth + 1);
	}
}

static void dump_clause(struct dump *d, const struct clause *c)
{
	size_t i;

	fprintf(d->out, "clause %u\n", c->index);
	for (i = 0; i < c->nspecs; i++) {
		const struct probespec *s = &c->specs[i];

		if (s->by_id)
			fprintf(d->out, "  probe %u\n", s->id);
		else
			fprintf(d->out, "  probe %s:%s:%s:%s\n", s->prov, s->mod, s->func, s->name);
	}
	if (c->pred) {
		fputs("  predicate\n", d->out);
		dump_node(d, c->pred, 2);
	}
	dump_stmts(d, c->body, 1);
}

void lang_dump(const struct dprog *p, struct types *ts, FILE *out)
{
	struct dump d = { ts, out };
	const struct clause *c;

	for (c = p->clauses; c; c = c->next)
		dump_clause(&d, c);
}
