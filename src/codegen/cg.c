/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of a probe group: prologue, per-CPU state, frame, then clause after clause in one
 * function.
 *
 *   provider's prologue -> row of the probe
 *   struct abi_cpu of this CPU; not traced: out
 *   a frame, if some clause needs one; none free: the firing is lost, counted
 *   each clause: enabled on this probe? tracing under way? predicate; buffers entered; actions
 *   frame given back
 *
 * What a clause needs from outside is in struct cg alone, so that clauses could become subprograms.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "codegen/cg_impl.h"

#define CPU_SHIFT 8
_Static_assert(sizeof(struct abi_cpu) == 1 << CPU_SHIFT, "struct abi_cpu is indexed by a shift");
#define FRAME_TRIES 4
#define NEAR_CLAUSES 16
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

/* Equal at every place of one firing: kept on the stack from the first reading on. */
vreg cg_timestamp(struct cg *cg)
{
	struct ir *ir = cg->ir;
	label known = ir_label(ir);

	if (cg->trial)
		cg->cur.cl->timestamps++;
	if (!cg->time_slot)
		return ir_call(ir, BPF_FUNC_ktime_get_ns, 0);
	vreg t = ir_vreg(ir);
	vreg p = ir_stack(ir, cg->time_slot);
	ir_load_to(ir, t, 8, p, 0);
	ir_jcci(ir, IR_NE, t, 0, known);
	ir_mov_to(ir, t, ir_call(ir, BPF_FUNC_ktime_get_ns, 0));
	vreg q = ir_stack(ir, cg->time_slot);
	ir_store(ir, 8, q, 0, t);
	ir_place(ir, known);
	return t;
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

/*
 * Claims a bit of abi_cpu.frames. Any one-to-one map from bits to frames will do: the
 * multiplication by a de Bruijn number takes the bits 1, 2, 4 ... 128 to different numbers below 8.
 */
_Static_assert(ABI_FRAMES == 8, "de Bruijn number for 8 frames");
static void frame_claim(struct cg *cg, label none)
{
	struct ir *ir = cg->ir;
	label got = ir_label(ir);
	vreg used = ir_load(ir, 8, cg->cpu, offsetof(struct abi_cpu, frames));
	vreg bit = ir_vreg(ir), want = ir_vreg(ir);

	ir_comment(ir, "claim a frame");
	for (int i = 0; i < FRAME_TRIES; i++) {
		ir_mov_to(ir, want, used);
		ir_alui(ir, IR_XOR, want, -1);
		ir_alui(ir, IR_AND, want, (1 << ABI_FRAMES) - 1);
		ir_jcci(ir, IR_EQ, want, 0, none);
		ir_mov_to(ir, bit, want);
		ir_neg(ir, bit);
		ir_alu(ir, IR_AND, bit, want);
		ir_mov_to(ir, want, used);
		ir_alu(ir, IR_OR, want, bit);
		vreg old = ir_cmpxchg(ir, cg->cpu, offsetof(struct abi_cpu, frames), used, want);
		ir_jcc(ir, IR_EQ, old, used, got);
		ir_mov_to(ir, used, old);
	}
	ir_jmp(ir, none);
	ir_place(ir, got);
	cg->frame_bit = bit;
	cg->frame_idx = ir_mov(ir, bit);
	ir_alui(ir, IR_MUL, cg->frame_idx, 0x17);
	ir_alui(ir, IR_SHR, cg->frame_idx, 5);
	ir_alui(ir, IR_AND, cg->frame_idx, ABI_FRAMES - 1);
	vreg base = ir_mov(ir, cg->slot);
	ir_alui(ir, IR_SHL, base, 3);
	ir_alu(ir, IR_ADD, cg->frame_idx, base);
	cg->frame = ir_map_elem(ir, CG_MAP_FRAMES, cg->frame_idx, none);
}

static void frame_give_back(struct cg *cg)
{
	vreg mask = ir_mov(cg->ir, cg->frame_bit);

	ir_alui(cg->ir, IR_XOR, mask, -1);
	ir_atomic(cg->ir, IR_ATOMIC_AND, cg->cpu, offsetof(struct abi_cpu, frames), mask);
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
				.f_action = ir_vreg(ir),
				.f_code = ir_vreg(ir),
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

/* ---- the group ---- */

uint32_t cg_row_stride(const struct cg_group *g)
{
	uint32_t n = (uint32_t)ROUND_UP(sizeof(struct abi_row) + 4 * g->nclauses, 8), p = 8;

	while (p < n) /* a shift instead of a multiplication */
		p *= 2;
	return p;
}

void cg_rows_fill(struct cg_env *env, const struct cg_group *g, void *rows)
{
	uint32_t stride = cg_row_stride(g);

	memset(rows, 0, g->nrows * stride);
	for (size_t i = 0; i < g->nrows; i++) {
		const struct cg_row *r = &g->rows[i];
		struct abi_row *out = (struct abi_row *)((char *)rows + i * stride);

		if (!r->used)
			continue;
		out->probe_id = r->probe_id;
		out->prov = strtab_add(env->strtab, r->prov, strlen(r->prov));
		out->mod = strtab_add(env->strtab, r->mod, strlen(r->mod));
		out->func = strtab_add(env->strtab, r->func, strlen(r->func));
		out->name = strtab_add(env->strtab, r->name, strlen(r->name));
		for (size_t k = 0; k < g->nclauses; k++)
			out->epid[k] = r->epid[k];
	}
}

static void row_find(struct cg *cg, vreg index, label out)
{
	struct ir *ir = cg->ir;
	uint32_t stride = cg_row_stride(cg->g), shift = (uint32_t)__builtin_ctz(stride);

	if (!cg->g->ops->bounded)
		ir_jcci(ir, IR_UGE, index, (int64_t)cg->g->nrows, out);
	vreg off = ir_mov(ir, index);
	ir_alui(ir, IR_SHL, off, shift);
	cg->row = index;
	cg->rows = ir_mapval(ir, CG_MAP_ROWS, 0);
	ir_alu(ir, IR_ADD, cg->rows, off);
}

/* struct abi_cpu of this CPU and its slot; out if it is not traced. */
void cg_cpu_find(struct cg *cg, label out)
{
	struct ir *ir = cg->ir;

	ir_comment(ir, "this CPU");
	vreg n = ir_call(ir, BPF_FUNC_get_smp_processor_id, 0);
	ir_jcci(ir, IR_UGE, n, cg->env->conf.ncpus, out);
	ir_alui(ir, IR_SHL, n, CPU_SHIFT);
	cg->cpu = ir_mapval(ir, CG_MAP_CPUS, 0);
	ir_alu(ir, IR_ADD, cg->cpu, n);
	cg->slot = ir_load(ir, 4, cg->cpu, offsetof(struct abi_cpu, slot));
	ir_jcci(ir, IR_UGE, cg->slot, cg->env->conf.nslots, out); /* ABI_SLOT_NONE too */
}

static void clause_label(struct cg *cg, size_t k, vreg *epid, uint32_t *epid_const, label next)
{
	*epid = VREG_NONE;
	*epid_const = 0;
	ir_comment(cg->ir, "clause %zu", k + 1);
	if (cg_one_row(cg)) {
		*epid_const = cg->g->rows[0].epid[k];
		return;
	}
	*epid = ir_load(cg->ir, 4, cg->rows, (int)(offsetof(struct abi_row, epid) + 4 * k));
	ir_jcci(cg->ir, IR_EQ, *epid, 0, next);
}

/* No frame was free: every clause of the firing is lost. */
static void frame_lost(struct cg *cg)
{
	cg_count(cg, ABI_DROP_FRAME);
	if (!cg->env->accounting)
		return;
	for (size_t k = 0; k < cg->g->nclauses; k++) {
		label next = ir_label(cg->ir);

		if (cg_one_row(cg) && !cg->g->rows[0].epid[k])
			continue;
		cg->cur = (struct cg_cur){ .cl = cg->g->clauses[k] };
		clause_label(cg, k, &cg->cur.epid, &cg->cur.epid_const, next);
		cg_account(cg, ABI_ACCT_FIRED);
		cg_account(cg, ABI_ACCT_NOFRAME);
		ir_place(cg->ir, next);
	}
}

static struct cg_clause *each_clause(const struct cg_group *g, size_t i)
{
	return i < g->nclauses ? g->clauses[i] : g->error_clauses[i - g->nclauses];
}

/* Clause-local variables begin at 0 in every firing. */
static void locals_clear(struct cg *cg)
{
	const struct cg_group *g = cg->g;
	struct ir *ir = cg->ir;
	bool strtok = false;

	for (size_t i = 0; i < g->nclauses + g->nerror; i++) {
		const struct cg_clause *cl = each_clause(g, i);

		if (cl->uses_strtok && !strtok)
			frame_storei(cg, 8, offsetof(struct abi_frame, strtok), 0);
		strtok |= cl->uses_strtok;
		for (size_t k = 0; k < cl->nlocals; k++) {
			const struct ident *id = cl->locals[k];
			uint32_t off = (uint32_t)sizeof(struct abi_frame) + id->offset;
			bool seen = false;

			for (size_t m = 0; m < i && !seen; m++)
				for (size_t j = 0; j < each_clause(g, m)->nlocals && !seen; j++)
					seen = each_clause(g, m)->locals[j] == id;
			if (seen)
				continue;
			if (id->size <= 8 || type_is_string(id->type))
				frame_storei(cg, 8, off, 0);
			else
				ir_callrt(ir, "rt_zero", 3, cg->frame_idx, ir_imm(ir, off),
					  ir_imm(ir, id->size));
		}
	}
}

/* How many places of a firing may read its time. */
static unsigned int times_read(const struct cg *cg)
{
	unsigned int n = 0;

	for (size_t i = 0; i < cg->g->nclauses + cg->g->nerror; i++) {
		const struct cg_clause *cl = each_clause(cg->g, i);

		n += cl->timestamps;
		if (cg->env->temporal)
			n += (cl->layout->max > 0) + cl->can_fault + cl->uses_specs;
	}
	return n;
}

static bool frame_needed(const struct cg_group *g)
{
	for (size_t i = 0; i < g->nclauses + g->nerror; i++)
		if (each_clause(g, i)->uses_frame)
			return true;
	return false;
}

static void group_clauses(struct cg *cg)
{
	const struct cg_group *g = cg->g;

	for (size_t k = 0; k < g->nclauses; k++) {
		label skip = ir_label(cg->ir);
		vreg epid;
		uint32_t epid_const;

		if (cg_one_row(cg) && !g->rows[0].epid[k])
			continue;
		clause_label(cg, k, &epid, &epid_const, skip);
		cg_clause_emit(cg, g->clauses[k], epid, epid_const, false);
		ir_place(cg->ir, skip);
	}
}

static int group_check(struct cg *cg)
{
	const struct cg_group *g = cg->g;
	struct cg_env *env = cg->env;
	struct srcloc none = { 0 };

	for (size_t i = 0; i < g->nclauses + g->nerror; i++) {
		const struct cg_clause *cl = each_clause(g, i);

		if (cl->strsize != env->conf.strsize || cl->temporal != env->temporal)
			return diag_error(cg->d, NULL, none,
					  "%s: an option changed after its clauses were compiled",
					  g->name);
		if (cl->uses_frame && frame_temps_start(cg) + cl->temps > env->conf.frame_size)
			return diag_error(cg->d, NULL, none,
					  "%s: clauses need more working memory than there is",
					  g->name);
	}
	return 0;
}

/* Where the firing ends before any clause. */
static void ways_out(struct cg *cg, bool frame, label none)
{
	if (frame) {
		ir_place(cg->ir, none);
		frame_lost(cg);
	}
	ir_place(cg->ir, cg->out);
	ir_exit(cg->ir, 0);
}

int cg_group_emit(struct cg_env *env, const struct cg_group *g, struct ir *ir, struct diag *d)
{
	struct cg cg = { .env = env,
			 .g = g,
			 .ir = ir,
			 .d = d,
			 .row = VREG_NONE,
			 .rows = VREG_NONE,
			 .frame = VREG_NONE,
			 .frame_idx = VREG_NONE,
			 .frame_bit = VREG_NONE,
			 .acct = VREG_NONE };
	bool frame = frame_needed(g);
	label none = ir_label(ir);
	struct srcloc nowhere = { 0 };

	if (group_check(&cg))
		return -1;
	cg.out = ir_label(ir);
	cg.ctx = ir_arg(ir, 0);
	vreg index = g->ops->prologue(&cg, cg.ctx, g->data, cg.out);
	if (g->nrows > 1)
		row_find(&cg, index, cg.out);
	cg_cpu_find(&cg, cg.out);
	if (times_read(&cg) > 1) {
		cg.time_slot = ir_stack_alloc(ir, 8);
		ir_storei(ir, 8, ir_stack(ir, cg.time_slot), 0, 0);
	}
	if (env->accounting)
		cg.acct = ir_map_elem(ir, CG_MAP_ACCT, cg.slot, cg.out);
	cg.cur.cl = each_clause(g, 0);
	if (frame) {
		frame_claim(&cg, none);
		locals_clear(&cg);
	}
	if (g->nclauses >
	    NEAR_CLAUSES) { /* the early ways out would be too far from the end for a jump */
		label go = ir_label(ir);

		ir_jmp(ir, go);
		ways_out(&cg, frame, none);
		ir_place(ir, go);
		group_clauses(&cg);
		if (frame)
			frame_give_back(&cg);
		ir_exit(ir, 0);
	} else {
		group_clauses(&cg);
		if (frame) {
			frame_give_back(&cg);
			ir_jmp(ir, cg.out);
		}
		ways_out(&cg, frame, none);
	}
	if (d->set)
		return -1;
	if (ir->error)
		return diag_error(d, NULL, nowhere, "%s: %s", g->name,
				  ir->error_text ? ir->error_text : strerror(-ir->error));
	return 0;
}
