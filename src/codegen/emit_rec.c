/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records: entering the active half, reserving, filling, leaving (the protocol is in abi/abi.h).
 *
 * One cmpxchg on abi_cpu.word enters and reserves. Whoever interrupts between the load and the
 * cmpxchg makes it fail, and it is tried again; ATTEMPTS unrolled tries lost in a row are a drop of
 * their own. Who is alone leaves without an atomic addition.
 *
 *   switch, fill  the largest size is reserved before anything is evaluated; what strings did not
 *                 use is given back, if nothing was reserved behind it meanwhile
 *   ring          old records are overwritten, so the exact size is reserved: a record with strings
 *                 is built in the frame first ("staged") and copied at the end
 */
#include <assert.h>
#include <stddef.h>

#include "codegen/cg_impl.h"

#define ATTEMPTS 4
#define STAGE_WORDS 16 /* of the fixed part are handled one by one, more by the kernel's copy routine */

/* ---- entering and leaving ---- */

/* To which the offsets of left and alone are added; half8: 0 or 8. */
static vreg counts_of(struct cg *cg, vreg half8)
{
	ir_alu(cg->ir, IR_ADD, half8, cg->cpu);
	return half8;
}

/*
 * 0 if all who entered the half of the word have left it: who then exchanges this very word is alone. The counts are
 * read behind the word, and before it is exchanged.
 */
static vreg others_inside(struct cg *cg, vreg word)
{
	struct ir *ir = cg->ir;
	vreg half8 = ir_mov(ir, word), others = ir_mov(ir, word);

	ir_alui(ir, IR_SHR, half8, 29);
	ir_alui(ir, IR_AND, half8, 8);
	vreg p = counts_of(cg, half8);
	ir_alui(ir, IR_SHR, others, 33);
	ir_alu(ir, IR_SUB, others, ir_load(ir, 8, p, offsetof(struct abi_cpu, left)));
	ir_alu(ir, IR_SUB, others, ir_load(ir, 8, p, offsetof(struct abi_cpu, alone)));
	ir_alui(ir, IR_SHL, others, 33); /* modulo 2^31 */
	return others;
}

/* The consumer now sees all that was stored before. */
void rec_leave(struct cg *cg, const struct resv *rv)
{
	struct ir *ir = cg->ir;
	label atomic = ir_label(ir), done = ir_label(ir);
	vreg half8 = ir_mov(ir, rv->half);

	ir_alui(ir, IR_SHL, half8, 3);
	vreg p = counts_of(cg, half8);
	ir_jcci(ir, IR_NE, rv->others, 0, atomic);
	vreg n = ir_load(ir, 8, p, offsetof(struct abi_cpu, alone));
	ir_alui(ir, IR_ADD, n, 1);
	ir_store(ir, 8, p, offsetof(struct abi_cpu, alone), n);
	ir_jmp(ir, done);
	ir_place(ir, atomic);
	ir_atomic(ir, IR_ATOMIC_ADD, p, offsetof(struct abi_cpu, left), ir_imm(ir, 1));
	ir_place(ir, done);
}

/* ---- reserving ---- */

struct attempt {
	vreg w;	  /* the word as last seen */
	vreg off; /* its offset; in a ring then the new one */
	vreg nw;  /* the word to store */
	vreg need;
	uint32_t max;
	label noroom, slow;
};

/* END may use what is kept for it under fill. */
static uint32_t usable(const struct cg *cg)
{
	const struct abi_conf *c = &cg->env->conf;

	if (cg->env->policy != CG_FILL || cg->g->activity == ABI_COOLDOWN)
		return c->bufsize;
	return c->bufsize > c->reserve ? c->bufsize - c->reserve : 0;
}

/* switch and fill: the record stands at off. 0 <= off <= bufsize - max bounds it for the verifier,
 * too. */
static void attempt_linear(struct cg *cg, struct attempt *a)
{
	struct ir *ir = cg->ir;
	uint32_t size = usable(cg);

	if (a->need != VREG_NONE) {
		ir_jcci(ir, IR_UGT, a->off, size, a->noroom);
		ir_imm_to(ir, a->nw, size);
		ir_alu(ir, IR_SUB, a->nw, a->off);
		ir_jcc(ir, IR_UGT, a->need, a->nw, a->noroom);
		ir_imm_to(ir, a->nw, (int64_t)ABI_WORD_ENTER);
		ir_alu(ir, IR_ADD, a->nw, a->need);
	} else {
		if (a->max <= size)
			ir_jcci(ir, IR_UGT, a->off, size - a->max, a->noroom);
		else
			ir_jcci(ir, IR_UGE, a->off, 0, a->noroom);
		ir_imm_to(ir, a->nw, (int64_t)(ABI_WORD_ENTER + a->max));
	}
	ir_alu(ir, IR_ADD, a->nw, a->w);
}

/*
 * ring: off - need. The record before it and this one in the same segment: nobody need be asked. Else,
 * and when that is below 0, the slow way. CLOSED is above bufsize.
 */
static void attempt_ring(struct cg *cg, struct attempt *a)
{
	struct ir *ir = cg->ir;
	const struct abi_conf *c = &cg->env->conf;

	ir_jcci(ir, IR_UGT, a->off, c->bufsize, a->noroom);
	ir_mov_to(ir, a->nw, a->off);
	if (a->need == VREG_NONE)
		ir_alui(ir, IR_SUB, a->off, a->max);
	else
		ir_alu(ir, IR_SUB, a->off, a->need);
	ir_alu(ir, IR_XOR, a->nw, a->off);
	ir_jcci(ir, IR_UGE, a->nw, c->ring_segment, a->slow);
	ir_jcci(ir, IR_UGT, a->off, c->bufsize, a->noroom); /* never: tells the verifier */
	if (a->need == VREG_NONE) {
		ir_imm_to(ir, a->nw, (int64_t)(ABI_WORD_ENTER - a->max));
	} else {
		ir_imm_to(ir, a->nw, (int64_t)ABI_WORD_ENTER);
		ir_alu(ir, IR_SUB, a->nw, a->need);
	}
	ir_alu(ir, IR_ADD, a->nw, a->w);
}

/* What is larger than the ring is dropped before anything is asked. */
static void ring_fits(struct cg *cg, struct attempt *a)
{
	struct ir *ir = cg->ir;
	uint32_t size = cg->env->conf.bufsize;

	if (cg->env->policy != CG_RING)
		return;
	ir_imm_to(ir, a->off, 0);
	if (a->need != VREG_NONE)
		ir_jcci(ir, IR_UGT, a->need, MIN(a->max, size), a->noroom);
	else if (a->max > size)
		ir_jcci(ir, IR_EQ, a->off, 0, a->noroom);
}

/* The runtime does it; nw is the new word, off its offset. */
static void ring_slow(struct cg *cg, struct attempt *a, vreg others, label got, label busy)
{
	struct ir *ir = cg->ir;
	label ok = ir_label(ir), full = ir_label(ir);
	vreg need = a->need == VREG_NONE ? ir_imm(ir, a->max) : a->need;

	ir_comment(ir, "into another segment");
	ir_imm_to(ir, others, 1); /* as is right for anybody */
	ir_mov_to(ir, a->nw, ir_callrt(ir, "rt_ring", 1, need));
	ir_mov_to(ir, a->off, a->nw);
	ir_jcci(ir, IR_EQ, a->off, ABI_RING_BUSY, busy);
	ir_jcci(ir, IR_EQ, a->off, ABI_RING_NOROOM, full);
	ir_ext(ir, a->off, 4, false);
	ir_jcci(ir, IR_NE, a->nw, ABI_RING_CLOSED, ok);
	ir_imm_to(ir, a->off, ABI_OFF_CLOSED);
	ir_jmp(ir, a->noroom);
	ir_place(ir, full);
	ir_imm_to(ir, a->off, 0);
	ir_jmp(ir, a->noroom);
	ir_place(ir, ok);
	ir_jcci(ir, IR_ULE, a->off, cg->env->conf.bufsize, got); /* always: tells the verifier */
	ir_jmp(ir, a->noroom);
}

/*
 * fill: from now on nothing is recorded on this CPU. The half keeps what it has: the consumer walks
 * it to the first size 0. `entered` stays, so that it still waits for those who are inside.
 */
static void mark_full(struct cg *cg, struct attempt *a, label lost, label busy)
{
	struct ir *ir = cg->ir;
	label done = ir_label(ir);

	for (int i = 0; i < ATTEMPTS; i++) {
		ir_mov_to(ir, a->off, a->w);
		ir_ext(ir, a->off, 4, false);
		ir_jcci(ir, IR_UGT, a->off, ABI_OFF_MAX, lost);
		ir_mov_to(ir, a->nw, a->w);
		ir_alu(ir, IR_SUB, a->nw, a->off);
		vreg full = ir_imm(ir, ABI_OFF_FULL);
		ir_alu(ir, IR_ADD, a->nw, full);
		vreg old = ir_cmpxchg(ir, cg->cpu, offsetof(struct abi_cpu, word), a->w, a->nw);
		ir_jcc(ir, IR_EQ, old, a->w, done);
		ir_mov_to(ir, a->w, old);
	}
	ir_jmp(ir, busy);
	ir_place(ir, done);
	vreg st = ir_mapval(ir, CG_MAP_STATE, 0);
	vreg one = ir_imm(
		ir, 1ll << 32); /* filled is the upper half of the word that begins with activity */
	ir_atomic(ir, IR_ATOMIC_ADD, st, 0, one);
	ir_jmp(ir, lost);
}

static void emit_noroom(struct cg *cg, struct attempt *a, enum resv_kind kind, label lost, label busy,
			label closed)
{
	struct ir *ir = cg->ir;
	label stopped = ir_label(ir);

	ir_comment(ir, "no room, full or closed");
	ir_jcci(ir, IR_UGT, a->off, ABI_OFF_MAX, stopped);
	if (kind == RESV_RECORD)
		cg_account(cg, ABI_ACCT_NOROOM);
	if (cg->env->policy == CG_FILL) {
		mark_full(cg, a, lost, busy);
	} else {
		cg_count(cg, kind == RESV_FAULT ? ABI_DROP_FAULTREC : ABI_DROP_PRINCIPAL);
		ir_jmp(ir, lost);
	}
	ir_place(ir, stopped);
	if (kind == RESV_RECORD)
		cg_account(cg, ABI_ACCT_STOPPED);
	ir_jmp(ir, closed);
}

/* The code after this runs with the reservation made; the failures are emitted at once and jumped
 * over. */
void rec_reserve(struct cg *cg, struct resv *rv, vreg need, uint32_t max, enum resv_kind kind,
		 label lost)
{
	struct ir *ir = cg->ir;
	struct attempt a = {
		.need = need, .max = max, .noroom = ir_label(ir), .slow = ir_label(ir)
	};
	label got = ir_label(ir), busy = ir_label(ir);
	label closed = kind == RESV_BLOCK ? rv->retry : lost;

	ir_comment(ir, "enter and reserve");
	a.w = ir_load(ir, 8, cg->cpu, offsetof(struct abi_cpu, word));
	a.off = ir_vreg(ir);
	a.nw = ir_vreg(ir);
	rv->others = others_inside(cg, a.w);
	ring_fits(cg, &a);
	for (int i = 0; i < ATTEMPTS; i++) {
		if (i == 1)
			ir_imm_to(ir, rv->others, 1); /* interrupted: it was true of another word */
		ir_mov_to(ir, a.off, a.w);
		ir_ext(ir, a.off, 4, false);
		if (cg->env->policy == CG_RING)
			attempt_ring(cg, &a);
		else
			attempt_linear(cg, &a);
		vreg old = ir_cmpxchg(ir, cg->cpu, offsetof(struct abi_cpu, word), a.w, a.nw);
		ir_jcc(ir, IR_EQ, old, a.w, got);
		ir_mov_to(ir, a.w, old);
	}
	ir_jmp(ir, busy);
	if (cg->env->policy == CG_RING) {
		ir_place(ir, a.slow);
		ring_slow(cg, &a, rv->others, got, busy);
	}
	ir_place(ir, a.noroom);
	emit_noroom(cg, &a, kind, lost, busy, closed);
	ir_place(ir, busy);
	if (kind != RESV_BLOCK)
		cg_count(cg, kind == RESV_FAULT ? ABI_DROP_FAULTREC : ABI_DROP_BUSY);
	if (kind == RESV_RECORD)
		cg_account(cg, ABI_ACCT_BUSY);
	ir_jmp(ir, closed);
	ir_place(ir, got);
	rv->word = a.nw;
	rv->off = a.off;
	rv->half = ir_mov(ir, a.nw);
	ir_alui(ir, IR_SHR, rv->half, 32);
	ir_alui(ir, IR_AND, rv->half, 1);
	rv->elem = ir_mov(ir, cg->slot);
	ir_alui(ir, IR_SHL, rv->elem, 1);
	ir_alu(ir, IR_ADD, rv->elem, rv->half);
	rv->rec = ir_map_elem(ir, CG_MAP_BUFS, rv->elem, lost);
	ir_alu(ir, IR_ADD, rv->rec, rv->off);
#ifdef TEST_NEGATIVE
	/* A build whose consumer does not wait (buffer/switch.c) must be caught: give it the time to go wrong. */
	ir_callrt(ir, "rt_test_spin", 1, ir_imm(ir, 5000));
#endif
}

/* ---- the record of a clause ---- */

/* The time of the firing, unless it is too old by now (abi/abi.h). The record is reserved. */
vreg rec_time(struct cg *cg)
{
	struct ir *ir = cg->ir;
	label ok = ir_label(ir);
	vreg t = cg_timestamp(cg);

	if (!cg->time_kept)
		return t; /* read just now */
	vreg floor = ir_load(ir, 8, cg->cpu, offsetof(struct abi_cpu, not_before));
	ir_jcc(ir, IR_UGE, t, floor, ok);
	ir_mov_to(ir, t, ir_call(ir, BPF_FUNC_ktime_get_ns, 0));
	ir_place(ir, ok);
	return t;
}

/* size 0: the caller stores it. */
void rec_header(struct cg *cg, vreg rec, uint32_t off, vreg epid, uint32_t epid_const,
		uint32_t size)
{
	struct ir *ir = cg->ir;

	if (epid == VREG_NONE)
		ir_storei(ir, 4, rec, off, (int32_t)epid_const);
	else
		ir_store(ir, 4, rec, off, epid);
	if (size)
		ir_storei(ir, 4, rec, off + 4, size);
	if (cg->env->temporal)
		ir_store(ir, 8, rec, off + 8, rec_time(cg));
}

/* What could be larger than the ring is never recorded, however short its strings are this time. */
static void stage_refuse(struct cg *cg)
{
	struct ir *ir = cg->ir;
	label never = ir_label(ir);

	ir_comment(ir, "larger than the buffer");
	ir_jcci(ir, IR_NE, ir_imm(ir, 0), 0, never);
	cg_account(cg, ABI_ACCT_NOROOM);
	cg_count(cg, ABI_DROP_PRINCIPAL);
	ir_jmp(ir, cg->cur.lost);
	ir_place(ir, never);
}

/*
 * Staged: in a ring with strings, to reserve the exact size; in a clause with commit(), to stand behind
 * what it commits.
 *
 * Nothing may be left from an earlier firing in what an `if` may skip.
 */
static void stage_begin(struct cg *cg, const struct layout *l)
{
	struct cg_cur *cur = &cg->cur;

	if (cg->env->policy == CG_RING && l->max > cg->env->conf.bufsize)
		stage_refuse(cg);
	cur->stage = frame_temp(cg, l->fixed);
	cur->strings = arena_alloc(cur->cl->arena, l->nstrings * sizeof(*cur->strings));
	for (uint32_t i = 0; i < l->nstrings; i++) {
		cur->strings[i] = frame_temp_string(cg);
		if (l->npresence)
			frame_storei(cg, 8, cur->strings[i], 0);
	}
	if (l->fixed - l->header <= STAGE_WORDS * 8)
		for (uint32_t off = l->header; off < l->fixed; off += 8)
			frame_storei(cg, 8, cur->stage + off, 0);
	else
		ir_callrt(cg->ir, "rt_zero", 3, frame_index(cg),
			  ir_imm(cg->ir, cur->stage + l->header),
			  ir_imm(cg->ir, l->fixed - l->header));
	cur->temp_keep = cur->temp;
}

/* The head of a record that is filled in place, for which the largest size is reserved. */
void rec_start(struct cg *cg, const struct layout *l)
{
	struct cg_cur *cur = &cg->cur;

	rec_header(cg, cur->rv.rec, 0, cur->epid, cur->epid_const, l->max);
	for (uint32_t i = 0; i < l->npresence; i++)
		ir_storei(cg->ir, 8, cur->rv.rec, l->header + 8 * i, 0);
	if (l->nstrings || l->tail) {
		ir_mov_to(cg->ir, cur->pos, cur->rv.off);
		ir_alui(cg->ir, IR_ADD, cur->pos, l->tail ? l->least : l->fixed);
	}
}

void rec_begin(struct cg *cg)
{
	struct cg_cur *cur = &cg->cur;
	const struct layout *l = cur->cl->layout;

	cur->records = l->max > 0;
	if (!cur->records)
		return;
	if (cur->cl->spec != CG_SPEC_NONE)
		spec_begin(cg);
	if (cur->cl->spec == CG_SPEC_ALL)
		return;
	cur->staged = (cg->env->policy == CG_RING && l->nstrings > 0) || cur->cl->commits;
	if (cur->staged) {
		stage_begin(cg, l);
		return;
	}
	rec_reserve(cg, &cur->rv, VREG_NONE, l->max, RESV_RECORD, cur->lost);
	cur->pos = ir_vreg(cg->ir);
	rec_start(cg, l);
}

static void add_length(struct cg *cg, vreg sum, vreg len, int64_t null)
{
	label skip = ir_label(cg->ir);

	ir_jcci(cg->ir, IR_EQ, len, null, skip);
	ir_alu(cg->ir, IR_ADD, sum, len);
	ir_place(cg->ir, skip);
}

/* Copies a string to cur->pos of the speculation or of the principal buffer. */
static void copy_to(struct cg *cg, vreg len, uint32_t src, bool spec)
{
	struct cg_cur *cur = &cg->cur;
	struct ir *ir = cg->ir;
	vreg elem = cur->rv.elem;

	if (spec) {
		elem = ir_mov(ir, cur->spec);
		ir_alui(ir, IR_SUB, elem, 1);
	}
	ir_mov_to(ir, len, ir_callrt(ir, spec ? "rt_spec_str" : "rt_rec_str", 4, frame_index(cg),
				     ir_imm(ir, src), elem, cur->pos));
	add_length(cg, cur->pos, len, 0xffffffffll);
}

static vreg copy_string(struct cg *cg, uint32_t src)
{
	struct cg_cur *cur = &cg->cur;
	struct ir *ir = cg->ir;
	label own = ir_label(ir), done = ir_label(ir);
	vreg len = ir_vreg(ir);

	if (cur->cl->spec != CG_SPEC_SOME) {
		copy_to(cg, len, src, cur->cl->spec == CG_SPEC_ALL);
		return len;
	}
	ir_jcci(ir, IR_EQ, cur->spec, 0, own);
	copy_to(cg, len, src, true);
	ir_jmp(ir, done);
	ir_place(ir, own);
	copy_to(cg, len, src, false);
	ir_place(ir, done);
	return len;
}

/* What was built in the frame, behind the header at rec. */
static void stage_store(struct cg *cg, const struct layout *l, vreg rec, vreg rec_off, bool spec)
{
	struct cg_cur *cur = &cg->cur;
	struct ir *ir = cg->ir;

	if (l->fixed - l->header <= STAGE_WORDS * 8)
		for (uint32_t off = l->header; off < l->fixed; off += 8)
			ir_store(ir, 8, rec, off, frame_load(cg, 8, cur->stage + off));
	else
		ir_call(ir, BPF_FUNC_probe_read_kernel, 3, cg_ptr_add(cg, rec, l->header),
			ir_imm(ir, l->fixed - l->header),
			cg_ptr_add(cg, cg->frame, cur->stage + l->header));
	cur->pos = ir_mov(ir, rec_off);
	ir_alui(ir, IR_ADD, cur->pos, l->fixed);
	for (uint32_t i = 0; i < l->nstrings; i++)
		copy_to(cg, ir_vreg(ir), cur->strings[i], spec);
}

static void stage_commit_ring(struct cg *cg, const struct layout *l)
{
	struct cg_cur *cur = &cg->cur;
	struct ir *ir = cg->ir;
	vreg need = ir_imm(ir, l->fixed + 7);

	ir_comment(ir, "exact size of the record");
	for (uint32_t i = 0; i < l->nstrings; i++)
		add_length(cg, need, frame_load(cg, 8, cur->strings[i]), -1);
	ir_alui(ir, IR_AND, need, -8);
	rec_reserve(cg, &cur->rv, need, l->max, RESV_RECORD, cur->lost);
	rec_header(cg, cur->rv.rec, 0, cur->epid, cur->epid_const, 0);
	ir_store(ir, 4, cur->rv.rec, offsetof(struct abi_rec, size), need);
	stage_store(cg, l, cur->rv.rec, cur->rv.off, false);
}

/* Bytes of the record at off whose last string, or stack, ends at cur->pos. */
vreg rec_size(struct cg *cg, vreg off)
{
	struct ir *ir = cg->ir;
	vreg size = ir_mov(ir, cg->cur.pos);

	ir_alu(ir, IR_SUB, size, off);
	ir_alui(ir, IR_ADD, size, 7);
	ir_alui(ir, IR_AND, size, -8);
	return size;
}

/*
 * Gives back what the strings, or the stack at the end, did not use. It works only if the word is
 * still as this firing left it: then nothing was reserved behind the record, and nobody sees the
 * bytes given back.
 */
static void give_back(struct cg *cg, const struct layout *l)
{
	struct cg_cur *cur = &cg->cur;
	struct ir *ir = cg->ir;
	label ok = ir_label(ir);

	ir_comment(ir, "give back");
	vreg size = rec_size(cg, cur->rv.off);
	vreg word = ir_mov(ir, cur->rv.word);
	ir_alu(ir, IR_ADD, word, size);
	ir_alui(ir, IR_SUB, word, l->max);
	vreg old = ir_cmpxchg(ir, cg->cpu, offsetof(struct abi_cpu, word), cur->rv.word, word);
	ir_jcc(ir, IR_EQ, old, cur->rv.word, ok);
	ir_imm_to(ir, size, l->max);
	ir_place(ir, ok);
	ir_store(ir, 4, cur->rv.rec, offsetof(struct abi_rec, size), size);
}

/*
 * The whole record is given up before anything was recorded: its space is given back, or stays taken
 * as filler. Memory behind the last record must look as if it had never been written.
 */
void rec_release(struct cg *cg)
{
	struct cg_cur *cur = &cg->cur;
	const struct layout *l = cur->cl->layout;
	struct ir *ir = cg->ir;
	label ok = ir_label(ir);

	ir_comment(ir, "give up the record");
	if (cg->env->policy == CG_RING) {
		ir_storei(ir, 4, cur->rv.rec, offsetof(struct abi_rec, epid), ABI_EPID_NONE);
	} else {
		ir_storei(ir, 8, cur->rv.rec, 0, 0);
		vreg word = ir_mov(ir, cur->rv.word);
		ir_alui(ir, IR_SUB, word, l->max);
		vreg old = ir_cmpxchg(ir, cg->cpu, offsetof(struct abi_cpu, word), cur->rv.word,
				      word);
		ir_jcc(ir, IR_EQ, old, cur->rv.word, ok);
		ir_storei(ir, 4, cur->rv.rec, offsetof(struct abi_rec, size), l->max);
		ir_place(ir, ok);
	}
	rec_leave(cg, &cur->rv);
}

static void stage_commit(struct cg *cg, const struct layout *l)
{
	struct cg_cur *cur = &cg->cur;

	if (cg->env->policy == CG_RING) {
		stage_commit_ring(cg, l);
		return;
	}
	rec_reserve(cg, &cur->rv, VREG_NONE, l->max, RESV_RECORD, cur->lost);
	rec_header(cg, cur->rv.rec, 0, cur->epid, cur->epid_const, l->max);
	stage_store(cg, l, cur->rv.rec, cur->rv.off, false);
	if (l->nstrings)
		give_back(cg, l);
}

static void principal_commit(struct cg *cg, const struct layout *l)
{
	if (cg->cur.staged)
		stage_commit(cg, l);
	else if (l->nstrings || (l->tail && cg->env->policy != CG_RING))
		give_back(cg, l);
	rec_leave(cg, &cg->cur.rv);
}

static void speculative_commit(struct cg *cg, const struct layout *l)
{
	struct cg_cur *cur = &cg->cur;

	if (cur->staged) {
		rec_header(cg, cur->spec_rec, 0, cur->epid, cur->epid_const, l->max);
		stage_store(cg, l, cur->spec_rec, cur->spec_off, true);
	}
	spec_commit(cg, l);
}

void rec_commit(struct cg *cg)
{
	struct cg_cur *cur = &cg->cur;
	const struct layout *l = cur->cl->layout;
	label own = ir_label(cg->ir), done = ir_label(cg->ir);

	if (!cur->records)
		return;
	switch (cur->cl->spec) {
	case CG_SPEC_NONE: principal_commit(cg, l); break;
	case CG_SPEC_ALL: speculative_commit(cg, l); break;
	case CG_SPEC_SOME:
		ir_jcci(cg->ir, IR_EQ, cur->spec, 0, own);
		speculative_commit(cg, l);
		ir_jmp(cg->ir, done);
		ir_place(cg->ir, own);
		principal_commit(cg, l);
		ir_place(cg->ir, done);
	}
}

static void principal_abandon(struct cg *cg)
{
	struct cg_cur *cur = &cg->cur;

	if (cur->staged || cur->cl->spec == CG_SPEC_ALL)
		return;
	ir_storei(cg->ir, 4, cur->rv.rec, offsetof(struct abi_rec, epid), ABI_EPID_NONE);
	rec_leave(cg, &cur->rv);
}

/* After a fault: the space stays taken, as filler. */
void rec_abandon(struct cg *cg)
{
	struct cg_cur *cur = &cg->cur;
	label own = ir_label(cg->ir), done = ir_label(cg->ir);

	if (!cur->records)
		return;
	if (cur->cl->spec == CG_SPEC_NONE) {
		principal_abandon(cg);
		return;
	}
	ir_jcci(cg->ir, IR_EQ, cur->spec, 0, own);
	spec_abandon(cg);
	ir_jmp(cg->ir, done);
	ir_place(cg->ir, own);
	principal_abandon(cg);
	ir_place(cg->ir, done);
}

/* ---- fields ---- */

void rec_present(struct cg *cg, int bit)
{
	struct cg_cur *cur = &cg->cur;
	struct ir *ir = cg->ir;
	uint32_t off = cur->cl->layout->header + 8 * (bit / 64);
	vreg mask = ir_imm(ir, (int64_t)(1ull << (bit % 64)));

	if (cur->staged) {
		vreg w = frame_load(cg, 8, cur->stage + off);
		ir_alu(ir, IR_OR, w, mask);
		frame_store(cg, 8, cur->stage + off, w);
	} else {
		vreg w = ir_load(ir, 8, cur->rv.rec, off);
		ir_alu(ir, IR_OR, w, mask);
		ir_store(ir, 8, cur->rv.rec, off, w);
	}
}

static void store_field(struct cg *cg, const struct field *f, vreg v)
{
	if (cg->cur.staged)
		frame_store(cg, f->size, cg->cur.stage + f->offset, v);
	else
		ir_store(cg->ir, f->size, cg->cur.rv.rec, f->offset, v);
}

void rec_int(struct cg *cg, const struct field *f, vreg v)
{
	store_field(cg, f, v);
}

void rec_bytes(struct cg *cg, const struct field *f, const struct bytes *b)
{
	struct cg_cur *cur = &cg->cur;

	bytes_copy(cg,
		   cur->staged ? cg_ptr_add(cg, cg->frame, cur->stage + f->offset)
			       : cg_ptr_add(cg, cur->rv.rec, f->offset),
		   b, f->size);
}

void rec_cut(struct cg *cg, const struct field *f, vreg words)
{
	struct cg_cur *cur = &cg->cur;

	if (f != cur->cl->layout->tail)
		return;
	ir_mov_to(cg->ir, cur->pos, words);
	ir_alui(cg->ir, IR_SHL, cur->pos, 3);
	ir_alui(cg->ir, IR_ADD, cur->pos, f->offset);
	ir_alu(cg->ir, IR_ADD, cur->pos, cur->rv.off);
}

vreg rec_place(struct cg *cg, const struct field *f, uint32_t *off)
{
	struct cg_cur *cur = &cg->cur;

	*off = cur->staged ? cur->stage + f->offset : f->offset;
	return cur->staged ? cg->frame : cur->rv.rec;
}

void rec_string(struct cg *cg, const struct field *f, const struct sval *sv)
{
	struct cg_cur *cur = &cg->cur;

	sval_not_null(cg, sv);
	if (!cur->staged) {
		store_field(cg, f, copy_string(cg, sval_frame(cg, sv)));
		return;
	}
	assert(cur->nstrings < cur->cl->layout->nstrings);
	uint32_t dst = cur->strings[cur->nstrings++];
	sval_to(cg, sv, dst);
	store_field(cg, f, frame_load(cg, 8, dst)); /* the low half: ~0 stays UINT32_MAX */
}
