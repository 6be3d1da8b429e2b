/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a clause leaves behind: the layout of its record, its aggregations and their key shapes; and
 * cg_clause_prepare(), which ends with the trial emission that tells the clause's needs.
 *
 * A record: header, presence words, then the fields of the actions in order, each aligned to its
 * size; behind this fixed part the bytes of the strings. What the consumer knows anyway is not
 * recorded.
 */
#include <stddef.h>
#include <string.h>

#include "codegen/cg_impl.h"

#define AGG_FIXED_START 64 /* of a half of an aggregation buffer: the first keyless value */

/* ---- fields ---- */

static const struct node *stripped(const struct node *n)
{
	while ((n->kind == NODE_CAST || n->kind == NODE_STRINGOF) && n->a && expr_is_string(n->a))
		n = n->a;
	return n;
}

/* Is it recorded as text? arg is its number in the call, from 0. */
static bool wants_string(const struct node *n, const struct format *fmt, size_t arg)
{
	if (type_is_string(n->type))
		return true;
	if (!type_is_string_like(n->type))
		return false;
	if (!fmt)
		return false;
	for (size_t i = 0; i < fmt->n; i++) {
		const struct format_conv *c = &fmt->v[i];
		size_t before = ((c->flags & FMT_DYNWIDTH) != 0) + ((c->flags & FMT_DYNPREC) != 0);

		if (c->conv && c->arg >= 0 && arg == (size_t)c->arg + before)
			return c->conv == 's' || c->conv == 'S';
	}
	return false;
}

static struct aggdesc *describe_agg(struct cg_env *env, const struct ident *id)
{
	struct ecbs *e = env->ecbs;

	while (e->aggs.n < id->id)
		vec_add(&e->aggs);
	struct aggdesc *d = &e->aggs.v[id->id - 1];
	d->id = id->id;
	d->name = id->name;
	d->keys = id->keys;
	d->nkeys = id->nkeys;
	if (id->aggfunc) {
		d->func = id->aggfunc->id;
		memcpy(d->params, id->agg_params, sizeof(d->params));
		d->value_words = agg_value_words(d->func, d->params);
	}
	return d;
}

static void uses_addr(struct cg_env *env, const struct addr *a)
{
	env->uses_usyms |= a->kind == FIELD_USTACK || a->kind == FIELD_USYM;
	env->uses_ksyms |= a->kind == FIELD_STACK || a->kind == FIELD_SYM;
}

/* A field of stack(), sym() ...: the value of the call itself. */
static bool address_field(struct cg_clause *cl, const struct node *n, struct field *f)
{
	struct addr a;

	if (!addr_describe(cl, n, &a))
		return false;
	uses_addr(cl->env, &a);
	*f = (struct field){ .kind = a.kind,
			     .size = 8 * a.words,
			     .type = n->type,
			     .func = a.func,
			     .frames = a.frames };
	return true;
}

static int field_make(struct cg_clause *cl, const struct node *n, const struct stmt *s, size_t arg,
		      struct field *f, struct diag *d)
{
	const struct node *p = stripped(n);
	int size;
	bool is_signed;

	f->type = n->type;
	if (n->kind == NODE_AGG) {
		f->kind = FIELD_AGG;
		f->value = n->u.agg.ident->id;
		describe_agg(cl->env, n->u.agg.ident);
	} else if (p->kind == NODE_STRING) {
		f->kind = FIELD_CONST_STRING;
		f->text = arena_strndup(
			cl->arena, p->u.str.s,
			MIN(strnlen(p->u.str.s, p->u.str.len), cl->env->ses->opt.strsize - 1));
	} else if (probe_string(p) >= 0) {
		f->kind = FIELD_PROBE_STRING;
		f->value = probe_string(p);
	} else if (wants_string(n, s->fmt, arg)) {
		f->kind = FIELD_STRING;
		f->size = 4;
	} else if (type_is_scalar(n->type)) {
		type_width(n->type, &size, &is_signed);
		f->kind = n->kind == NODE_INT ? FIELD_CONST_INT : FIELD_INT;
		f->size = (uint32_t)size;
		f->is_signed = is_signed;
		f->value = n->kind == NODE_INT ? expr_constant(n, n->type) : 0;
	} else if (type_is_bytes(n->type) && type_resolve(n->type)->size) {
		f->kind = FIELD_BYTES;
		f->size = (uint32_t)MIN(type_resolve(n->type)->size, ABI_OFF_MAX);
	} else {
		return diag_error(d, "D_UNKNOWN", n->loc,
				  "a value of type %s cannot be recorded",
				  type_name(cl->env->ses->types, n->type));
	}
	return 0;
}

/* tracemem(): the bytes, then how many of them to show. */
static int tracemem_fields(struct cg_clause *cl, struct stmt *s, struct action *a, struct diag *d)
{
	const struct node_list *args = &s->expr->u.call.args;

	a->nfields = args->n > 2 ? 2 : 1;
	a->fields[0] =
		(struct field){ .kind = FIELD_BYTES,
				.size = (uint32_t)MIN(args->v[1]->u.integer.value, ABI_OFF_MAX) };
	return args->n > 2 ? field_make(cl, args->v[2], s, 2, &a->fields[1], d) : 0;
}

/* print(): of a pointer its value, then what it points to; else the value. */
static int print_fields(struct cg_clause *cl, struct stmt *s, struct action *a, struct diag *d)
{
	const struct node *n = s->expr->u.call.args.v[0];
	uint32_t max = cl->env->ses->opt.printsize;
	struct type *t = type_resolve(n->type);

	if (field_make(cl, n, s, 0, &a->fields[0], d))
		return -1;
	if (a->fields[0].kind == FIELD_BYTES)
		a->fields[0].size = MIN(a->fields[0].size, max);
	a->nfields = 1;
	if (t->kind != TYPE_POINTER || n->kind == NODE_INT)
		return 0;
	a->nfields = 2;
	a->fields[1] = (struct field){ .kind = FIELD_BYTES,
				       .size = (uint32_t)MIN(type_resolve(t->ref)->size, max),
				       .type = t->ref };
	return 0;
}

/* Is there anything for the consumer to do? speculate(), commit(), raise() ... are done on the spot. */
static bool is_for_consumer(enum func_id id)
{
	return func_get(id)->flags & (FUNC_RECORDS | FUNC_CONSUMER);
}

static int action_make(struct cg_clause *cl, struct stmt *s, struct action *a, struct diag *d)
{
	const struct node_list *args = &s->expr->u.call.args;
	size_t first = s->fmt ? 1 : 0;

	a->func = s->expr->u.call.func->id;
	a->fmt = s->fmt;
	a->number = s->action_index;
	a->presence = -1;
	a->nfields = is_for_consumer(a->func) && args->n > first ? args->n - first : 0;
	a->fields = arena_alloc(cl->arena, (a->nfields + 1) * sizeof(*a->fields));
	if (a->func == FN_tracemem)
		return tracemem_fields(cl, s, a, d);
	if (a->func == FN_print)
		return print_fields(cl, s, a, d);
	for (size_t i = 0; s->fmt && i < s->fmt->n; i++)
		cl->env->uses_usyms |= s->fmt->v[i].conv == 'A';
	if (address_field(cl, s->expr, &a->fields[0])) {
		a->nfields = 1;
		return 0;
	}
	for (size_t i = 0; i < a->nfields; i++)
		if (field_make(cl, args->v[first + i], s, first + i, &a->fields[i], d))
			return -1;
	return 0;
}

/* ---- aggregations ---- */

static int part_make(struct cg_clause *cl, const struct node *n, struct keypart *p, struct diag *d)
{
	const struct node *s = stripped(n);
	struct addr a;

	p->type = n->type;
	p->words = key_words(n);
	if (addr_describe(cl, n, &a)) {
		p->kind = a.kind;
		p->func = a.func;
		p->words = a.words;
		p->frames = a.frames;
		uses_addr(cl->env, &a);
		return 0;
	}
	if (s->kind == NODE_STRING)
		p->kind = FIELD_CONST_STRING;
	else if (probe_string(s) >= 0)
		p->kind = FIELD_PROBE_STRING;
	else if (type_is_string(n->type))
		p->kind = FIELD_STRING;
	else if (type_is_scalar(n->type))
		p->kind = FIELD_INT;
	else if (type_is_bytes(n->type) && type_resolve(n->type)->size)
		p->kind = FIELD_BYTES;
	else
		return diag_error(d, "D_UNKNOWN", n->loc, "a value of type %s cannot be a key",
				  type_name(cl->env->ses->types, n->type));
	return 0;
}

static bool shape_equal(const struct aggshape *a, const struct aggshape *b)
{
	if (a->direct != b->direct || a->agg != b->agg || a->nparts != b->nparts || a->value_words != b->value_words)
		return false;
	for (size_t i = 0; i < a->nparts; i++)
		if (a->parts[i].kind != b->parts[i].kind ||
		    a->parts[i].words != b->parts[i].words || a->parts[i].func != b->parts[i].func)
			return false;
	return true;
}

/* Bytes of the largest entry of a shape. */
static uint32_t entry_size(const struct cg_env *env, const struct aggshape *s)
{
	uint32_t n = sizeof(struct abi_aggent) + 8 * s->value_words;

	for (size_t i = 0; i < s->nparts; i++) {
		n += 8 * s->parts[i].words;
		if (s->parts[i].kind == FIELD_STRING)
			n += ROUND_UP(env->ses->opt.strsize, 8);
	}
	return n;
}

/* Index of the shape, which is added if it is new; parts are then copied. */
static uint32_t shape_add(struct cg_env *env, struct aggshape *s)
{
	struct ecbs *e = env->ecbs;

	for (size_t i = 0; i < e->shapes.n; i++)
		if (shape_equal(&e->shapes.v[i], s))
			return (uint32_t)i;
	if (s->nparts) {
		struct keypart *parts = arena_alloc(env->ses->arena, s->nparts * sizeof(*parts));

		memcpy(parts, s->parts, s->nparts * sizeof(*parts));
		s->parts = parts;
		env->agg_min += entry_size(env, s);
	} else {
		s->fixed_offset = AGG_FIXED_START + env->agg_fixed;
		env->agg_fixed += 8 * (1 + s->value_words);
	}
	vec_push(&e->shapes, *s);
	return (uint32_t)(e->shapes.n - 1);
}

static int shape_make(struct cg_clause *cl, const struct stmt *s, uint32_t *shape, struct diag *d)
{
	const struct node_list *keys = &s->agg->u.agg.keys;
	struct aggdesc *desc = describe_agg(cl->env, s->agg->u.agg.ident);
	struct aggshape sh = { .agg = desc->id,
			       .nparts = keys->n,
			       .value_words = desc->value_words,
			       /* One number that only grows needs no switch to be read whole. */
			       .direct = cl->naggs == 1 && !keys->n && desc->func == FN_count };

	sh.parts = arena_alloc(cl->arena, (keys->n + 1) * sizeof(*sh.parts));
	for (size_t i = 0; i < keys->n; i++)
		if (part_make(cl, keys->v[i], &sh.parts[i], d))
			return -1;
	cl->direct = sh.direct;
	cl->env->uses_direct |= sh.direct;
	*shape = shape_add(cl->env, &sh);
	return 0;
}

/* ---- the walk ---- */

static void count(const struct stmt *s, size_t *nactions, size_t *naggs)
{
	for (; s; s = s->next) {
		if (s->kind == STMT_ACTION)
			++*nactions;
		else if (s->kind == STMT_AGG)
			++*naggs;
		else if (s->kind == STMT_IF) {
			count(s->then, nactions, naggs);
			count(s->els, nactions, naggs);
		}
	}
}

struct walk {
	struct cg_clause *cl;
	struct diag *d;
	int depth;
	size_t naction, nagg;
	int npresence;
};

static int walk(struct walk *w, struct stmt *s)
{
	struct cg_clause *cl = w->cl;
	int rc = 0;

	for (; s && !rc; s = s->next) {
		switch (s->kind) {
		case STMT_ACTION: {
			struct action *a = &cl->layout->actions[w->naction];

			rc = action_make(cl, s, a, w->d);
			if (w->depth && is_for_consumer(a->func))
				a->presence = w->npresence++;
			cl->commits |= a->func == FN_commit;
			if (a->func == FN_speculate)
				cl->spec = w->depth ? CG_SPEC_SOME : CG_SPEC_ALL;
			cl->actions[w->naction++] = a;
			break;
		}
		case STMT_AGG: rc = shape_make(cl, s, &cl->shapes[w->nagg++], w->d); break;
		case STMT_IF:
			w->depth++;
			rc = walk(w, s->then);
			if (!rc)
				rc = walk(w, s->els);
			w->depth--;
			break;
		case STMT_EXPR: break;
		}
	}
	return rc;
}

static bool is_recorded(const struct field *f)
{
	switch (f->kind) {
	case FIELD_INT:
	case FIELD_STRING:
	case FIELD_BYTES:
	case FIELD_STACK:
	case FIELD_USTACK:
	case FIELD_SYM:
	case FIELD_USYM: return true;
	default: return false;
	}
}

static bool leaves_record(const struct layout *l)
{
	for (size_t i = 0; i < l->nactions; i++)
		if (is_for_consumer(l->actions[i].func))
			return true;
	return l->is_default;
}

/* Offsets, once it is known how many presence words there are. */
static void place_fields(struct cg_clause *cl)
{
	struct layout *l = cl->layout;
	const struct field *last = NULL;
	uint32_t pos;

	l->header = cl->temporal ? sizeof(struct abi_rec_time) : sizeof(struct abi_rec);
	l->nstrings = l->fixed = l->least = l->max = 0;
	l->tail = NULL;
	if (!leaves_record(l))
		return;
	pos = l->header + 8 * l->npresence;
	for (size_t i = 0; i < l->nactions; i++) {
		for (size_t k = 0; k < l->actions[i].nfields; k++) {
			struct field *f = &l->actions[i].fields[k];

			if (!is_recorded(f))
				continue;
			pos = ROUND_UP(pos, f->kind == FIELD_BYTES ? 8 : MIN(f->size, 8));
			f->offset = pos;
			pos += f->size;
			l->nstrings += f->kind == FIELD_STRING;
			last = f;
		}
	}
	l->fixed = ROUND_UP(pos, 8);
	if (!l->nstrings && last && last->frames) {
		l->tail = last;
		l->least = last->offset + (last->kind == FIELD_USTACK ? 8 : 0);
	}
	l->max = ROUND_UP(l->fixed + l->nstrings * cl->strsize, 8);
}

int layout_make(struct cg_clause *cl, struct diag *d)
{
	struct layout *l = arena_new(cl->arena, struct layout);
	struct walk w = { .cl = cl, .d = d };

	cl->layout = l;
	l->is_default = cl->c->default_action;
	l->records = cl->c->records || l->is_default;
	count(cl->c->body, &cl->nactions, &cl->naggs);
	l->nactions = cl->nactions;
	l->actions = arena_alloc(cl->arena, (l->nactions + 1) * sizeof(*l->actions));
	cl->actions = arena_alloc(cl->arena, (l->nactions + 1) * sizeof(*cl->actions));
	cl->shapes = arena_alloc(cl->arena, (cl->naggs + 1) * sizeof(*cl->shapes));
	if (walk(&w, cl->c->body))
		return -1;
	l->npresence = ((uint32_t)w.npresence + 63) / 64;
	return 0;
}

/* ---- preparing ---- */

static vreg no_prologue(struct cg *cg, vreg ctx, void *data, label out)
{
	(void)cg, (void)ctx, (void)data, (void)out;
	return VREG_NONE;
}

static vreg no_arg(struct cg *cg, vreg ctx, void *data, int n)
{
	(void)ctx, (void)data, (void)n;
	return ir_imm(cg_ir(cg), 0);
}

/*
 * Emits the clause into nothing, for its needs. As a ring, in which strings take the most
 * temporaries: the policy may still change.
 */
static void trial(struct cg_clause *cl, struct diag *d)
{
	static const struct cg_probe_ops ops = { .prologue = no_prologue, .arg = no_arg };
	struct cg_group g = { .name = "", .ops = &ops, .activity = ABI_ACTIVE };
	struct cg_env *env = cl->env, saved = *env;
	uint32_t strsize = env->ses->opt.strsize;
	struct ir ir;

	ir_init(&ir, cl->arena);
	env->policy = CG_RING;
	env->temporal = false;
	env->accounting = false;
	env->conf = (struct abi_conf){ .bufsize = ABI_OFF_MAX / 2,
				       .aggsize = ABI_OFF_MAX,
				       .strsize = strsize,
				       .strmax = ROUND_UP(strsize, 8),
				       .ncpus = 1,
				       .nslots = 1,
				       .nspec = 1,
				       .specsize = ABI_OFF_MAX };
	vreg any = ir_imm(&ir, 0);
	struct cg cg = { .env = env,
			 .g = &g,
			 .ir = &ir,
			 .d = d,
			 .trial = true,
			 .ctx = any,
			 .row = VREG_NONE,
			 .rows = any,
			 .cpu = any,
			 .slot = any,
			 .frame = any,
			 .frame_idx = any,
			 .frame_bit = any,
			 .acct = any,
			 .out = ir_label(&ir) };
	cg_clause_emit(&cg, cl, VREG_NONE, 1, false);
	env->policy = saved.policy;
	env->temporal = saved.temporal;
	env->accounting = saved.accounting;
	env->conf = saved.conf;
	if (ir.error && !d->set)
		diag_error(d, NULL, cl->c->loc, "this clause cannot be compiled: %s",
			   ir.error_text ? ir.error_text : strerror(-ir.error));
	cl->size = (uint32_t)ir.v.n;
	ir_destroy(&ir);
}

static void needs_add(struct cg_clause *cl)
{
	struct cg_env *env = cl->env;
	uint32_t fault = sizeof(struct abi_rec_time) + sizeof(struct abi_fault_data);

	env->frame_temps = MAX(env->frame_temps, cl->temps);
	env->size += cl->size;
	env->uses_frames |= cl->uses_frame || env->size > FUNC_LONG;
	env->uses_scratch |= cl->uses_scratch;
	env->uses_specs |= cl->uses_specs;
	env->uses_strtok |= cl->uses_strtok;
	env->uses_wakes |= cl->uses_wakes;
	env->uses_principal |= cl->layout->max > 0 || cl->can_fault || cl->uses_specs;
	env->uses_aggs |= cl->naggs > 0;
	env->max_record = MAX(env->max_record, cl->layout->max);
	if (cl->can_fault)
		env->max_record = MAX(env->max_record, fault);
}

struct cg_clause *cg_clause_prepare(struct cg_env *env, const struct clause *c, struct diag *d)
{
	struct arena *arena = arena_create();
	struct cg_clause *cl = arena_new(arena, struct cg_clause);

	cl->arena = arena;
	cl->env = env;
	cl->c = c;
	d->where_now = DIAG_ACTION;
	if (layout_make(cl, d) || cg_clause_renew(cl, d)) {
		arena_destroy(arena);
		return NULL;
	}
	return cl;
}

int cg_clause_renew(struct cg_clause *cl, struct diag *d)
{
	cl->strsize = cl->env->ses->opt.strsize;
	cl->temporal = cl->env->temporal;
	cl->temps = 0;
	cl->timestamps = 0;
	cl->args = 0;
	place_fields(cl);
	if (cl->layout->max > ABI_OFF_MAX / 2)
		return diag_error(d, NULL, cl->c->loc, "the record of this clause is too large");
	trial(cl, d);
	if (d->set)
		return -1;
	needs_add(cl);
	return 0;
}

void cg_clause_destroy(struct cg_clause *cl)
{
	if (cl)
		arena_destroy(cl->arena);
}

const struct layout *cg_clause_layout(const struct cg_clause *cl)
{
	return cl->layout;
}
