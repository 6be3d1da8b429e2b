/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statements and actions. A new action is one row of `emitters` and at most one function. What an
 * action records is in its fields (layout.c); most actions do nothing but fill them.
 */
#include <stddef.h>

#include "codegen/cg_impl.h"

#define EXIT_TRIES 4

/* ---- actions ---- */

static void fields_emit(struct cg *cg, const struct stmt *s, const struct action *a)
{
	const struct node_list *args = &s->expr->u.call.args;
	size_t first = s->fmt ? 1 : 0; /* behind the format */

	for (size_t i = 0; i < a->nfields; i++) {
		const struct field *f = &a->fields[i];
		struct sval sv;

		if (f->kind == FIELD_INT) {
			rec_int(cg, f, expr_value(cg, args->v[first + i]));
		} else if (f->kind == FIELD_STRING) {
			expr_string(cg, args->v[first + i], &sv);
			rec_string(cg, f, &sv);
		} else if (f->kind == FIELD_BYTES) {
			struct bytes b;

			expr_bytes(cg, args->v[first + i], &b);
			rec_bytes(cg, f, &b);
		}
	}
}

static void tracemem_emit(struct cg *cg, const struct stmt *s, const struct action *a)
{
	const struct node_list *args = &s->expr->u.call.args;
	struct bytes b = { .foreign = true, .at = expr_value(cg, args->v[0]) };

	rec_bytes(cg, &a->fields[0], &b);
	if (a->nfields > 1 && a->fields[1].kind == FIELD_INT)
		rec_int(cg, &a->fields[1], expr_value(cg, args->v[2]));
}

static void print_emit(struct cg *cg, const struct stmt *s, const struct action *a)
{
	struct bytes b = { .foreign = true };

	if (a->nfields < 2) {
		fields_emit(cg, s, a);
		return;
	}
	b.at = expr_value(cg, s->expr->u.call.args.v[0]);
	rec_bytes(cg, &a->fields[1], &b);
	rec_int(cg, &a->fields[0], b.at);
}

/*
 * From now on no clause begins, on any CPU; this one runs to its end. The activity is the lower
 * half of a word whose upper half others add to, so that it is exchanged as a whole. In END there
 * is nothing to stop.
 */
static void exit_emit(struct cg *cg, const struct stmt *s, const struct action *a)
{
	struct ir *ir = cg->ir;
	uint32_t from = cg->g->activity;
	label done = ir_label(ir);

	fields_emit(cg, s, a);
	ir_comment(ir, "exit");
	vreg st = ir_mapval(ir, CG_MAP_STATE, 0);
	vreg one = ir_imm(ir, 1);
	ir_atomic(ir, IR_ATOMIC_ADD, st, offsetof(struct abi_state, exits), one);
	if (from == ABI_COOLDOWN)
		return;
	vreg w = ir_load(ir, 8, st, 0), nw = ir_vreg(ir);
	for (int i = 0; i < EXIT_TRIES; i++) {
		ir_mov_to(ir, nw, w);
		ir_ext(ir, nw, 4, false);
		ir_jcci(ir, IR_NE, nw, from, done);
		ir_mov_to(ir, nw, w);
		ir_alui(ir, IR_ADD, nw, ABI_DRAINING - (int)from);
		vreg old = ir_cmpxchg(ir, st, 0, w, nw);
		ir_jcc(ir, IR_EQ, old, w, done);
		ir_mov_to(ir, w, old);
	}
	ir_place(ir, done);
}

static void snapshot_emit(struct cg *cg, const struct stmt *s, const struct action *a)
{
	(void)s, (void)a;
	cg->cur.cl->uses_wakes = true;
	ir_callrt(cg->ir, "rt_snapshot", 0);
}

/* ---- the table ---- */

static const struct emitter {
	void (*action)(struct cg *cg, const struct stmt *s, const struct action *a);
} emitters[FN_MAX] = {
	[FN_trace] = { .action = fields_emit },
	[FN_printf] = { .action = fields_emit },
	[FN_exit] = { .action = exit_emit },
	[FN_tracemem] = { .action = tracemem_emit },
	[FN_print] = { .action = print_emit },
	[FN_snapshot] = { .action = snapshot_emit },
	[FN_printa] = { .action = fields_emit },
	[FN_clear] = { .action = fields_emit },
	[FN_trunc] = { .action = fields_emit },
	[FN_normalize] = { .action = fields_emit },
	[FN_denormalize] = { .action = fields_emit },
	[FN_system] = { .action = fields_emit },
	[FN_freopen] = { .action = fields_emit },
	[FN_ftruncate] = { .action = fields_emit },
	[FN_setopt] = { .action = fields_emit },
	[FN_stack] = { .action = addr_action },
	[FN_ustack] = { .action = addr_action },
	[FN_jstack] = { .action = addr_action },
	[FN_sym] = { .action = addr_action },
	[FN_func] = { .action = addr_action },
	[FN_mod] = { .action = addr_action },
	[FN_usym] = { .action = addr_action },
	[FN_ufunc] = { .action = addr_action },
	[FN_umod] = { .action = addr_action },
	[FN_uaddr] = { .action = addr_action },
	[FN_chill] = { .action = chill_emit },
	[FN_raise] = { .action = raise_emit },
	[FN_stop] = { .action = stop_emit },
	[FN_speculate] = { .action = speculate_emit },
	[FN_commit] = { .action = commit_emit },
	[FN_discard] = { .action = discard_emit },
};

static const struct emitter *emitter_of(const struct node *n)
{
	static const struct emitter none;

	return n->u.call.func ? &emitters[n->u.call.func->id] : &none;
}

static void act_emit(struct cg *cg, const struct stmt *s, const struct action *a)
{
	const struct emitter *e = emitter_of(s->expr);

	if (!e->action) {
		cg_error(cg, s->expr->loc, "%s( ) is not implemented (yet)", s->expr->u.call.name);
		return;
	}
	if (a && a->presence >= 0)
		rec_present(cg, a->presence);
	e->action(cg, s, a);
}

/* ---- statements ---- */

static void if_emit(struct cg *cg, const struct stmt *s)
{
	label other = ir_label(cg->ir), done = ir_label(cg->ir);
	uint32_t mark = frame_mark(cg);

	expr_branch(cg, s->expr, false, other);
	frame_release(cg, mark);
	cg->cur.depth++;
	stmts_emit(cg, s->then);
	if (s->els) {
		ir_jmp(cg->ir, done);
		ir_place(cg->ir, other);
		stmts_emit(cg, s->els);
		ir_place(cg->ir, done);
	} else {
		ir_place(cg->ir, other);
	}
	cg->cur.depth--;
}

void stmts_emit(struct cg *cg, const struct stmt *s)
{
	struct cg_cur *cur = &cg->cur;

	for (; s; s = s->next) {
		uint32_t mark = frame_mark(cg);

		cur->action = s->action_index;
		switch (s->kind) {
		case STMT_EXPR: expr_effect(cg, s->expr); break;
		case STMT_ACTION: act_emit(cg, s, cur->cl->actions[cur->naction++]); break;
		case STMT_AGG: agg_update(cg, s, cur->cl->shapes[cur->nagg++]); break;
		case STMT_IF: if_emit(cg, s); break;
		}
		frame_release(cg, mark);
	}
}
