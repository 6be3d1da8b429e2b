/* SPDX-License-Identifier: BSD-2-Clause */
/* What is in a place (emit_place.c): loading and storing numbers, strings, and bytes. */
#include "codegen/cg_impl.h"

static bool is_aggregate(struct type *t)
{
	enum type_kind k = type_resolve(t)->kind;

	return k == TYPE_ARRAY || k == TYPE_STRUCT || k == TYPE_UNION || k == TYPE_FUNCTION;
}

/* ---- scalars ---- */

/* Bytes that a bit-field touches. */
static uint32_t bits_bytes(const struct lval *lv)
{
	return (lv->shift + lv->bits + 7) / 8;
}

/* The bytes of a bit-field as a word on the stack. */
static vreg bits_word(struct cg *cg, const struct lval *lv)
{
	struct ir *ir = cg->ir;
	int slot = cg_probe_stack(cg);
	vreg p = lval_ptr(cg, lv);

	ir_storei(ir, 8, ir_stack(ir, slot), 0, 0);
	vreg rc = ir_call(ir, BPF_FUNC_probe_read_kernel, 3, ir_stack(ir, slot),
			  ir_imm(ir, bits_bytes(lv)), p);
	if (lv->kind == LVAL_ADDR)
		fault_if_nonzero(cg, rc, ABI_FAULT_BADADDR, p);
	return ir_load(ir, 8, ir_stack(ir, slot), 0);
}

static void bits_cut(struct cg *cg, const struct lval *lv, vreg v)
{
	int size;
	bool is_signed;

	type_width(lv->type, &size, &is_signed);
	ir_alui(cg->ir, IR_SHL, v, 64 - lv->bits);
	ir_alui(cg->ir, is_signed ? IR_SAR : IR_SHR, v, 64 - lv->bits);
}

static vreg bits_load(struct cg *cg, const struct lval *lv)
{
	vreg v = bits_word(cg, lv);

	ir_alui(cg->ir, IR_SHR, v, lv->shift);
	bits_cut(cg, lv, v);
	return v;
}

/* v becomes what the bit-field holds then. */
static void bits_store(struct cg *cg, const struct lval *lv, vreg v)
{
	struct ir *ir = cg->ir;
	uint64_t mask = (lv->bits >= 64 ? ~0ull : (1ull << lv->bits) - 1) << lv->shift;
	vreg w = bits_word(cg, lv), keep = ir_imm(ir, (int64_t)~mask);

	bits_cut(cg, lv, v);
	ir_alu(ir, IR_AND, w, keep);
	vreg bits = ir_mov(ir, v), take = ir_imm(ir, (int64_t)mask);
	ir_alui(ir, IR_SHL, bits, lv->shift);
	ir_alu(ir, IR_AND, bits, take);
	ir_alu(ir, IR_OR, w, bits);
	vreg p = lval_own(cg, lv, bits_bytes(lv));
	int slot = cg_probe_stack(cg);
	ir_store(ir, 8, ir_stack(ir, slot), 0, w);
	ir_call(ir, BPF_FUNC_probe_read_kernel, 3, p, ir_imm(ir, bits_bytes(lv)),
		ir_stack(ir, slot));
}

static vreg char_load(struct cg *cg, const struct lval *lv)
{
	struct ir *ir = cg->ir;
	label past = ir_label(ir);
	vreg c = ir_imm(ir, 0), len = frame_load(cg, 8, lv->copy);

	ir_jcc(ir, IR_UGE, lv->index, len, past);
	vreg p = cg_ptr_add(cg, cg->frame, lv->copy + sizeof(struct abi_str));
	ir_alu(ir, IR_ADD, p, lv->index);
	ir_load_to(ir, c, 1, p, 0);
	ir_ext(ir, c, 1, type_is_signed(lv->type));
	ir_place(ir, past);
	return c;
}

static void char_store(struct cg *cg, const struct lval *lv, vreg v)
{
	struct ir *ir = cg->ir;
	vreg p = cg_ptr_add(cg, cg->frame, lv->copy + sizeof(struct abi_str));
	uint32_t dst = frame_temp_string(cg);

	ir_alu(ir, IR_ADD, p, lv->index);
	ir_store(ir, 1, p, 0, v);
	vreg from = place_number(cg, cg_ptr_add(cg, cg->frame, lv->copy + sizeof(struct abi_str)));
	ir_callrt(ir, "rt_str_kernel", 4, frame_index(cg), ir_imm(ir, dst), from,
		  ir_imm(ir, cg_strsize(cg)));
	struct sval sv = { .kind = SVAL_FRAME, .off = dst };
	if (lv->string)
		lval_store_string(cg, lv->string, &sv);
}

/* A part of a dynamic variable was stored in the copy: store the whole. */
static void write_back(struct cg *cg, const struct lval *lv)
{
	struct ir *ir = cg->ir;

	if (lv->dynamic && lv->kind == LVAL_FRAME)
		ir_callrt(ir, "rt_dvar_store_bytes", 5, frame_index(cg), ir_imm(ir, lv->key),
			  lv->nwords, ir_imm(ir, lv->copy), ir_imm(ir, DVAR_PLAIN | lv->size));
}

vreg lval_load(struct cg *cg, const struct lval *lv)
{
	struct ir *ir = cg->ir;
	int size;
	bool is_signed;

	if (lv->kind == LVAL_CHAR)
		return char_load(cg, lv);
	if (lv->bits)
		return bits_load(cg, lv);
	if (lv->kind == LVAL_DYNAMIC)
		return ir_callrt(ir, "rt_dvar_load", 3, frame_index(cg), ir_imm(ir, lv->key),
				 lv->nwords);
	if (lv->whole && lv->kind == LVAL_FRAME)
		return frame_load(cg, 8, (uint32_t)lv->off);
	if (lv->whole)
		return ir_load(ir, 8, lval_ptr(cg, lv), 0);
	type_width(lv->type, &size, &is_signed);
	if (lv->kind == LVAL_ADDR)
		return read_kernel(cg, lval_ptr(cg, lv), size, is_signed);
	vreg v = ir_load(ir, size, lval_ptr(cg, lv), 0);
	if (is_signed)
		ir_ext(ir, v, size, true);
	return v;
}

/* v is of the variable's width already; it becomes what a bit-field has room for. */
void lval_store(struct cg *cg, const struct lval *lv, vreg v)
{
	struct ir *ir = cg->ir;
	int size;
	bool is_signed;

	type_width(lv->type, &size, &is_signed);
	if (lv->kind == LVAL_CHAR)
		char_store(cg, lv, v);
	else if (lv->bits)
		bits_store(cg, lv, v);
	else if (lv->kind == LVAL_DYNAMIC) /* without room: counted there, the store is undone */
		ir_callrt(ir, "rt_dvar_store", 4, frame_index(cg), ir_imm(ir, lv->key), lv->nwords,
			  v);
	else if (lv->whole && lv->kind == LVAL_FRAME)
		frame_store(cg, 8, (uint32_t)lv->off, v);
	else if (lv->whole)
		ir_store(ir, 8, lval_ptr(cg, lv), 0, v);
	else
		ir_store(ir, size, lval_own(cg, lv, (uint32_t)size), 0, v);
	write_back(cg, lv);
}

/* ---- strings ---- */

/* Bytes of a string that is part of something. */
static uint32_t string_room(const struct cg *cg, const struct lval *lv)
{
	return lv->room ? MIN(lv->room, cg_strsize(cg)) : cg_strsize(cg);
}

void lval_load_string(struct cg *cg, const struct lval *lv, struct sval *sv)
{
	struct ir *ir = cg->ir;

	*sv = (struct sval){
		.kind = SVAL_FRAME, .off = (uint32_t)lv->off, .is_var = true, .nullable = lv->whole
	};
	if (lv->whole && lv->kind == LVAL_FRAME)
		return;
	uint32_t dst = frame_temp_string(cg);
	if (lv->kind == LVAL_DYNAMIC) {
		ir_callrt(ir, "rt_dvar_load_bytes", 5, frame_index(cg), ir_imm(ir, lv->key),
			  lv->nwords, ir_imm(ir, dst), ir_imm(ir, cg_strbytes(cg)));
	} else if (lv->whole) {
		ir_callrt(ir, "rt_str_from_global", 3, frame_index(cg), ir_imm(ir, dst),
			  ir_imm(ir, (int64_t)lv->off));
	} else {
		vreg addr = lval_address(cg, lv);
		vreg bad = ir_callrt(ir, "rt_str_kernel", 4, frame_index(cg), ir_imm(ir, dst), addr,
				     ir_imm(ir, string_room(cg, lv)));

		if (lv->kind == LVAL_ADDR)
			fault_if_nonzero(cg, bad, ABI_FAULT_BADADDR, addr);
	}
	sv->off = dst;
	sv->is_var = false;
}

/* The strsize bytes of a string that is part of something: zeros from its end on. */
static void store_plain_string(struct cg *cg, const struct lval *lv, uint32_t src)
{
	struct ir *ir = cg->ir;
	uint32_t size = string_room(cg, lv), room = ROUND_UP(size, 8);
	uint32_t tmp = frame_temp(cg, room);
	label null = ir_label(ir);

	ir_callrt(ir, "rt_zero", 3, frame_index(cg), ir_imm(ir, tmp), ir_imm(ir, room));
	ir_jcci(ir, IR_EQ, frame_load(cg, 8, src), -1, null);
	ir_call(ir, BPF_FUNC_probe_read_kernel_str, 3, cg_ptr_add(cg, cg->frame, tmp),
		ir_imm(ir, size), cg_ptr_add(cg, cg->frame, src + sizeof(struct abi_str)));
	ir_place(ir, null);
	ir_call(ir, BPF_FUNC_probe_read_kernel, 3, lval_own(cg, lv, size), ir_imm(ir, size),
		cg_ptr_add(cg, cg->frame, tmp));
	write_back(cg, lv);
}

void lval_store_string(struct cg *cg, const struct lval *lv, const struct sval *sv)
{
	struct ir *ir = cg->ir;

	if (lv->whole && lv->kind == LVAL_FRAME) {
		sval_to(cg, sv, (uint32_t)lv->off);
		return;
	}
	uint32_t src = sval_frame(cg, sv);
	if (lv->kind == LVAL_DYNAMIC)
		ir_callrt(ir, "rt_dvar_store_bytes", 5, frame_index(cg), ir_imm(ir, lv->key),
			  lv->nwords, ir_imm(ir, src), ir_imm(ir, cg_strbytes(cg)));
	else if (lv->whole)
		ir_callrt(ir, "rt_str_to_global", 3, frame_index(cg), ir_imm(ir, (int64_t)lv->off),
			  ir_imm(ir, src));
	else
		store_plain_string(cg, lv, src);
}

/* ---- bytes: structures, arrays, floating-point numbers ---- */

/* Copies to a pointer of ours. */
void bytes_copy(struct cg *cg, vreg dst, const struct bytes *b, uint32_t size)
{
	struct ir *ir = cg->ir;

	if (!size)
		return;
	vreg rc = ir_call(ir, BPF_FUNC_probe_read_kernel, 3, dst, ir_imm(ir, size), b->at);
	if (b->foreign)
		fault_if_nonzero(cg, rc, ABI_FAULT_BADADDR, b->at);
}

/* A literal 0 frees a dynamic variable and zeroes any other one. */
static void bytes_zero(struct cg *cg, struct bytes *b, uint32_t size)
{
	uint32_t tmp = frame_temp(cg, size);

	ir_callrt(cg->ir, "rt_zero", 3, frame_index(cg), ir_imm(cg->ir, tmp),
		  ir_imm(cg->ir, ROUND_UP(size, 8)));
	*b = (struct bytes){ .at = cg_ptr_add(cg, cg->frame, tmp) };
}

static void store_bytes(struct cg *cg, const struct lval *lv, const struct bytes *b)
{
	struct ir *ir = cg->ir;
	uint32_t size = type_bytes(lv->type);

	if (lv->kind != LVAL_DYNAMIC) {
		bytes_copy(cg, lval_own(cg, lv, size), b, size);
		write_back(cg, lv);
		return;
	}
	uint32_t tmp = frame_temp(cg, lv->size);
	if (size % 8)
		frame_storei(cg, 8, tmp + size / 8 * 8, 0);
	bytes_copy(cg, cg_ptr_add(cg, cg->frame, tmp), b, size);
	ir_callrt(ir, "rt_dvar_store_bytes", 5, frame_index(cg), ir_imm(ir, lv->key), lv->nwords,
		  ir_imm(ir, tmp), ir_imm(ir, DVAR_PLAIN | lv->size));
}

static void assign_bytes(struct cg *cg, const struct node *n, struct bytes *b)
{
	uint32_t size = type_bytes(n->type);
	bool zero = n->b->kind == NODE_INT;
	struct lval lv;

	expr_bytes(cg, n->b, b);
	if (!zero && expr_has_effects(n->a)) {
		uint32_t tmp = frame_temp(cg, size);

		bytes_copy(cg, cg_ptr_add(cg, cg->frame, tmp), b, size);
		*b = (struct bytes){ .at = cg_ptr_add(cg, cg->frame, tmp) };
	}
	if (!lval_make(cg, n->a, &lv))
		return;
	if (zero && lv.kind == LVAL_DYNAMIC)
		ir_callrt(cg->ir, "rt_dvar_store", 4, frame_index(cg), ir_imm(cg->ir, lv.key),
			  lv.nwords, ir_imm(cg->ir, 0));
	else
		store_bytes(cg, &lv, b);
}

static void cond_bytes(struct cg *cg, const struct node *n, struct bytes *b)
{
	label other = ir_label(cg->ir), done = ir_label(cg->ir);
	uint32_t size = type_bytes(n->type), tmp = frame_temp(cg, size);

	expr_branch(cg, n->a, false, other);
	cg->cur.depth++;
	expr_bytes(cg, n->b, b);
	bytes_copy(cg, cg_ptr_add(cg, cg->frame, tmp), b, size);
	ir_jmp(cg->ir, done);
	ir_place(cg->ir, other);
	expr_bytes(cg, n->c, b);
	bytes_copy(cg, cg_ptr_add(cg, cg->frame, tmp), b, size);
	ir_place(cg->ir, done);
	cg->cur.depth--;
	*b = (struct bytes){ .at = cg_ptr_add(cg, cg->frame, tmp) };
}

void expr_bytes(struct cg *cg, const struct node *n, struct bytes *b)
{
	struct lval lv;

	*b = (struct bytes){ .at = VREG_NONE };
	switch (n->kind) {
	case NODE_INT: bytes_zero(cg, b, type_bytes(n->type)); return;
	case NODE_ASSIGN: assign_bytes(cg, n, b); return;
	case NODE_COND: cond_bytes(cg, n, b); return;
	case NODE_COMMA:
		expr_effect(cg, n->a);
		expr_bytes(cg, n->b, b);
		return;
	default: break;
	}
	if (!lval_make(cg, n, &lv)) {
		b->at = ir_imm(cg->ir, 0);
		return;
	}
	lval_open(cg, &lv);
	b->at = lval_ptr(cg, &lv);
	b->foreign = lv.kind == LVAL_ADDR;
}

/* ---- values ---- */

/* &x, and the value of an array: its address. */
vreg mem_address(struct cg *cg, const struct node *n)
{
	struct lval lv;

	if (!lval_make(cg, n, &lv))
		return ir_imm(cg->ir, 0);
	lval_open(cg, &lv);
	return lval_address(cg, &lv);
}

vreg mem_value(struct cg *cg, const struct node *n)
{
	struct lval lv;

	if (is_aggregate(n->type))
		return mem_address(cg, n);
	if (!lval_make(cg, n, &lv))
		return ir_imm(cg->ir, 0);
	return lval_load(cg, &lv);
}

void var_string(struct cg *cg, const struct node *n, struct sval *sv)
{
	struct lval lv;

	*sv = (struct sval){ .kind = SVAL_NULL };
	if (n->kind == NODE_VAR && n->u.var.ident->kind == IDENT_BUILTIN)
		builtin_string(cg, n, sv);
	else if (lval_make(cg, n, &lv))
		lval_load_string(cg, &lv, sv);
}
