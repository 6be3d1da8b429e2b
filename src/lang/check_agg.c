/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregation statements: one function, one set of parameters and one key signature for each name.
 * Once checked, the arguments of the call are the value (int64_t) and, if written, the increment
 * (int64_t); the constants of lquantize and llquantize are in ident->agg_params.
 */
#include <stdio.h>
#include <string.h>

#include "lang/check_impl.h"

int check_agg_ref(struct check *ck, struct node *n)
{
	struct ident *id = ident_lookup(ck->s, SCOPE_AGG, n->u.agg.name);

	if (!id)
		return diag_error(ck->d, "D_IDENT_UNDEF", n->loc,
				  "failed to resolve @%s: Unknown aggregation name", n->u.agg.name);
	n->u.agg.ident = id;
	n->type = type_dynamic(ck->ts);
	return 0;
}

/* ---- parameters of distributions ------------------------------------------------------------ */

static struct node *param(struct node *call, int i)
{
	return (size_t)i < call->u.call.args.n ? call->u.call.args.v[i] : NULL;
}

static bool const_param(const struct node *n, int64_t *v)
{
	if (n->kind != NODE_INT || !type_is_integer(n->type))
		return false;
	*v = (int64_t)n->u.integer.value;
	return true;
}

static int lquantize_bound(struct check *ck, struct node *call, int i, const char *type_tag,
			   const char *val_tag, int64_t *v)
{
	if (!const_param(param(call, i), v))
		return diag_error(ck->d, type_tag, call->loc,
				  "lquantize( ) argument #%d must be an integer constant", i);
	if (*v < INT32_MIN || *v > INT32_MAX)
		return diag_error(ck->d, val_tag, call->loc,
				  "lquantize( ) argument #%d must be a 32-bit quantity", i);
	return 0;
}

static int params_match(struct check *ck, struct node *call, struct ident *id, const int64_t *v,
			int n, const char *const *tags, const char *const *texts)
{
	if (!id->agg_nparams) {
		memcpy(id->agg_params, v, n * sizeof(*v));
		id->agg_nparams = n;
		return 0;
	}
	for (int i = 0; i < n; i++)
		if (id->agg_params[i] != v[i])
			return diag_error(
				ck->d, tags[i], call->loc,
				"%s doesn't match previous declaration: expected %lld, found %lld",
				texts[i], (long long)id->agg_params[i], (long long)v[i]);
	return 0;
}

static int lquantize_params(struct check *ck, struct node *call, struct ident *id)
{
	static const char *const tags[] = { "D_LQUANT_MATCHBASE", "D_LQUANT_MATCHLIM",
					    "D_LQUANT_MATCHSTEP" };
	static const char *const texts[] = { "lquantize( ) base (argument #1)",
					     "lquantize( ) limit (argument #2)",
					     "lquantize( ) step (argument #3)" };
	int64_t v[3] = { 0, 0, 1 }, levels;

	if (lquantize_bound(ck, call, 1, "D_LQUANT_BASETYPE", "D_LQUANT_BASEVAL", &v[0]) ||
	    lquantize_bound(ck, call, 2, "D_LQUANT_LIMTYPE", "D_LQUANT_LIMVAL", &v[1]))
		return -1;
	if (v[0] >= v[1])
		return diag_error(
			ck->d, "D_LQUANT_MISMATCH", call->loc,
			"lquantize( ) base (argument #1) must be less than limit (argument #2)");
	if (param(call, 3) && (!const_param(param(call, 3), &v[2]) || v[2] <= 0))
		return diag_error(
			ck->d, "D_LQUANT_STEPTYPE", call->loc,
			"lquantize( ) argument #3 must be a non-zero positive integer constant");
	if (v[2] > UINT16_MAX)
		return diag_error(ck->d, "D_LQUANT_STEPVAL", call->loc,
				  "lquantize( ) argument #3 must be a 16-bit quantity");
	levels = (v[1] - v[0]) / v[2];
	if (!levels)
		return diag_error(ck->d, "D_LQUANT_STEPLARGE", call->loc,
				  "lquantize( ) step (argument #3) too large: must have at least "
				  "one quantization level");
	if (levels > UINT16_MAX)
		return diag_error(ck->d, "D_LQUANT_STEPSMALL", call->loc,
				  "lquantize( ) step (argument #3) too small: number of "
				  "quantization levels must be a 16-bit "
				  "quantity");
	return params_match(ck, call, id, v, 3, tags, texts);
}

/* factor to the power n, or 0 when it does not fit 64 bits. */
static uint64_t power(uint64_t factor, int64_t n)
{
	uint64_t v = 1;

	for (int64_t i = 0; i < n; i++)
		if (i > 64 || __builtin_mul_overflow(v, factor, &v))
			return 0;
	return v;
}

static int llquantize_steps(struct check *ck, struct node *call, const int64_t *v)
{
	uint64_t factor = v[0], low = v[1], steps = v[3], p;
	const char *what = NULL;

	if (steps < factor) {
		if (factor % steps)
			what = "must evenly divide argument #1 (factor) when steps<factor";
	} else if (steps > factor) {
		/* Beyond 64 bits the power holds every prime of the factor often enough for 16-bit
		 * steps only if steps divides some lower power; the lower one is looked at then. */
		p = power(factor, low ? (int64_t)low + 1 : 2);
		for (int64_t n = low; low && !p; n--)
			p = power(factor, n);
		if (steps % factor)
			what = "must be a multiple of argument #1 (factor) when steps>factor";
		else if (!low && p % steps)
			what = "must evenly divide the square of argument #1 (factor) when "
			       "steps>factor and lmag==0";
		else if (low && p % steps)
			what = "must evenly divide pow(argument #1 (factor), lmag (argument #2) + "
			       "1) when steps>factor and "
			       "lmag>0";
	}
	if (what)
		return diag_error(ck->d, "D_LLQUANT_STEPVAL", call->loc,
				  "llquantize() argument #4 (steps) %s", what);
	return 0;
}

static int llquantize_values(struct check *ck, struct node *call, int64_t *v)
{
	static const char *const types[] = { "D_LLQUANT_FACTORTYPE", "D_LLQUANT_LMAGTYPE",
					     "D_LLQUANT_HMAGTYPE" };

	for (int i = 0; i < 3; i++)
		if (!const_param(param(call, i + 1), &v[i]))
			return diag_error(ck->d, types[i], call->loc,
					  "llquantize( ) argument #%d must be an integer constant",
					  i + 1);
	if (v[0] < 2 || v[0] > UINT16_MAX)
		return diag_error(ck->d, "D_LLQUANT_FACTORVAL", call->loc,
				  "llquantize( ) argument #1 must be an unsigned 16-bit quantity "
				  "greater than or equal to 2");
	if (v[1] < 0 || v[1] > UINT16_MAX)
		return diag_error(ck->d, "D_LLQUANT_LMAGVAL", call->loc,
				  "llquantize( ) argument #2 must be an unsigned 16-bit quantity");
	if (v[2] < 0 || v[2] > UINT16_MAX)
		return diag_error(ck->d, "D_LLQUANT_HMAGVAL", call->loc,
				  "llquantize( ) argument #3 must be an unsigned 16-bit quantity");
	if (v[2] < v[1])
		return diag_error(ck->d, "D_LLQUANT_HMAGVAL", call->loc,
				  "llquantize( ) argument #3 (high magnitude) must be at least "
				  "argument #2 (low magnitude)");
	if (!power(v[0], v[2] + 1))
		return diag_error(ck->d, "D_LLQUANT_HMAGVAL", call->loc,
				  "llquantize( ) argument #3 (high magnitude) will cause overflow "
				  "of 64 bits");
	if (!const_param(param(call, 4), &v[3]) || v[3] <= 0)
		return diag_error(
			ck->d, "D_LLQUANT_STEPTYPE", call->loc,
			"llquantize( ) argument #4 must be a non-zero positive integer constant");
	if (v[3] > UINT16_MAX)
		return diag_error(ck->d, "D_LLQUANT_STEPVAL", call->loc,
				  "llquantize( ) argument #4 must be an unsigned 16-bit quantity");
	return llquantize_steps(ck, call, v);
}

static int llquantize_params(struct check *ck, struct node *call, struct ident *id)
{
	static const char *const tags[] = { "D_LLQUANT_MATCHFACTOR", "D_LLQUANT_MATCHLMAG",
					    "D_LLQUANT_MATCHHMAG", "D_LLQUANT_MATCHSTEPS" };
	static const char *const texts[] = { "llquantize() factor (argument #1)",
					     "llquantize() lmag (argument #2)",
					     "llquantize() hmag (argument #3)",
					     "llquantize() steps (argument #4)" };
	int64_t v[4] = { 0 };

	if (llquantize_values(ck, call, v))
		return -1;
	return params_match(ck, call, id, v, 4, tags, texts);
}

/* ---- the statement --------------------------------------------------------------------------- */

static int check_increment(struct check *ck, struct node *call, struct node *incr, size_t number)
{
	if (type_is_scalar(incr->type))
		return 0;
	return diag_error(ck->d, "D_PROTO_ARG", call->loc,
			  "%s( ) increment value (argument #%zu) must be of scalar type",
			  call->u.call.func->name, number);
}

/* Leaves value and increment, converted, as the arguments. */
static int check_agg_args(struct check *ck, struct node *call, struct ident *id)
{
	enum func_id fn = call->u.call.func->id;
	struct node_list *args = &call->u.call.args;
	struct node *value = param(call, 0), *incr;
	int at = fn == FN_quantize ? 1 : fn == FN_lquantize ? 4 : fn == FN_llquantize ? 5 : -1;

	if (!value)
		return 0;
	if (!type_is_scalar(value->type) || check_is_dynamic(value))
		return diag_error(ck->d, "D_AGG_SCALAR", call->loc,
				  "%s( ) argument #1 must be of scalar type",
				  call->u.call.func->name);
	incr = at < 0 ? NULL : param(call, at);
	if (incr && check_increment(ck, call, incr, at + 1))
		return -1;
	if ((fn == FN_lquantize && lquantize_params(ck, call, id)) ||
	    (fn == FN_llquantize && llquantize_params(ck, call, id)))
		return -1;
	args->v[0] = check_cast(ck, check_cut(ck, value), type_int64(ck->ts));
	args->n = 1;
	if (incr) {
		args->v[1] = check_cast(ck, check_cut(ck, incr), type_int64(ck->ts));
		args->n = 2;
	}
	return 0;
}

static int check_redefined(struct check *ck, struct srcloc loc, const struct ident *id,
			   const struct func *f)
{
	if (!id->aggfunc || id->aggfunc == f)
		return 0;
	return diag_error(ck->d, "D_AGG_REDEF", loc,
			  "aggregation redefined: @%s\n\t current: @%s = %s( )\n\tprevious: @%s = "
			  "%s( ) : line %d",
			  id->name, id->name, f->name, id->name, id->aggfunc->name, id->line);
}

static int check_order(struct check *ck, struct srcloc loc)
{
	if (ck->committed)
		return diag_error(ck->d, "D_AGG_COMM", loc,
				  "aggregating actions may not follow commit( )");
	if (ck->speculated)
		return diag_error(ck->d, "D_AGG_SPEC", loc,
				  "aggregating actions may not follow speculate( )");
	return 0;
}

/* The call on the right: any number of arguments the prototype allows, typed but not converted. */
static int check_agg_call(struct check *ck, struct node *call)
{
	struct node_list *args = &call->u.call.args;
	struct func any = *call->u.call.func;
	const struct func *f = call->u.call.func;
	int rc;

	/* Types of the parameters have messages of their own; here only the number counts. */
	any.proto = f->id == FN_lquantize    ? "void (@, @, @, [ @, @)"
		    : f->id == FN_llquantize ? "void (@, @, @, @, @, [ @)"
					     : f->proto;
	call->u.call.func = &any;
	rc = check_call_args(ck, call);
	call->u.call.func = f;
	for (size_t i = 0; !rc && i < args->n; i++)
		if (type_resolve(args->v[i]->type)->kind == TYPE_ARRAY)
			args->v[i] = check_cast(
				ck, args->v[i],
				type_pointer(ck->ts, type_resolve(args->v[i]->type)->ref));
	return rc;
}

int check_agg_stmt(struct check *ck, struct stmt *st)
{
	struct node *n = st->expr, *agg = n->a, *call = n->b;
	const struct func *f;
	struct ident *id;

	if (agg->kind == NODE_INDEX)
		return diag_error(ck->d, "D_AGG_MDIM", n->loc,
				  "improper attempt to reference @%s as a multi-dimensional array",
				  agg->a->u.agg.name);
	f = call->kind == NODE_CALL && call->u.call.name ? func_lookup(call->u.call.name) : NULL;
	if (call->kind == NODE_CALL && !f && !check_callee(ck, call))
		return -1;
	if (n->u.op.op != OP_ASSIGN || !f || f->kind != FUNC_AGG)
		return diag_error(ck->d, "D_AGG_FUNC", n->loc,
				  "@%s must be assigned the result of an aggregating function",
				  agg->u.agg.name);
	call->u.call.func = f;
	id = ident_lookup(ck->s, SCOPE_AGG, agg->u.agg.name);
	if (check_order(ck, n->loc) || (id && check_redefined(ck, n->loc, id, f)))
		return -1;
	if (!id)
		id = ident_create(ck->s, IDENT_AGG, agg->u.agg.name, type_dynamic(ck->ts),
				  n->loc.line);
	id->aggfunc = f;
	if (check_keys(ck, id, &agg->u.agg.keys, agg->loc, "aggregation") ||
	    check_agg_call(ck, call) || check_agg_args(ck, call, id))
		return -1;
	agg->u.agg.ident = id;
	agg->type = type_dynamic(ck->ts);
	st->kind = STMT_AGG;
	st->agg = agg;
	st->expr = call;
	return 0;
}
