/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What all emitters use: counting, rows, the time of the firing, the frame; and a clause as a whole.
 *
 * What a clause needs from outside is in struct cg alone, so that it may stand in any function.
 */
#include <stddef.h>
#include <string.h>

#include "codegen/cg_impl.h"

#define OFF_MAX 32000 /* displacements of BPF's loads and stores have 16 bits */

struct ir *cg_ir(struct cg *cg)
{
	return cg->ir;
}

void cg_error(struct cg *cg, struct srcloc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_verror(cg->d, "D_UNKNOWN", loc, fmt, ap);
	va_end(ap);
}

/* ---- counting ---- */

void cg_count(struct cg *cg, enum abi_drop cause)
{
	vreg one = ir_imm(cg->ir, 1);

	ir_atomic(cg->ir, IR_ATOMIC_ADD, cg->cpu,
		  (int)(offsetof(struct abi_cpu, drops) + 8 * cause), one);
}

/* cg->acct is this CPU's element; the cell is that of the clause's EPID. */
void cg_account(struct cg *cg, enum abi_acct_cause cause)
{
	struct ir *ir = cg->ir;
	label skip = ir_label(ir);

	if (!cg->env->accounting)
		return;
	vreg p = cg_epid(cg);
	ir_jcci(ir, IR_UGE, p, cg->env->conf.acct_epids, skip);
	ir_alui(ir, IR_MUL, p, sizeof(struct abi_acct));
	vreg q = ir_mov(ir, cg->acct);
	ir_alu(ir, IR_ADD, q, p);
	vreg one = ir_imm(ir, 1);
	ir_atomic(ir, IR_ATOMIC_ADD, q, 8 * (int)cause, one);
	ir_place(ir, skip);
}

/* ---- small helpers ---- */

vreg cg_ptr_add(struct cg *cg, vreg base, int64_t off)
{
	vreg p = ir_mov(cg->ir, base);

	if (off)
		ir_alui(cg->ir, IR_ADD, p, off);
	return p;
}

bool cg_one_row(const struct cg *cg)
{
	return cg->row == VREG_NONE;
}

vreg cg_epid(struct cg *cg)
{
	return cg->cur.epid == VREG_NONE ? ir_imm(cg->ir, cg->cur.epid_const)
					 : ir_mov(cg->ir, cg->cur.epid);
}

/* field 0..3: prov, mod, func, name */
vreg cg_row_string(struct cg *cg, int field, uint32_t *constant)
{
	static const char *const error_names[] = { "dtrace", "", "", "ERROR" };
	const char *s;

	if (cg->cur.in_error || cg->trial) {
		s = error_names[field];
	} else if (!cg_one_row(cg)) {
		return ir_load(cg->ir, 4, cg->rows,
			       (int)(offsetof(struct abi_row, prov) + 4 * (size_t)field));
	} else {
		const struct cg_row *r = &cg->g->rows[0];
		const char *const names[] = { r->prov, r->mod, r->func, r->name };

		s = names[field] ? names[field] : "";
	}
	*constant = strtab_add(cg->env->strtab, s, strlen(s));
	return VREG_NONE;
}

static vreg time_base(struct cg *cg)
{
	return cg->time_slot ? ir_stack(cg->ir, cg->time_slot) : cg->frame;
}

static int time_offset(const struct cg *cg)
{
	return cg->time_slot ? 0 : (int)offsetof(struct abi_frame, timestamp);
}

/* Equal at every place of one firing: kept from the first reading on. */
vreg cg_timestamp(struct cg *cg)
{
	struct ir *ir = cg->ir;
	label known = ir_label(ir);

	if (cg->trial)
		cg->cur.cl->timestamps++;
	if (!cg->time_kept)
		return ir_call(ir, BPF_FUNC_ktime_get_ns, 0);
	vreg t = ir_vreg(ir);
	ir_load_to(ir, t, 8, time_base(cg), time_offset(cg));
	ir_jcci(ir, IR_NE, t, 0, known);
	ir_mov_to(ir, t, ir_call(ir, BPF_FUNC_ktime_get_ns, 0));
	ir_store(ir, 8, time_base(cg), time_offset(cg), t);
	ir_place(ir, known);
	return t;
}

/* It will be read anew. */
void cg_timestamp_forget(struct cg *cg)
{
	if (cg->time_kept)
		ir_storei(cg->ir, 8, time_base(cg), time_offset(cg), 0);
}

int cg_probe_stack(struct cg *cg)
{
	if (!cg->probe_slot)
		cg->probe_slot = ir_stack_alloc(cg->ir, 8);
	return cg->probe_slot;
}

uint32_t cg_strsize(const struct cg *cg)
{
	return cg->env->conf.strsize;
}

uint32_t cg_strbytes(const struct cg *cg)
{
	return ABI_STR_BYTES(cg->env->conf.strsize);
}

/* ---- frame ---- */

uint32_t frame_strtok(const struct cg *cg)
{
	return (uint32_t)sizeof(struct abi_frame) + ROUND_UP(cg->env->ses->locals_size, 8);
}

uint32_t frame_temps_start(const struct cg *cg)
{
	return frame_strtok(cg) + (cg->env->uses_strtok ? cg_strbytes(cg) : 0);
}

uint32_t frame_scratch(const struct cg *cg)
{
	return frame_temps_start(cg) + (uint32_t)ROUND_UP(cg->env->frame_temps, 8);
}

uint32_t frame_temp(struct cg *cg, uint32_t bytes)
{
	struct cg_cur *cur = &cg->cur;
	uint32_t off = frame_temps_start(cg) + cur->temp;

	cur->cl->uses_frame = true;
	cur->temp += ROUND_UP(bytes, 8);
	cur->temp_max = MAX(cur->temp_max, cur->temp);
	return off;
}

uint32_t frame_temp_string(struct cg *cg)
{
	return frame_temp(cg, cg_strbytes(cg));
}

uint32_t frame_mark(struct cg *cg)
{
	return cg->cur.temp;
}

/* What is kept for the rest of the clause survives. */
void frame_release(struct cg *cg, uint32_t mark)
{
	cg->cur.temp = MAX(mark, cg->cur.temp_keep);
}

vreg frame_index(struct cg *cg)
{
	cg->cur.cl->uses_frame = true;
	return cg->frame_idx;
}

static vreg frame_ptr(struct cg *cg, uint32_t *off)
{
	cg->cur.cl->uses_frame = true;
	if (*off <= OFF_MAX)
		return cg->frame;
	vreg p = cg_ptr_add(cg, cg->frame, *off);
	*off = 0;
	return p;
}

void frame_store(struct cg *cg, int size, uint32_t off, vreg v)
{
	vreg p = frame_ptr(cg, &off);

	ir_store(cg->ir, size, p, (int)off, v);
}

void frame_storei(struct cg *cg, int size, uint32_t off, int64_t v)
{
	vreg p = frame_ptr(cg, &off);

	ir_storei(cg->ir, size, p, (int)off, v);
}

vreg frame_load(struct cg *cg, int size, uint32_t off)
{
	vreg p = frame_ptr(cg, &off);

	return ir_load(cg->ir, size, p, (int)off);
}

/* The verifier forgets that a value is a pointer when it has been through map memory. */
vreg frame_address(struct cg *cg)
{
	frame_store(cg, 8, offsetof(struct abi_frame, pad), cg->frame);
	return frame_load(cg, 8, offsetof(struct abi_frame, pad));
}

/* ---- a clause ---- */

static void activity_check(struct cg *cg, label stopped)
{
	vreg st = ir_mapval(cg->ir, CG_MAP_STATE, offsetof(struct abi_state, activity));
	vreg act = ir_load(cg->ir, 4, st, 0);

	ir_jcci(cg->ir, IR_NE, act, cg->g->activity, stopped);
}

/* The blocks behind the clause that only count; each goes on to next. */
static void clause_tail(struct cg *cg, label falsep, label stopped)
{
	struct ir *ir = cg->ir;

	if (!cg->env->accounting) {
		ir_place(ir, falsep);
		ir_place(ir, stopped);
		return;
	}
	ir_jmp(ir, cg->cur.next);
	if (cg->cur.cl->c->pred) {
		ir_place(ir, falsep);
		cg_account(cg, ABI_ACCT_FALSE);
		ir_jmp(ir, cg->cur.next);
	} else {
		ir_place(ir, falsep);
	}
	ir_place(ir, stopped);
	cg_account(cg, ABI_ACCT_STOPPED);
}

void cg_clause_emit(struct cg *cg, struct cg_clause *cl, vreg epid, uint32_t epid_const,
		    bool in_error)
{
	struct ir *ir = cg->ir;
	struct cg_cur *cur = &cg->cur;
	label falsep = ir_label(ir), stopped = ir_label(ir), body_fault = ir_label(ir),
	      pred_fault = ir_label(ir);

	*cur = (struct cg_cur){ .cl = cl,
				.epid = epid,
				.epid_const = epid_const,
				.in_error = in_error,
				.lost = ir_label(ir),
				.next = ir_label(ir),
				.f_what = ir_vreg(ir),
				.f_value = ir_vreg(ir),
				.fault = pred_fault,
				.agg_half = VREG_NONE,
				.agg_elem = VREG_NONE };
	cg->d->where_now = DIAG_PREDICATE;
	cg_account(cg, ABI_ACCT_FIRED);
	activity_check(cg, stopped);
	if (cl->c->pred) {
		ir_comment(ir, "predicate");
		expr_branch(cg, cl->c->pred, false, falsep);
		frame_release(cg, 0);
	}
	if (cl->uses_scratch && !cg->trial)
		frame_storei(cg, 8, offsetof(struct abi_frame, scratch_pos),
			     frame_scratch(cg));
	bool pred_has_fault = cur->has_fault;
	cur->has_fault = false;
	cur->fault = body_fault;
	cg->d->where_now = DIAG_ACTION;
	if (cl->naggs && !cl->direct)
		agg_enter(cg, stopped);
	rec_begin(cg);
	stmts_emit(cg, cl->c->body);
	rec_commit(cg);
	cg_account(cg, cl->layout->max ? ABI_ACCT_WRITTEN : ABI_ACCT_DONE);
	ir_place(ir, cur->lost);
	if (cl->naggs && !cl->direct)
		agg_leave(cg);
	if (cur->has_fault || pred_has_fault) {
		ir_jmp(ir, cur->next);
		ir_comment(ir, "fault");
		ir_place(ir, body_fault);
		if (cur->has_fault) {
			rec_abandon(cg);
			if (cl->naggs && !cl->direct)
				agg_leave(cg);
		}
		ir_place(ir, pred_fault);
		fault_path_emit(cg);
	}
	clause_tail(cg, falsep, stopped);
	ir_place(ir, cur->next);
	cl->temps = MAX(cl->temps, cur->temp_max);
}
