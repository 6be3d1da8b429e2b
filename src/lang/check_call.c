/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls: prototypes of func.def, and what a prototype cannot say (chk_*: formats, constants,
 * aggregations).
 */
#include <stdio.h>
#include <string.h>

#include "lang/check_impl.h"
#include "lang/format.h"

/* ---- prototypes ---------------------------------------------------------------------------- */

#define PROTO_MAX 8

enum param_kind { PARAM_TYPE, PARAM_ANY, PARAM_AGG };

struct proto {
	struct type *ret;
	size_t n, min; /* parameters; how many of them must be there */
	bool varargs;
	struct {
		enum param_kind kind;
		struct type *type;
	} v[PROTO_MAX];
};

/* A type of the table; what this kernel does not have is a pointer to anything. */
static struct type *proto_type(struct check *ck, const char *s, size_t n)
{
	char *text = arena_strndup(ck->arena, s, n);
	struct type *t = type_parse(ck->ts, text);

	return t ? t : type_pointer(ck->ts, type_void(ck->ts));
}

static void proto_param(struct check *ck, struct proto *p, const char *s, size_t n, bool *optional)
{
	while (n && *s == ' ')
		s++, n--;
	while (n && s[n - 1] == ' ')
		n--;
	if (n && *s == '[') {
		*optional = true;
		proto_param(ck, p, s + 1, n - 1, optional);
		return;
	}
	if (!n || p->n == PROTO_MAX)
		return;
	if (n == 3 && !strncmp(s, "...", 3)) {
		p->varargs = true;
		return;
	}
	p->v[p->n].kind = *s == '@'			    ? PARAM_ANY
			  : n == 3 && !strncmp(s, "agg", 3) ? PARAM_AGG
							    : PARAM_TYPE;
	if (p->v[p->n].kind == PARAM_TYPE)
		p->v[p->n].type = proto_type(ck, s, n);
	p->n++;
	if (!*optional)
		p->min = p->n;
}

static void proto_read(struct check *ck, const struct func *f, struct proto *p)
{
	const char *open = strchr(f->proto, '('), *s = open + 1, *end = strrchr(f->proto, ')');
	bool optional = false;

	memset(p, 0, sizeof(*p));
	p->ret = proto_type(ck, f->proto, open - f->proto - (open[-1] == ' '));
	while (s < end) {
		size_t n = strcspn(s, ",)");

		proto_param(ck, p, s, n, &optional);
		s += n + 1;
	}
}

static int proto_count(struct check *ck, struct node *n, const struct proto *p)
{
	const struct func *f = n->u.call.func;
	size_t argc = n->u.call.args.n;
	const char *limit = "";
	size_t want = p->min;

	if (argc >= p->min && (p->varargs || argc <= p->n))
		return 0;
	if (argc < p->min) {
		if (p->varargs || p->min != p->n)
			limit = "at least ";
	} else {
		want = p->n;
		if (p->min != p->n)
			limit = "at most ";
	}
	return diag_error(ck->d, "D_PROTO_LEN", n->loc,
			  "%s( ) prototype mismatch: %zu arg%s passed, %s%zu expected", f->name,
			  argc, argc == 1 ? "" : "s", limit, want);
}

static int arg_error(struct check *ck, struct node *n, size_t i, const char *want)
{
	struct node *arg = n->u.call.args.v[i];

	return diag_error(ck->d, "D_PROTO_ARG", arg->loc,
			  "%s( ) argument #%zu is incompatible with prototype:\n\tprototype: "
			  "%s\n\t argument: %s",
			  n->u.call.func->name, i + 1, want, check_type_name(ck->ts, arg));
}

/* An address may be passed as a number too, and text where a string pointer is wanted. */
static bool arg_fits(struct type *want, const struct node *arg)
{
	enum type_kind k = type_resolve(want)->kind;

	if (check_is_dynamic(arg))
		return false;
	if (k == TYPE_POINTER && type_is_string_like(want))
		return type_is_string_like(arg->type) || check_is_null(arg);
	if (type_is_integer(want) && type_resolve(want)->size == 8 && type_is_pointer(arg->type))
		return true;
	return check_assignable(want, arg);
}

static struct node *arg_convert(struct check *ck, struct node *arg, struct type *want)
{
	/* Strings are passed as strings whatever they come from. */
	if (type_resolve(want)->kind == TYPE_POINTER && type_is_string_like(want))
		want = type_string(ck->ts);
	if (type_is_integer(want) && type_is_pointer(arg->type))
		return check_cast(ck, arg, want);
	return check_convert(ck, arg, want);
}

static int proto_args(struct check *ck, struct node *n, const struct proto *p)
{
	struct node_list *args = &n->u.call.args;

	for (size_t i = 0; i < args->n && i < p->n; i++) {
		if (p->v[i].kind == PARAM_ANY || p->v[i].kind == PARAM_AGG)
			continue;
		if (!arg_fits(p->v[i].type, args->v[i]))
			return arg_error(ck, n, i, type_name(ck->ts, p->v[i].type));
		args->v[i] = arg_convert(ck, args->v[i], p->v[i].type);
	}
	return 0;
}

/* ---- checkers of single functions: arguments are typed, the prototype holds ----------------- */

static struct node *arg(struct node *n, size_t i)
{
	return i < n->u.call.args.n ? n->u.call.args.v[i] : NULL;
}

/* A constant above the limit, as it was before it became an argument of an unsigned type. */
static bool const_above(const struct node *n, int64_t limit)
{
	int64_t v;

	if (n->kind != NODE_INT || !type_is_integer(n->type))
		return false;
	v = (int64_t)n->u.integer.value;
	return (type_resolve(n->type)->size == 4 ? (int32_t)v : v) > limit;
}

static int chk_trace(struct check *ck, struct node *n, struct stmt *st)
{
	struct node *a = arg(n, 0);

	(void)st;
	if (type_resolve(a->type)->kind == TYPE_VOID)
		return diag_error(ck->d, "D_TRACE_VOID", n->loc,
				  "trace( ) may not be applied to a void expression");
	if (check_is_dynamic(a))
		return diag_error(ck->d, "D_TRACE_DYN", n->loc,
				  "trace( ) may not be applied to a dynamic expression");
	n->u.call.args.v[0] = check_cut(ck, a);
	return 0;
}

static int chk_print(struct check *ck, struct node *n, struct stmt *st)
{
	struct node *a = arg(n, 0);
	struct type *t;

	(void)st;
	if (type_resolve(a->type)->kind == TYPE_VOID)
		return diag_error(ck->d, "D_PRINT_VOID", n->loc,
				  "print( ) may not be applied to a void expression");
	if (a->kind == NODE_AGG)
		return diag_error(
			ck->d, "D_PRINT_AGG", n->loc,
			"print( ) may not be applied to an aggregation -- did you mean printa()?");
	if (check_is_dynamic(a))
		return diag_error(ck->d, "D_PRINT_DYN", n->loc,
				  "print( ) may not be applied to a translated pointer");
	n->u.call.args.v[0] = check_cut(ck, a);
	t = type_resolve(a->type);
	if (t->kind == TYPE_POINTER && !type_resolve(t->ref)->size)
		return diag_error(ck->d, "D_PRINT_SIZE", n->loc,
				  "print( ) argument #1 reference has type '%s' with size 0; cannot "
				  "print( ) it.",
				  type_name(ck->ts, t->ref));
	return 0;
}

static int chk_tracemem(struct check *ck, struct node *n, struct stmt *st)
{
	struct node *addr = arg(n, 0);

	(void)st;
	if (check_is_dynamic(addr) || !(type_is_pointer(addr->type) || type_is_integer(addr->type)))
		return diag_error(ck->d, "D_TRACEMEM_ADDR", n->loc,
				  "tracemem( ) argument #1 is incompatible with "
				  "prototype:\n\tprototype: pointer or integer\n"
				  "\t argument: %s",
				  check_type_name(ck->ts, addr));
	if (!const_above(arg(n, 1), 0))
		return diag_error(ck->d, "D_TRACEMEM_SIZE", n->loc,
				  "tracemem( ) argument #2 must be a non-zero positive integral "
				  "constant expression");
	return 0;
}

static int chk_stack(struct check *ck, struct node *n, struct stmt *st)
{
	(void)st;
	if (arg(n, 0) && !const_above(arg(n, 0), 0))
		return diag_error(
			ck->d, "D_STACK_SIZE", n->loc,
			"stack( ) argument #1 must be a non-zero positive integer constant");
	return 0;
}

static int chk_ustack(struct check *ck, struct node *n, struct stmt *st)
{
	const char *name = n->u.call.func->name;

	(void)st;
	if (arg(n, 0) && !const_above(arg(n, 0), 0))
		return diag_error(ck->d, "D_USTACK_FRAMES", n->loc,
				  "%s( ) argument #1 must be a non-zero positive integer constant",
				  name);
	if (arg(n, 1) && !const_above(arg(n, 1), -1))
		return diag_error(ck->d, "D_USTACK_STRSIZE", n->loc,
				  "%s( ) argument #2 must be a positive integer constant", name);
	return 0;
}

static int chk_alloca(struct check *ck, struct node *n, struct stmt *st)
{
	struct node *size = arg(n, 0);

	(void)st;
	if (size->kind != NODE_INT || size->u.integer.value <= ck->s->opt.scratchsize)
		return 0;
	return diag_error(
		ck->d, "D_ALLOCA_SIZE", n->loc, "alloca(%lu) size larger than scratchsize %lu",
		(unsigned long)size->u.integer.value, (unsigned long)ck->s->opt.scratchsize);
}

static int chk_inet_ntoa6(struct check *ck, struct node *n, struct stmt *st)
{
	(void)st;
	if (arg(n, 1) && arg(n, 1)->kind != NODE_INT)
		return diag_error(ck->d, "D_PROTO_ARG", n->loc,
				  "inet_ntoa6( ) argument #2 must be an integer constant");
	return 0;
}

/* The values behind a format, each as its conversion takes it: text as strings, numbers cut to
 * their width. */
static void format_convert(struct check *ck, const struct format *f, struct node_list *args)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct format_conv *c = &f->v[i];
		size_t at = c->arg;

		if (c->arg < 0)
			continue;
		if (c->flags & FMT_DYNWIDTH)
			args->v[at] = check_convert(ck, args->v[at], type_int(ck->ts)), at++;
		if (c->flags & FMT_DYNPREC)
			args->v[at] = check_convert(ck, args->v[at], type_int(ck->ts)), at++;
		if (c->flags & FMT_AGG)
			continue;
		if (c->conv == 's' || c->conv == 'S')
			args->v[at] = type_is_string_like(args->v[at]->type)
					      ? check_convert(ck, args->v[at], type_string(ck->ts))
					      : args->v[at];
		else
			args->v[at] = check_cut(ck, args->v[at]);
	}
}

static int chk_printf(struct check *ck, struct node *n, struct stmt *st)
{
	const char *name = n->u.call.func->name;
	struct node *fmt = arg(n, 0);
	struct format *f;

	if (fmt->kind != NODE_STRING)
		return diag_error(ck->d, "D_PRINTF_ARG_FMT", fmt->loc,
				  "%s( ) argument #1 is incompatible with prototype:\n\tprototype: "
				  "string constant\n"
				  "\t argument: %s",
				  name, check_type_name(ck->ts, fmt));
	f = format_parse(ck->arena, ck->d, n->loc, name, fmt->u.str.s, fmt->u.str.len);
	if (!f || format_check(ck->ts, f, ck->d, name, &n->u.call.args, 1, false))
		return -1;
	format_convert(ck, f, &n->u.call.args);
	st->fmt = f;
	return 0;
}

static int chk_freopen(struct check *ck, struct node *n, struct stmt *st)
{
	struct node *fmt = arg(n, 0);

	if (fmt->kind == NODE_STRING && fmt->u.str.len == 1 && fmt->u.str.s[0] == '.')
		return diag_error(ck->d, "D_FREOPEN_INVALID", n->loc,
				  "%s( ) argument #1 cannot be \"%s\"", n->u.call.func->name, ".");
	/* freopen("") restores the output: an empty format has a meaning here */
	if (fmt->kind == NODE_STRING && !fmt->u.str.len && n->u.call.args.n == 1)
		return 0;
	return chk_printf(ck, n, st);
}

/* ---- printa and the functions on aggregations ------------------------------------------------ */

static int agg_unknown(struct check *ck, struct node *n, const char *tag, const struct node *a)
{
	return diag_error(ck->d, tag, n->loc, "undefined aggregation: @%s", a->u.agg.name);
}

static int printa_keys(struct check *ck, struct node *n, const struct ident *first,
		       const struct ident *id)
{
	if (first->nkeys != id->nkeys)
		return diag_error(ck->d, "D_PRINTA_AGGKEY", n->loc,
				  "printa( ): @%s and @%s do not have matching key signatures: @%s "
				  "has %zu key%s, @%s has "
				  "%zu key%s",
				  first->name, id->name, first->name, first->nkeys,
				  first->nkeys == 1 ? "" : "s", id->name, id->nkeys,
				  id->nkeys == 1 ? "" : "s");
	for (size_t i = 0; i < id->nkeys; i++) {
		struct type *a = type_resolve(first->keys[i]), *b = type_resolve(id->keys[i]);
		bool both_ints = type_is_integer(a) && type_is_integer(b);

		if (both_ints || type_compatible(a, b))
			continue;
		return diag_error(ck->d, "D_PRINTA_AGGPROTO", n->loc,
				  "printa( ): @%s[ ] key #%zu is incompatible with @%s:\n%9s key "
				  "#%zu: %s\n%9s key #%zu: %s",
				  id->name, i + 1, first->name, first->name, i + 1,
				  type_name(ck->ts, first->keys[i]), id->name, i + 1,
				  type_name(ck->ts, id->keys[i]));
	}
	return 0;
}

/* Arguments from `from` on must be aggregations of one key signature. */
static int printa_aggs(struct check *ck, struct node *n, size_t from)
{
	struct node_list *args = &n->u.call.args;

	for (size_t i = from; i < args->n; i++) {
		struct node *a = args->v[i];

		if (a->kind != NODE_AGG || a->u.agg.keys.n)
			return diag_error(
				ck->d, "D_PRINTA_AGGARG", n->loc,
				"printa( ) argument #%zu is incompatible with prototype:\n"
				"\tprototype: aggregation\n\t argument: %s",
				i + 1,
				a->kind == NODE_AGG ? "aggregation element"
						    : check_type_name(ck->ts, a));
		if (i > from && printa_keys(ck, n, args->v[from]->u.agg.ident, a->u.agg.ident))
			return -1;
	}
	return 0;
}

/* A key as an argument of the format. */
static struct node *key_node(struct check *ck, struct srcloc loc, struct type *t)
{
	struct node *k = check_node(ck, NODE_CAST, loc);

	k->type = t;
	return k;
}

static bool is_distribution(const struct func *f)
{
	return f->id == FN_quantize || f->id == FN_lquantize || f->id == FN_llquantize;
}

/* %@ takes the aggregations in order, the last one again when there are no more. */
static int printa_values(struct check *ck, struct node *n, const struct format *f)
{
	struct node_list *args = &n->u.call.args;
	size_t at = 1;

	for (size_t i = 0; i < f->n; i++) {
		if (!(f->v[i].flags & FMT_AGG))
			continue;
		if (!is_distribution(args->v[at]->u.agg.ident->aggfunc) &&
		    format_check_agg(ck->ts, &f->v[i], (int)i + 1, ck->d, n->loc, at + 1))
			return -1;
		at = MIN(at + 1, args->n - 1);
	}
	return 0;
}

static int printa_format(struct check *ck, struct node *n, struct stmt *st, const struct ident *agg)
{
	struct node *fmt = arg(n, 0);
	struct node_list keys = { 0 };
	struct format *f =
		format_parse(ck->arena, ck->d, n->loc, "printa", fmt->u.str.s, fmt->u.str.len);

	if (!f)
		return -1;
	keys.n = agg->nkeys;
	keys.v = arena_alloc(ck->arena, (keys.n + 1) * sizeof(*keys.v));
	for (size_t i = 0; i < keys.n; i++)
		keys.v[i] = key_node(ck, n->loc, agg->keys[i]);
	keys.v[keys.n] = fmt; /* behind the last: the place for messages when there is no key */
	st->fmt = f;
	if (format_check(ck->ts, f, ck->d, "printa", &keys, 0, true))
		return -1;
	return printa_values(ck, n, f);
}

static int chk_printa(struct check *ck, struct node *n, struct stmt *st)
{
	size_t from = arg(n, 0)->kind == NODE_STRING ? 1 : 0;

	if (from && n->u.call.args.n == 1)
		return diag_error(ck->d, "D_PRINTA_PROTO", n->loc,
				  "printa( ) prototype mismatch: %d args passed, %d expected", 1,
				  2);
	if (printa_aggs(ck, n, from))
		return -1;
	return from ? printa_format(ck, n, st, arg(n, 1)->u.agg.ident) : 0;
}

/* clear, trunc, normalize, denormalize: the tags bear the family's name. */
static const char *agg_tag(enum func_id id, bool undefined)
{
	switch (id) {
	case FN_clear: return undefined ? "D_CLEAR_AGGBAD" : "D_CLEAR_AGGARG";
	case FN_trunc: return undefined ? "D_TRUNC_AGGBAD" : "D_TRUNC_AGGARG";
	case FN_printa: return undefined ? "D_PRINTA_AGGBAD" : "D_PRINTA_AGGARG";
	default: return undefined ? "D_NORMALIZE_AGGBAD" : "D_NORMALIZE_AGGARG";
	}
}

static int chk_aggarg(struct check *ck, struct node *n, struct stmt *st)
{
	struct node *a = arg(n, 0);

	(void)st;
	if (a->kind == NODE_AGG && !a->u.agg.keys.n)
		return 0;
	return diag_error(ck->d, agg_tag(n->u.call.func->id, false), n->loc,
			  "%s( ) argument #1 is incompatible with prototype:\n\tprototype: "
			  "aggregation\n\t argument: %s",
			  n->u.call.func->name,
			  a->kind == NODE_AGG ? "aggregation element" : check_type_name(ck->ts, a));
}

static int (*const checkers[FN_MAX])(struct check *ck, struct node *n, struct stmt *st) = {
	[FN_trace] = chk_trace,	      [FN_print] = chk_print,
	[FN_tracemem] = chk_tracemem, [FN_stack] = chk_stack,
	[FN_ustack] = chk_ustack,     [FN_jstack] = chk_ustack,
	[FN_alloca] = chk_alloca,     [FN_inet_ntoa6] = chk_inet_ntoa6,
	[FN_printf] = chk_printf,     [FN_system] = chk_printf,
	[FN_freopen] = chk_freopen,   [FN_printa] = chk_printa,
	[FN_clear] = chk_aggarg,      [FN_trunc] = chk_aggarg,
	[FN_normalize] = chk_aggarg,  [FN_denormalize] = chk_aggarg,
};

/* ---- calls ---------------------------------------------------------------------------------- */

/* Why an action cannot be. */
static const char *refusal(enum func_id id)
{
	return id == FN_breakpoint ? "tracing programs cannot enter the kernel debugger"
				   : "tracing programs cannot stop the kernel";
}

const struct func *check_callee(struct check *ck, struct node *n)
{
	struct ident *id;

	if (!n->u.call.name) {
		diag_error(ck->d, "D_FUNC_IDENT", n->loc,
			   "function designator is not of function type");
		return NULL;
	}
	id = ident_lookup(ck->s, SCOPE_GLOBAL, n->u.call.name);
	if (!id) {
		diag_error(ck->d, "D_FUNC_UNDEF", n->loc, "undefined function name: %s",
			   n->u.call.name);
		return NULL;
	}
	if (id->kind != IDENT_FUNC) {
		diag_error(ck->d, "D_FUNC_IDKIND", n->loc,
			   "%s '%s' may not be referenced as a function", ident_kind_name(id),
			   id->name);
		return NULL;
	}
	if ((id->func->flags & FUNC_REFUSED) && id->func->kind == FUNC_ACTION) {
		diag_error(ck->d, "D_UNKNOWN", n->loc, "%s() is not possible on Linux: %s",
			   id->name, refusal(id->func->id));
		return NULL;
	}
	if (id->func->flags & FUNC_REFUSED) {
		diag_error(ck->d, "D_FUNC_UNDEF", n->loc, "unimplemented subroutine: %s", id->name);
		return NULL;
	}
	n->u.call.func = id->func;
	return id->func;
}

bool check_is_action_call(const struct node *n)
{
	const struct func *f =
		n->kind == NODE_CALL && n->u.call.name ? func_lookup(n->u.call.name) : NULL;

	return f && f->kind != FUNC_SUBR;
}

int check_call_args(struct check *ck, struct node *n)
{
	const struct func *f = n->u.call.func;
	struct node_list *args = &n->u.call.args;
	struct proto p;

	proto_read(ck, f, &p);
	n->type = p.ret;
	if (proto_count(ck, n, &p))
		return -1;
	for (size_t i = 0; i < args->n; i++) {
		/* An aggregation that nothing has defined yet has a message for each function. */
		if ((f->flags & FUNC_AGGARG) && args->v[i]->kind == NODE_AGG &&
		    !ident_lookup(ck->s, SCOPE_AGG, args->v[i]->u.agg.name))
			return agg_unknown(ck, n, agg_tag(f->id, true), args->v[i]);
		if (check_expr(ck, &args->v[i]))
			return -1;
	}
	if (proto_args(ck, n, &p))
		return -1;
	if (!(f->flags & FUNC_EMIT))
		check_unbuilt(ck, n->loc,
			      arena_printf(ck->arena, "%s() is not implemented (yet)", f->name));
	if ((f->flags & FUNC_DESTRUCTIVE) && ck->clause) {
		ck->clause->destructive = true;
		if (f->kind == FUNC_SUBR && ck->speculated)
			return diag_error(ck->d, "D_ACT_SPEC", n->loc,
					  "destructive actions may not follow speculate( )");
	}
	return 0;
}

int check_call(struct check *ck, struct node **np)
{
	struct node *n = *np;
	const struct func *f = check_callee(ck, n);
	struct stmt none = { 0 };

	if (!f)
		return -1;
	if (f->kind != FUNC_SUBR)
		return diag_error(ck->d, "D_CG_EXPR", n->loc,
				  "%s %s( ) may not be called from a D expression (D program "
				  "context required)",
				  f->kind == FUNC_AGG ? "aggregating function" : "tracing function",
				  f->name);
	if (check_call_args(ck, n))
		return -1;
	return (f->flags & FUNC_CHECK) && checkers[f->id] ? checkers[f->id](ck, n, &none) : 0;
}

int check_action(struct check *ck, struct stmt *st)
{
	struct node *n = st->expr;

	if (check_call_args(ck, n))
		return -1;
	return checkers[n->u.call.func->id] ? checkers[n->u.call.func->id](ck, n, st) : 0;
}

/* stack(), sym() and the like as the key of an aggregation. */
int check_address_key(struct check *ck, struct node **np)
{
	struct node *n = *np;
	const struct func *f = check_callee(ck, n);
	struct stmt none = { 0 };

	if (!f)
		return -1;
	if (!(f->flags & FUNC_ADDRESS))
		return check_call(ck, np);
	if (check_call_args(ck, n))
		return -1;
	return checkers[f->id] ? checkers[f->id](ck, n, &none) : 0;
}
