/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of a probe group: prologue, per-CPU state, frame, then clause after clause.
 *
 *   provider's prologue -> row of the probe
 *   struct abi_cpu of this CPU; not traced: out
 *   a frame, if some clause needs one; none free: the firing is lost, counted
 *   each clause: enabled on this probe? tracing under way? predicate; buffers entered; actions
 *   frame given back
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "codegen/cg_impl.h"

#define CPU_SHIFT 8
_Static_assert(sizeof(struct abi_cpu) == 1 << CPU_SHIFT, "struct abi_cpu is indexed by a shift");
#define FRAME_TRIES 4
#define NEAR_CLAUSES 16

/* ---- rows ---- */

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

void group_row_find(struct cg *cg, vreg index, bool bounded, label out)
{
	struct ir *ir = cg->ir;
	uint32_t stride = cg_row_stride(cg->g), shift = (uint32_t)__builtin_ctz(stride);

	if (!bounded)
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

/* ---- the frame ---- */

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

/* ---- the group ---- */

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

struct cg_clause *group_clause(const struct cg_group *g, size_t i)
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
		const struct cg_clause *cl = group_clause(g, i);

		if (cl->uses_strtok && !strtok)
			frame_storei(cg, 8, offsetof(struct abi_frame, strtok), 0);
		strtok |= cl->uses_strtok;
		for (size_t k = 0; k < cl->nlocals; k++) {
			const struct ident *id = cl->locals[k];
			uint32_t off = (uint32_t)sizeof(struct abi_frame) + id->offset;
			bool seen = false;

			for (size_t m = 0; m < i && !seen; m++)
				for (size_t j = 0; j < group_clause(g, m)->nlocals && !seen; j++)
					seen = group_clause(g, m)->locals[j] == id;
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
		const struct cg_clause *cl = group_clause(cg->g, i);

		n += cl->timestamps;
		if (cg->env->temporal)
			n += (cl->layout->max > 0) + cl->can_fault + cl->uses_specs;
	}
	return n;
}

bool group_frame_needed(const struct cg_group *g)
{
	for (size_t i = 0; i < g->nclauses + g->nerror; i++)
		if (group_clause(g, i)->uses_frame)
			return true;
	return false;
}

void group_clauses(struct cg *cg, size_t from, size_t to)
{
	const struct cg_group *g = cg->g;

	for (size_t k = from; k < to; k++) {
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
		const struct cg_clause *cl = group_clause(g, i);

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

/* What is kept for all clauses of the firing. */
static void time_keep(struct cg *cg)
{
	if (times_read(cg) <= 1)
		return;
	cg->time_kept = true;
	if (!cg->parted)
		cg->time_slot = ir_stack_alloc(cg->ir, 8);
	cg_timestamp_forget(cg);
}

/* The clauses, in one function or several, to the end of the firing. */
static void body_emit(struct cg *cg, vreg index, bool frame, label none)
{
	const struct cg_group *g = cg->g;
	struct ir *ir = cg->ir;

	if (cg->parted) {
		func_parts(cg, index);
	} else if (g->nclauses > NEAR_CLAUSES) {
		/* the early ways out would be too far from the end for a jump */
		label go = ir_label(ir);

		ir_jmp(ir, go);
		ways_out(cg, frame, none);
		ir_place(ir, go);
		group_clauses(cg, 0, g->nclauses);
		if (frame)
			frame_give_back(cg);
		ir_exit(ir, 0);
		return;
	} else {
		group_clauses(cg, 0, g->nclauses);
	}
	if (frame) {
		frame_give_back(cg);
		ir_jmp(ir, cg->out);
	}
	ways_out(cg, frame, none);
}

static int emit_end(struct cg *cg)
{
	struct ir *ir = cg->ir;
	struct srcloc nowhere = { 0 };

	if (cg->d->set)
		return -1;
	for (size_t i = 0; i < ir->funcs.n && !ir->error; i++) {
		ir->error = ir->funcs.v[i]->ir.error;
		ir->error_text = ir->funcs.v[i]->ir.error_text;
	}
	if (!ir->error)
		return 0;
	return diag_error(cg->d, NULL, nowhere, "%s: %s", cg->g->name,
			  ir->error_text ? ir->error_text : strerror(-ir->error));
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
	label none = ir_label(ir);

	if (group_check(&cg))
		return -1;
	cg.parted = func_parts_wanted(&cg);
	bool frame = cg.parted || group_frame_needed(g);
	cg.out = ir_label(ir);
	cg.ctx = ir_arg(ir, 0);
	vreg index = g->ops->prologue(&cg, cg.ctx, g->data, cg.out);
	if (g->nrows > 1)
		group_row_find(&cg, index, g->ops->bounded, cg.out);
	cg_cpu_find(&cg, cg.out);
	if (env->accounting)
		cg.acct = ir_map_elem(ir, CG_MAP_ACCT, cg.slot, cg.out);
	cg.cur.cl = group_clause(g, 0);
	if (frame) {
		frame_claim(&cg, none);
		locals_clear(&cg);
	}
	time_keep(&cg);
	func_fault(&cg);
	body_emit(&cg, index, frame, none);
	return emit_end(&cg);
}
