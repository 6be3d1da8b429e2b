/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coverage in terms of the language. Operators, variables and keys count once for each class of type that
 * they were used with; functions and built-in variables are the rows of func.def and builtin.def.
 */
#include "cgcover.h"

#include <string.h>

#include "kern/kern.h"
#include "lang/format.h"
#include "lang/ident.h"

/* Columns: the classes of types. */
enum { I8, I16, I32, I64, U8, U16, U32, U64, PTR, STR, SOU, STK, OTHER, NCOLS };
static const char *const col_names[NCOLS] = { "i8",	"i16",	 "i32",	 "i64", "u8",
					      "u16",	"u32",	 "u64",	 "ptr", "string",
					      "struct", "stack", "other" };
#define INTS 0xffu
#define PTRS (1u << PTR)
#define STRS (1u << STR)
#define SOUS (1u << SOU)
#define STKS (1u << STK)
#define ALL (INTS | PTRS | STRS | SOUS)
#define ANY 0u /* used at all */

struct row {
	const char *name;
	unsigned int want, got;
	unsigned long n;
};

#define ROW(text, kinds)                    \
	{                                   \
		.name = text, .want = kinds \
	}

static struct row binary[] = {
	[OP_ADD] = ROW("+", INTS | PTRS),
	[OP_SUB] = ROW("-", INTS | PTRS),
	[OP_MUL] = ROW("*", INTS),
	[OP_DIV] = ROW("/", INTS),
	[OP_MOD] = ROW("%", INTS),
	[OP_AND] = ROW("&", INTS),
	[OP_OR] = ROW("|", INTS),
	[OP_XOR] = ROW("^", INTS),
	[OP_SHL] = ROW("<<", INTS),
	[OP_SHR] = ROW(">>", INTS),
	[OP_EQ] = ROW("==", INTS | PTRS | STRS),
	[OP_NE] = ROW("!=", INTS | PTRS | STRS),
	[OP_LT] = ROW("<", INTS | PTRS | STRS),
	[OP_LE] = ROW("<=", INTS | PTRS | STRS),
	[OP_GT] = ROW(">", INTS | PTRS | STRS),
	[OP_GE] = ROW(">=", INTS | PTRS | STRS),
	[OP_LAND] = ROW("&&", INTS | PTRS),
	[OP_LOR] = ROW("||", INTS | PTRS),
	[OP_LXOR] = ROW("^^", INTS | PTRS),
};

static struct row assign[] = {
	[OP_ASSIGN] = ROW("=", ALL),	   [OP_ADD] = ROW("+=", INTS | PTRS),
	[OP_SUB] = ROW("-=", INTS | PTRS), [OP_MUL] = ROW("*=", INTS),
	[OP_DIV] = ROW("/=", INTS),	   [OP_MOD] = ROW("%=", INTS),
	[OP_AND] = ROW("&=", INTS),	   [OP_OR] = ROW("|=", INTS),
	[OP_XOR] = ROW("^=", INTS),	   [OP_SHL] = ROW("<<=", INTS),
	[OP_SHR] = ROW(">>=", INTS),
};

static struct row unary[] = {
	[OP_NEG] = ROW("-x", INTS),
	[OP_PLUS] = ROW("+x", INTS),
	[OP_NOT] = ROW("!x", INTS | PTRS),
	[OP_COMPL] = ROW("~x", INTS),
	[OP_DEREF] = ROW("*x", INTS | PTRS | SOUS),
	[OP_ADDROF] = ROW("&x", PTRS),
	[OP_PREINC] = ROW("++x", INTS | PTRS),
	[OP_PREDEC] = ROW("--x", INTS | PTRS),
	[OP_POSTINC] = ROW("x++", INTS | PTRS),
	[OP_POSTDEC] = ROW("x--", INTS | PTRS),
};

enum {
	COND,
	COMMA,
	CAST,
	STRINGOF,
	DOT,
	ARROW,
	BITFIELD,
	ELEM_ARRAY,
	ELEM_POINTER,
	ELEM_STRING,
	NOTHERS
};
static struct row others[NOTHERS] = {
	[COND] = ROW("?:", ALL),
	[COMMA] = ROW(",", ALL),
	[CAST] = ROW("(type)", INTS | PTRS),
	[STRINGOF] = ROW("stringof", PTRS),
	[DOT] = ROW("x.m", ALL),
	[ARROW] = ROW("x->m", ALL),
	[BITFIELD] = ROW("bit-field", ANY),
	[ELEM_ARRAY] = ROW("array[]", ALL),
	[ELEM_POINTER] = ROW("pointer[]", INTS | PTRS | SOUS),
	[ELEM_STRING] = ROW("string[]", ANY),
};

static struct row vars[] = {
	[IDENT_BUILTIN] = ROW(NULL, 0),
	[IDENT_GLOBAL] = ROW("global", ALL),
	[IDENT_ASSOC] = ROW("global[]", ALL),
	[IDENT_THREAD] = ROW("self->", ALL),
	[IDENT_THREAD_ASSOC] = ROW("self->[]", ALL),
	[IDENT_CLAUSE] = ROW("this->", ALL),
	[IDENT_SYMBOL] = ROW("`symbol", ANY),
};

enum { KEY_VAR, KEY_AGG, NKEYS };
static struct row keys[NKEYS] = { [KEY_VAR] = ROW("of variables", ALL),
				  [KEY_AGG] = ROW("of aggregations", ALL | STKS) };

enum { PREDICATE, STATEMENT, ACTION, AGGREGATION, IF, ELSE, DEFAULT, NSTMTS };
static struct row stmts[NSTMTS] = {
	[PREDICATE] = ROW("predicate", 0),
	[STATEMENT] = ROW("expression", 0),
	[ACTION] = ROW("action", 0),
	[AGGREGATION] = ROW("aggregation", 0),
	[IF] = ROW("if", 0),
	[ELSE] = ROW("else", 0),
	[DEFAULT] = ROW("default action", 0),
};

static unsigned long funcs[FN_MAX], builtins[BUILTIN_MAX];

#define NNAMES 64
static struct row providers[NNAMES], conversions[NNAMES], settings[NNAMES];

static int column(struct type *t)
{
	t = type_resolve(t);
	switch (t->kind) {
	case TYPE_INT:
	case TYPE_ENUM:
		return (t->is_signed ? I8 : U8) + (t->size == 8	  ? 3
						   : t->size == 4 ? 2
						   : t->size == 2 ? 1
								  : 0);
	case TYPE_POINTER:
	case TYPE_ARRAY: return PTR;
	case TYPE_STRING: return STR;
	case TYPE_STRUCT:
	case TYPE_UNION: return SOU;
	case TYPE_STACK:
	case TYPE_SYMADDR:
	case TYPE_USYMADDR: return STK;
	default: return OTHER;
	}
}

static void hit(struct row *r, struct type *t)
{
	r->n++;
	if (t)
		r->got |= 1u << column(t);
}

static void hit_name(struct row *rows, const char *name)
{
	int i = 0;

	while (i < NNAMES - 1 && rows[i].name && strcmp(rows[i].name, name))
		i++;
	if (!rows[i].name)
		rows[i].name = mem_strdup(name);
	rows[i].n++;
}

/* ---- trees ------------------------------------------------------------------------------------------- */

static void see(const struct node *n);

static void see_list(const struct node_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		see(l->v[i]);
}

static void see_keys(struct row *r, const struct node_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		hit(r, l->v[i]->type);
}

static void see_index(const struct node *n)
{
	const struct ident *id = n->u.index.ident;
	enum type_kind k;

	if (id && id->kind == IDENT_BUILTIN) {
		builtins[id->builtin]++;
	} else if (id) {
		hit(&vars[id->kind], n->type);
		see_keys(&keys[KEY_VAR], &n->u.index.keys);
	} else {
		k = type_resolve(n->a->type)->kind;
		hit(&others[k == TYPE_ARRAY    ? ELEM_ARRAY
			    : k == TYPE_STRING ? ELEM_STRING
					       : ELEM_POINTER],
		    n->type);
	}
	see_list(&n->u.index.keys);
}

static void see_var(const struct node *n)
{
	const struct ident *id = n->u.var.ident;

	if (id->kind == IDENT_BUILTIN)
		builtins[id->builtin]++;
	else
		hit(&vars[id->kind], n->type);
}

static void see_binary(const struct node *n)
{
	enum op op = n->u.op.op;
	struct type *t = n->u.op.arith;

	if (op == OP_LAND || op == OP_LOR || op == OP_LXOR)
		t = n->a->type;
	else if (op < OP_EQ && type_is_pointer(n->a->type))
		t = n->a->type;
	else if (!t)
		t = n->a->type;
	hit(&binary[op], t);
}

static void see_unary(const struct node *n)
{
	hit(&unary[n->u.op.op], n->u.op.op == OP_NOT ? n->a->type : n->type);
}

static void see(const struct node *n)
{
	if (!n)
		return;
	switch (n->kind) {
	case NODE_VAR: see_var(n); break;
	case NODE_INDEX: see_index(n); break;
	case NODE_CALL:
		funcs[n->u.call.func->id]++;
		see_list(&n->u.call.args);
		break;
	case NODE_AGG:
		see_keys(&keys[KEY_AGG], &n->u.agg.keys);
		see_list(&n->u.agg.keys);
		break;
	case NODE_UNARY:
	case NODE_INCDEC: see_unary(n); break;
	case NODE_BINARY: see_binary(n); break;
	case NODE_COND: hit(&others[COND], n->type); break;
	case NODE_COMMA: hit(&others[COMMA], n->type); break;
	case NODE_CAST: hit(&others[CAST], n->type); break;
	case NODE_STRINGOF: hit(&others[STRINGOF], n->a->type); break;
	case NODE_ASSIGN: hit(&assign[n->u.op.op], n->type); break;
	case NODE_MEMBER:
		hit(&others[n->u.member.arrow ? ARROW : DOT], n->type);
		if (n->u.member.member->bit_size)
			hit(&others[BITFIELD], n->type);
		break;
	default: break;
	}
	see(n->a);
	see(n->b);
	see(n->c);
}

static void see_format(const struct format *f)
{
	for (size_t i = 0; f && i < f->n; i++)
		if (f->v[i].conv)
			hit_name(conversions, f->v[i].name);
}

static void see_stmts(const struct stmt *st)
{
	for (; st; st = st->next) {
		hit(&stmts[st->kind == STMT_IF	     ? IF
			   : st->kind == STMT_ACTION ? ACTION
			   : st->kind == STMT_AGG    ? AGGREGATION
						     : STATEMENT],
		    NULL);
		see(st->expr);
		if (st->agg)
			see(st->agg);
		see_format(st->fmt);
		see_stmts(st->then);
		see_stmts(st->els);
		if (st->els)
			hit(&stmts[ELSE], NULL);
	}
}

void cover_program(const dtrace_hdl_t *dtp, const struct dprog *prog)
{
	static const char *const policies[] = { "switch", "fill", "ring" };

	hit_name(settings, policies[dtp->opt[OPT_BUFPOLICY]]);
	if (opt_on(dtp->opt, OPT_TEMPORAL) && dtp->opt[OPT_TEMPORAL])
		hit_name(settings, "temporal");
	if (opt_on(dtp->opt, OPT_ACCOUNTING) && dtp->opt[OPT_ACCOUNTING])
		hit_name(settings, "accounting");
	for (const struct clause *c = prog->clauses; c; c = c->next) {
		for (size_t i = 0; i < c->nspecs; i++)
			hit_name(providers, *c->specs[i].prov ? c->specs[i].prov : "dtrace");
		if (c->pred)
			hit(&stmts[PREDICATE], NULL);
		if (c->default_action)
			hit(&stmts[DEFAULT], NULL);
		see(c->pred);
		see_stmts(c->body);
	}
}

/* ---- report ------------------------------------------------------------------------------------------ */

static bool report_rows(FILE *out, const char *what, const struct row *r, size_t n, bool columns)
{
	bool all = true;

	fprintf(out, "%s:\n", what);
	for (size_t i = 0; i < n; i++) {
		unsigned int missing = r[i].want & ~r[i].got;

		if (!r[i].name)
			continue;
		fprintf(out, "  %-16s %8lu", r[i].name, r[i].n);
		for (int c = 0; columns && c < NCOLS; c++)
			if (r[i].got >> c & 1)
				fprintf(out, " %s", col_names[c]);
		for (int c = 0; c < NCOLS; c++)
			if (missing >> c & 1)
				fprintf(out, " NOT %s", col_names[c]);
		if (!r[i].n)
			fprintf(out, " NOT USED");
		fprintf(out, "\n");
		all &= r[i].n && !missing;
	}
	return all;
}

static void report_names(FILE *out, const char *what, const struct row *r)
{
	fprintf(out, "%s:", what);
	for (int i = 0; i < NNAMES && r[i].name; i++)
		fprintf(out, " %s %lu", r[i].name, r[i].n);
	fprintf(out, "\n");
}

/* copyout() and its like need a helper that kernels may be without. */
static bool lacking(const struct func *f)
{
	return (f->id == FN_copyout || f->id == FN_copyoutstr) &&
	       !kern_feature(KERN_FEATURE_WRITE_USER);
}

void cover_lacking(FILE *out)
{
	for (int i = 1; i < FN_MAX; i++)
		if (lacking(func_get(i)))
			fprintf(out, "%s\n", func_get(i)->name);
}

static bool report_funcs(FILE *out, const char *what, enum func_kind kind)
{
	bool all = true;

	fprintf(out, "%s:", what);
	for (int i = 1; i < FN_MAX; i++) {
		const struct func *f = func_get(i);

		if (f->kind != kind)
			continue;
		if (f->flags & FUNC_REFUSED)
			fprintf(out, " %s refused on Linux;", f->name);
		else if (!(f->flags & FUNC_EMIT))
			fprintf(out, " %s not built;", f->name);
		else if (lacking(f))
			fprintf(out, " %s refused on this kernel;", f->name);
		else
			fprintf(out, " %s %lu%s;", f->name, funcs[i], funcs[i] ? "" : " NOT USED");
		if (f->flags & FUNC_EMIT && !lacking(f) && !funcs[i])
			all = false;
	}
	fprintf(out, "\n");
	return all;
}

static bool report_builtins(FILE *out)
{
	bool all = true;

	fprintf(out, "built-in variables:");
	for (int i = 1; i < BUILTIN_MAX; i++) {
		bool built = builtin_flags(i) & BUILTIN_BUILT;

		if (!built)
			fprintf(out, " %s by its members;", builtin_name(i));
		else
			fprintf(out, " %s %lu%s;", builtin_name(i), builtins[i],
				builtins[i] ? "" : " NOT USED");
		all &= !built || builtins[i];
	}
	fprintf(out, "\n");
	return all;
}

bool cover_report(FILE *out)
{
	bool all = true;

	all &= report_rows(out, "binary operators", binary, ARRAY_SIZE(binary), true);
	all &= report_rows(out, "unary operators", unary, ARRAY_SIZE(unary), true);
	all &= report_rows(out, "assignments", assign, ARRAY_SIZE(assign), true);
	all &= report_rows(out, "other operators", others, ARRAY_SIZE(others), true);
	all &= report_rows(out, "variables", vars, ARRAY_SIZE(vars), true);
	all &= report_rows(out, "keys", keys, ARRAY_SIZE(keys), true);
	all &= report_rows(out, "statements", stmts, ARRAY_SIZE(stmts), false);
	all &= report_funcs(out, "actions", FUNC_ACTION);
	all &= report_funcs(out, "subroutines", FUNC_SUBR);
	all &= report_funcs(out, "aggregating functions", FUNC_AGG);
	all &= report_builtins(out);
	report_names(out, "formats", conversions);
	report_names(out, "providers", providers);
	report_names(out, "settings", settings);
	return all;
}
