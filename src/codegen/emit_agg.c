/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations. A clause enters the aggregation buffer once, before its first statement, and leaves
 * it at its end, so that all it updates is in the same snapshot. Values are updated atomically.
 *
 * A new aggregating function is one row of `funcs` and one function that updates the value at p.
 */
#include <stddef.h>

#include "codegen/cg_impl.h"

#define TRIES 4

/* ---- entering ---- */

void agg_leave(struct cg *cg)
{
	struct ir *ir = cg->ir;
	vreg p = ir_mov(ir, cg->cur.agg_half);

	ir_alui(ir, IR_SHL, p, 3);
	ir_alu(ir, IR_ADD, p, cg->cpu);
	ir_atomic(ir, IR_ATOMIC_ADD, p, offsetof(struct abi_cpu, agg_left), ir_imm(ir, 1));
}

/* Entering a closed buffer is undone at once; nothing of the clause happens then. */
void agg_enter(struct cg *cg, label closed)
{
	struct cg_cur *cur = &cg->cur;
	struct ir *ir = cg->ir;
	label open = ir_label(ir);

	ir_comment(ir, "enter the aggregation buffer");
	vreg enter = ir_imm(ir, (int64_t)ABI_WORD_ENTER);
	vreg word = ir_fetch_add(ir, cg->cpu, offsetof(struct abi_cpu, agg_word), enter);
	cur->agg_half = ir_mov(ir, word);
	ir_alui(ir, IR_SHR, cur->agg_half, 32);
	ir_alui(ir, IR_AND, cur->agg_half, 1);
	ir_ext(ir, word, 4, false);
	ir_jcci(ir, IR_ULE, word, ABI_OFF_MAX, open);
	agg_leave(cg);
	ir_jmp(ir, closed);
	ir_place(ir, open);
	cur->aggs = true;
	cur->agg_elem = ir_mov(ir, cg->slot);
	ir_alui(ir, IR_SHL, cur->agg_elem, 1);
	ir_alu(ir, IR_ADD, cur->agg_elem, cur->agg_half);
	cur->agg_ptr = ir_map_elem(ir, CG_MAP_AGGS, cur->agg_elem, closed);
}

/* ---- functions ---- */

/* What an update works on: the value's words at p + off. */
struct update {
	vreg p;
	int off;
	const struct node_list *args;
	const int64_t *params;
	uint32_t words;
	vreg value; /* the first argument, as int64_t */
	vreg incr;  /* distributions: what is added, VREG_NONE: 1 */
	label skip;
};

static void add(struct cg *cg, const struct update *u, int word, vreg v)
{
	ir_atomic(cg->ir, IR_ATOMIC_ADD, u->p, u->off + 8 * word, v);
}

static void add_one(struct cg *cg, const struct update *u, int word)
{
	add(cg, u, word, ir_imm(cg->ir, 1));
}

static void count_update(struct cg *cg, const struct update *u)
{
	add_one(cg, u, 0);
}

static void sum_update(struct cg *cg, const struct update *u)
{
	add(cg, u, 0, u->value);
}

static void avg_update(struct cg *cg, const struct update *u)
{
	add_one(cg, u, 0);
	add(cg, u, 1, u->value);
}

/* Both are kept so that zeroed memory is neutral and the larger unsigned number wins. */
static void extreme_update(struct cg *cg, const struct update *u, int64_t flip)
{
	struct ir *ir = cg->ir;
	label done = ir_label(ir);
	vreg mask = ir_imm(ir, flip), v = ir_mov(ir, u->value);

	add_one(cg, u, 0);
	ir_alu(ir, IR_XOR, v, mask);
	vreg cur = ir_load(ir, 8, u->p, u->off + 8);
	for (int i = 0; i < TRIES; i++) {
		ir_jcc(ir, IR_ULE, v, cur, done);
		vreg old = ir_cmpxchg(ir, u->p, u->off + 8, cur, v);
		ir_jcc(ir, IR_EQ, old, cur, done);
		ir_mov_to(ir, cur, old);
	}
	cg_count(cg, ABI_DROP_BUSY);
	ir_place(ir, done);
}

static void min_update(struct cg *cg, const struct update *u)
{
	extreme_update(cg, u, INT64_MAX);
}

static void max_update(struct cg *cg, const struct update *u)
{
	extreme_update(cg, u, INT64_MIN);
}

/* low, high += |v| * |v|, by halves of 32 bits: (h * 2^32 + l)^2 = h*h * 2^64 + 2*h*l * 2^32 + l*l
 */
static void square(struct cg *cg, vreg v, vreg *low, vreg *high)
{
	struct ir *ir = cg->ir;
	label positive = ir_label(ir), carried = ir_label(ir);

	ir_jcci(ir, IR_SGE, v, 0, positive);
	ir_neg(ir, v);
	ir_place(ir, positive);
	vreg l = ir_mov(ir, v), h = ir_mov(ir, v);
	ir_ext(ir, l, 4, false);
	ir_alui(ir, IR_SHR, h, 32);
	vreg hl = ir_mov(ir, h);
	ir_alu(ir, IR_MUL, hl, l); /* below 2^63: |v| <= 2^63, so h <= 2^31 */
	ir_alu(ir, IR_MUL, l, l);
	ir_alu(ir, IR_MUL, h, h);
	vreg mid = ir_mov(ir, hl);
	ir_alui(ir, IR_SHR, hl, 31);
	ir_alu(ir, IR_ADD, h, hl);
	ir_alui(ir, IR_SHL, mid, 33);
	ir_alu(ir, IR_ADD, l, mid);
	ir_jcc(ir, IR_UGE, l, mid, carried);
	ir_alui(ir, IR_ADD, h, 1);
	ir_place(ir, carried);
	*low = l;
	*high = h;
}

static void stddev_update(struct cg *cg, const struct update *u)
{
	struct ir *ir = cg->ir;
	label carried = ir_label(ir);
	vreg low, high;

	avg_update(cg, u);
	square(cg, ir_mov(ir, u->value), &low, &high);
	vreg sum = ir_fetch_add(ir, u->p, u->off + 16, low);
	ir_alu(ir, IR_ADD, sum, low);
	ir_jcc(ir, IR_UGE, sum, low, carried);
	ir_alui(ir, IR_ADD, high, 1);
	ir_place(ir, carried);
	add(cg, u, 3, high);
}

/* Adds to one of the buckets; the check is for the verifier. */
static void bucket_update(struct cg *cg, const struct update *u, vreg bucket)
{
	struct ir *ir = cg->ir;

	ir_jcci(ir, IR_UGE, bucket, u->words, u->skip);
	ir_alui(ir, IR_SHL, bucket, 3);
	vreg q = ir_mov(ir, u->p);
	ir_alu(ir, IR_ADD, q, bucket);
	vreg incr = u->incr == VREG_NONE ? ir_imm(ir, 1) : u->incr;
	ir_atomic(ir, IR_ATOMIC_ADD, q, u->off, incr);
}

static void quantize_update(struct cg *cg, const struct update *u)
{
	bucket_update(cg, u, ir_callrt(cg->ir, "rt_quantize", 1, u->value));
}

static void lquantize_update(struct cg *cg, const struct update *u)
{
	uint64_t range = (uint32_t)u->params[0] | (uint64_t)u->params[1] << 32;

	bucket_update(cg, u,
		      ir_callrt(cg->ir, "rt_lquantize", 3, u->value, ir_imm(cg->ir, (int64_t)range),
				ir_imm(cg->ir, u->params[2])));
}

static void llquantize_update(struct cg *cg, const struct update *u)
{
	uint64_t packed =
		(uint64_t)(uint16_t)u->params[0] | (uint64_t)(uint16_t)u->params[1] << 16 |
		(uint64_t)(uint16_t)u->params[2] << 32 | (uint64_t)(uint16_t)u->params[3] << 48;

	bucket_update(
		cg, u,
		ir_callrt(cg->ir, "rt_llquantize", 2, u->value, ir_imm(cg->ir, (int64_t)packed)));
}

static const struct agg_func {
	void (*update)(struct cg *cg, const struct update *u);
	uint32_t words; /* of the value; 0: depends on the parameters */
	int incr;	/* index of the argument that says what to add, -1: none */
} funcs[FN_MAX] = {
	[FN_count] = { count_update, ABI_AGG_COUNT_WORDS, -1 },
	[FN_sum] = { sum_update, ABI_AGG_SUM_WORDS, -1 },
	[FN_avg] = { avg_update, ABI_AGG_AVG_WORDS, -1 },
	[FN_min] = { min_update, ABI_AGG_MIN_WORDS, -1 },
	[FN_max] = { max_update, ABI_AGG_MAX_WORDS, -1 },
	[FN_stddev] = { stddev_update, ABI_AGG_STDDEV_WORDS, -1 },
	[FN_quantize] = { quantize_update, ABI_AGG_QUANTIZE_WORDS, 1 },
	[FN_lquantize] = { lquantize_update, 0, 1 },
	[FN_llquantize] = { llquantize_update, 0, 1 },
};

uint32_t agg_value_words(enum func_id func, const int64_t params[4])
{
	switch (func) {
	case FN_lquantize:
		return params[2] > 0
			       ? (uint32_t)ABI_AGG_LQUANTIZE_WORDS(params[0], params[1], params[2])
			       : 2;
	case FN_llquantize:
		if (params[0] < 2)
			return 3;
		return (uint32_t)ABI_AGG_LLQUANTIZE_WORDS(params[0], params[1], params[2],
							  params[3]);
	default: return funcs[func].words;
	}
}

/* ---- keys ---- */

static const struct node *plain_string(const struct node *n)
{
	while ((n->kind == NODE_CAST || n->kind == NODE_STRINGOF) && expr_is_string(n->a))
		n = n->a;
	return n;
}

/* A component that is an offset in the string table: no work on strings. */
static void key_table(struct cg *cg, const struct node *n, uint32_t at)
{
	struct sval sv;

	expr_string(cg, plain_string(n), &sv);
	if (sv.kind == SVAL_TABLE)
		frame_store(cg, 8, at, sv.reg);
	else
		frame_storei(cg, 8, at, sv.off);
}

/* The tuple of a key: where it stands in the frame and its words, as a register. */
static vreg key_build(struct cg *cg, const struct node_list *keys, const struct aggshape *sh,
		      uint32_t *off)
{
	struct ir *ir = cg->ir;
	uint32_t nfixed = 0, nstr = 0, word = 0;
	struct sval sv;
	struct addr addr;
	vreg used = VREG_NONE;

	for (size_t i = 0; i < sh->nparts; i++) {
		nfixed += sh->parts[i].words;
		nstr += sh->parts[i].kind == FIELD_STRING;
	}
	/* a struct abi_str is its own tuple; the length of NULL gives one word */
	if (nstr == 1 && sh->nparts == 1) {
		expr_string(cg, keys->v[0], &sv);
		sval_not_null(cg, &sv);
		*off = sval_frame(cg, &sv);
		vreg n = frame_load(cg, 8, *off);
		ir_alui(ir, IR_ADD, n, 7);
		ir_alui(ir, IR_SHR, n, 3);
		ir_alui(ir, IR_ADD, n, 1);
		return n;
	}
	*off = frame_temp(cg, 8 * nfixed + nstr * cg_strbytes(cg));
	vreg pos = nstr ? ir_imm(ir, *off + 8 * nfixed) : VREG_NONE;
	for (size_t i = 0; i < sh->nparts; i++) {
		uint32_t at = *off + 8 * word;

		word += sh->parts[i].words;
		switch (sh->parts[i].kind) {
		case FIELD_PROBE_STRING:
		case FIELD_CONST_STRING: key_table(cg, keys->v[i], at); break;
		case FIELD_STRING:
			expr_string(cg, keys->v[i], &sv);
			sval_not_null(cg, &sv);
			uint32_t src = sval_frame(cg, &sv);
			frame_store(cg, 8, at, frame_load(cg, 8, src));
			ir_mov_to(ir, pos,
				  ir_callrt(ir, "rt_tuple_str", 3, frame_index(cg), pos,
					    ir_imm(ir, src)));
			break;
		case FIELD_BYTES: key_bytes(cg, keys->v[i], at); break;
		case FIELD_STACK:
		case FIELD_USTACK:
		case FIELD_SYM:
		case FIELD_USYM:
			addr_describe(cg->cur.cl, keys->v[i], &addr);
			used = addr_emit(cg, keys->v[i], &addr, cg->frame, at);
			break;
		default: frame_store(cg, 8, at, expr_value(cg, keys->v[i]));
		}
	}
	if (!nstr) {
		/* A stack at the end costs what it has, not what it may have. */
		if (sh->parts[sh->nparts - 1].frames) {
			label some = ir_label(ir);

			ir_alui(ir, IR_ADD, used, nfixed - sh->parts[sh->nparts - 1].words);
			ir_jcci(ir, IR_NE, used, 0, some);
			ir_imm_to(ir, used, 1); /* a tuple has a word */
			ir_place(ir, some);
			return used;
		}
		return ir_imm(ir, nfixed);
	}
	ir_alui(ir, IR_SUB, pos, *off);
	ir_alui(ir, IR_SHR, pos, 3);
	return pos;
}

/* Address of the value of a keyed entry; jumps to skip if there is no room. */
static vreg entry_find(struct cg *cg, const struct stmt *s, const struct aggshape *sh,
		       uint32_t shape, label skip)
{
	struct ir *ir = cg->ir;
	uint32_t key, size = cg->env->conf.aggsize, value = 8 * sh->value_words;
	vreg nwords = key_build(cg, &s->agg->u.agg.keys, sh, &key);
	vreg what = ir_imm(ir, (int64_t)(shape | (uint64_t)sh->value_words << 32));
	vreg off = ir_callrt(ir, "rt_agg", 5, frame_index(cg), ir_imm(ir, key), nwords, what,
			     cg->cur.agg_elem);

	ir_jcci(ir, IR_EQ, off, 0, skip);
	ir_alui(ir, IR_AND, off, -8); /* tells the verifier that it is aligned */
	ir_jcci(ir, IR_UGT, off, size > value ? size - value : 0, skip);
	vreg p = ir_mov(ir, cg->cur.agg_ptr);
	ir_alu(ir, IR_ADD, p, off);
	return p;
}

/* Where the value of an aggregation without keys is; behind many buckets it is beyond an instruction's offset. */
static void fixed_find(struct cg *cg, struct update *u, vreg base, uint32_t off)
{
	u->p = base;
	u->off = (int)off + 8;
	if (u->off + 8 * ABI_AGG_STDDEV_WORDS <= INT16_MAX)
		return;
	u->p = ir_mov(cg->ir, base);
	ir_alui(cg->ir, IR_ADD, u->p, (int64_t)off);
	u->off = 8;
}

void agg_update(struct cg *cg, const struct stmt *s, uint32_t shape)
{
	struct ir *ir = cg->ir;
	const struct aggshape sh = cg->env->ecbs->shapes.v[shape];
	const struct ident *id = s->agg->u.agg.ident;
	const struct node_list *args = &s->expr->u.call.args;
	const struct agg_func *f = &funcs[s->expr->u.call.func->id];
	struct update u = { .args = args,
			    .params = id->agg_params,
			    .words = sh.value_words,
			    .value = VREG_NONE,
			    .incr = VREG_NONE,
			    .skip = ir_label(ir) };

	if (!f->update) {
		cg_error(cg, s->loc, "%s( ) is not implemented (yet)", s->expr->u.call.name);
		return;
	}
	if (args->n)
		u.value = expr_value(cg, args->v[0]);
	if (f->incr >= 0 && (size_t)f->incr < args->n)
		u.incr = expr_value(cg, args->v[f->incr]);
	if (sh.direct) {
		vreg elem = ir_mov(ir, cg->slot);

		ir_alui(ir, IR_SHL, elem, 1);
		fixed_find(cg, &u, ir_map_elem(ir, CG_MAP_AGGS, elem, u.skip), sh.fixed_offset);
	} else if (sh.nparts) {
		u.p = entry_find(cg, s, &sh, shape, u.skip);
	} else {
		fixed_find(cg, &u, cg->cur.agg_ptr, sh.fixed_offset);
		ir_storei(ir, 8, u.p, u.off - 8, 1);
	}
	f->update(cg, &u);
	ir_place(ir, u.skip);
}
