/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Places: what can be read and assigned. emit_load.c reads and assigns it.
 *
 *   globals        in map globals, 8 bytes a scalar; no locking
 *   this->         in the frame, zero at the start of each firing
 *   self->, a[k]   in the kernel hash map dvars, by runtime routines; the key is built in the frame
 *   *p, p->m, p[i] by a checked read: a bad address is a fault, never a 0. Written only if the
 *                  address is in D's own memory: globals, or this firing's frame
 *
 * A variable as a whole keeps a scalar in 8 bytes and a string in a struct abi_str. A part of one,
 * and what a pointer leads to, has C's layout: a scalar its own size, a string strsize bytes with a
 * NUL. Structures, arrays and floating-point numbers are handled as bytes with an address. A part
 * of a dynamic variable is read from a copy of the whole in the frame, and written there, then
 * stored back as a whole.
 *
 * The verifier knows the storage of variables by its pointer and bounds; all other addresses are
 * numbers. A pointer of ours becomes a number by going through the frame (place_number()).
 */
#include <stddef.h>

#include "codegen/cg_impl.h"

/* Is a value of this type handled as bytes? */
bool type_is_bytes(struct type *t)
{
	enum type_kind k = type_resolve(t)->kind;

	return k == TYPE_STRUCT || k == TYPE_UNION || k == TYPE_FLOAT || k == TYPE_ARRAY;
}

uint32_t type_bytes(struct type *t)
{
	uint64_t size = type_resolve(t)->size;

	return size > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)size;
}

/* ---- keys of dynamic variables ---- */

static void use_local(struct cg *cg, struct ident *id)
{
	struct cg_clause *cl = cg->cur.cl;
	struct ident **more;

	for (size_t i = 0; i < cl->nlocals; i++)
		if (cl->locals[i] == id)
			return;
	more = arena_alloc(cl->arena, (cl->nlocals + 1) * sizeof(*more));
	for (size_t i = 0; i < cl->nlocals; i++)
		more[i] = cl->locals[i];
	more[cl->nlocals++] = id;
	cl->locals = more;
	cl->uses_locals = true;
	cl->uses_frame = true;
}

/* The word that stands for the thread; the idle tasks share tid 0 and are told apart by their CPU.
 */
static vreg thread_word(struct cg *cg)
{
	struct ir *ir = cg->ir;
	label known = ir_label(ir);
	vreg v = id_half(cg, BPF_FUNC_get_current_pid_tgid, false);

	ir_jcci(ir, IR_NE, v, 0, known);
	ir_mov_to(ir, v, ir_call(ir, BPF_FUNC_get_smp_processor_id, 0));
	vreg top = ir_imm(ir, INT64_MIN);
	ir_alu(ir, IR_OR, v, top);
	ir_place(ir, known);
	return v;
}

/* Fixed words that a key takes in a tuple. */
uint32_t key_words(const struct node *n)
{
	return type_is_bytes(n->type) ? ROUND_UP(type_bytes(n->type), 8) / 8 : 1;
}

/* The bytes of a structure as words of a tuple, padded with zeros. */
void key_bytes(struct cg *cg, const struct node *n, uint32_t at)
{
	uint32_t size = type_bytes(n->type);
	struct bytes b;

	expr_bytes(cg, n, &b);
	if (size % 8)
		frame_storei(cg, 8, at + size / 8 * 8, 0);
	bytes_copy(cg, cg_ptr_add(cg, cg->frame, at), &b, size);
}

/* The key of a dynamic variable: thread, then keys; fixed words first, then the bytes of strings.
 */
static void dynamic_key(struct cg *cg, const struct ident *id, bool thread,
			const struct node_list *keys, struct lval *lv)
{
	struct ir *ir = cg->ir;
	uint32_t nfixed = thread, nstr = 0, word = 0;

	for (size_t i = 0; i < keys->n; i++) {
		nfixed += key_words(keys->v[i]);
		nstr += expr_is_string(keys->v[i]);
	}
	lv->key = frame_temp(cg, 8 * nfixed + nstr * cg_strbytes(cg));
	vreg pos = nstr ? ir_imm(ir, lv->key + 8 * nfixed) : VREG_NONE;
	if (thread)
		frame_store(cg, 8, lv->key + 8 * word++, thread_word(cg));
	for (size_t i = 0; i < keys->n; i++) {
		uint32_t at = lv->key + 8 * word;
		struct sval sv;

		word += key_words(keys->v[i]);
		if (type_is_bytes(keys->v[i]->type)) {
			key_bytes(cg, keys->v[i], at);
		} else if (!expr_is_string(keys->v[i])) {
			frame_store(cg, 8, at, expr_value(cg, keys->v[i]));
		} else {
			expr_string(cg, keys->v[i], &sv);
			sval_not_null(cg, &sv);
			uint32_t src = sval_frame(cg, &sv);
			frame_store(cg, 8, at, frame_load(cg, 8, src));
			ir_mov_to(ir, pos,
				  ir_callrt(ir, "rt_tuple_str", 3, frame_index(cg), pos,
					    ir_imm(ir, src)));
		}
	}
	int64_t var = (int64_t)((uint64_t)id->id << 32 | (thread ? 0 : ABI_DVAR_SHARED));
	if (!nstr) {
		lv->nwords = ir_imm(ir, var | nfixed);
	} else {
		lv->nwords = pos;
		ir_alui(ir, IR_SUB, lv->nwords, lv->key);
		ir_alui(ir, IR_SHR, lv->nwords, 3);
		ir_alui(ir, IR_OR, lv->nwords, var);
	}
}

/* ---- addresses ---- */

/* The verifier forgets that a value is a pointer when it has been through map memory. */
vreg place_number(struct cg *cg, vreg p)
{
	frame_store(cg, 8, offsetof(struct abi_frame, pad), p);
	return frame_load(cg, 8, offsetof(struct abi_frame, pad));
}

/* Where a place is: of a variable's storage a pointer that the verifier knows, else a number. */
vreg lval_ptr(struct cg *cg, const struct lval *lv)
{
	vreg p;

	switch (lv->kind) {
	case LVAL_GLOBAL: p = ir_mapval(cg->ir, CG_MAP_GLOBALS, (int64_t)lv->off); break;
	case LVAL_FRAME:
		cg->cur.cl->uses_frame = true;
		p = cg_ptr_add(cg, cg->frame, (int64_t)lv->off);
		break;
	default: p = cg_ptr_add(cg, lv->addr, (int64_t)lv->off);
	}
	if (lv->index != VREG_NONE)
		ir_alu(cg->ir, IR_ADD, p, lv->index);
	return p;
}

/* The address as a number. */
vreg lval_address(struct cg *cg, const struct lval *lv)
{
	vreg p = lval_ptr(cg, lv);

	return lv->kind == LVAL_ADDR ? p : place_number(cg, p);
}

/* A pointer through which size bytes may be stored at an address, or a fault. */
static vreg own_memory(struct cg *cg, vreg addr, uint32_t size)
{
	struct ir *ir = cg->ir;
	const struct abi_conf *c = &cg->env->conf;
	label in_frame = ir_label(ir), have = ir_label(ir), bad = ir_label(ir);
	vreg p = ir_vreg(ir);

	cg->cur.cl->uses_scratch = true; /* its end is known */
	ir_comment(ir, "is it memory of D's own?");
	vreg off = ir_callrt(ir, "rt_own_frame", 3, frame_index(cg), addr, ir_imm(ir, size));
	ir_jcci(ir, IR_NE, off, 0, in_frame);
	if (c->globals_size >= size) {
		ir_mov_to(
			ir, off,
			ir_callrt(ir, "rt_own_global", 3, frame_index(cg), addr, ir_imm(ir, size)));
		ir_jcci(ir, IR_UGT, off, c->globals_size - size, bad);
		ir_mov_to(ir, p, ir_mapval(ir, CG_MAP_GLOBALS, 0));
		ir_alu(ir, IR_ADD, p, off);
		ir_jmp(ir, have);
	} else {
		ir_jmp(ir, bad);
	}
	ir_place(ir, in_frame);
	if (c->frame_size >= size)
		ir_jcci(ir, IR_UGT, off, c->frame_size - size, bad);
	else
		ir_jcci(ir, IR_UGE, off, 0, bad);
	ir_mov_to(ir, p, cg->frame);
	ir_alu(ir, IR_ADD, p, off);
	ir_jmp(ir, have);
	ir_place(ir, bad);
	fault_throw(cg, ABI_FAULT_BADADDR, addr);
	ir_place(ir, have);
	return p;
}

/* Where a place can be stored to. */
vreg lval_own(struct cg *cg, const struct lval *lv, uint32_t size)
{
	vreg p = lval_ptr(cg, lv);

	return lv->kind == LVAL_ADDR ? own_memory(cg, p, size) : p;
}

/* ---- making places ---- */

/* Is this a variable of the program, or a part of one by members and indexes? */
static bool in_storage(const struct node *n)
{
	switch (n->kind) {
	case NODE_VAR:
		return n->u.var.ident->kind == IDENT_GLOBAL ||
		       n->u.var.ident->kind == IDENT_THREAD || n->u.var.ident->kind == IDENT_CLAUSE;
	case NODE_INDEX:
		if (n->u.index.ident)
			return n->u.index.ident->kind == IDENT_ASSOC ||
			       n->u.index.ident->kind == IDENT_THREAD_ASSOC;
		return type_resolve(n->a->type)->kind == TYPE_ARRAY && in_storage(n->a);
	case NODE_MEMBER: return !n->u.member.arrow && in_storage(n->a);
	default: return false;
	}
}

static bool dynamic_lval(struct cg *cg, const struct ident *id, bool thread,
			 const struct node_list *keys, struct lval *lv)
{
	lv->kind = LVAL_DYNAMIC;
	lv->size = id->size;
	cg->env->uses_dvars = true;
	cg->env->dvar_value = MAX(cg->env->dvar_value, id->size);
	dynamic_key(cg, id, thread, keys, lv);
	return true;
}

static bool var_lval(struct cg *cg, struct ident *id, struct lval *lv)
{
	static const struct node_list no_keys;

	lv->whole = true;
	switch (id->kind) {
	case IDENT_GLOBAL:
		lv->kind = LVAL_GLOBAL;
		lv->off = id->offset;
		cg->env->uses_globals = true;
		return true;
	case IDENT_CLAUSE:
		lv->kind = LVAL_FRAME;
		lv->off = sizeof(struct abi_frame) + id->offset;
		use_local(cg, id);
		return true;
	case IDENT_THREAD: return dynamic_lval(cg, id, true, &no_keys, lv);
	default: return false;
	}
}

/* Before a part is looked at: a dynamic variable is copied to the frame. */
void lval_open(struct cg *cg, struct lval *lv)
{
	struct ir *ir = cg->ir;

	lv->whole = false;
	if (lv->kind != LVAL_DYNAMIC)
		return;
	lv->copy = frame_temp(cg, lv->size);
	ir_callrt(ir, "rt_dvar_load_bytes", 5, frame_index(cg), ir_imm(ir, lv->key), lv->nwords,
		  ir_imm(ir, lv->copy), ir_imm(ir, DVAR_PLAIN | lv->size));
	lv->kind = LVAL_FRAME;
	lv->off = lv->copy;
	lv->dynamic = true;
}

static void lval_to_address(struct cg *cg, struct lval *lv)
{
	lv->addr = lval_address(cg, lv);
	lv->kind = LVAL_ADDR;
	lv->off = 0;
	lv->index = VREG_NONE;
}

/* The bits up to the highest one of v. */
static int64_t low_mask(int64_t v)
{
	return v ? (int64_t)(~0ull >> __builtin_clzll((uint64_t)v)) : 0;
}

/*
 * A fault if the index is not below the limit. The bounds hold where no jump is taken: older verifiers know them
 * there even of an index that is kept on the stack (see put_bounds_back()).
 */
static void index_check(struct cg *cg, vreg i, int64_t limit)
{
	struct ir *ir = cg->ir;
	label inside = ir_label(ir), outside = ir_label(ir);

	ir_jcci(ir, IR_UGE, i, limit, outside);
	ir_jmp(ir, inside);
	ir_place(ir, outside);
	fault_throw(cg, ABI_FAULT_BADINDEX, i);
	ir_place(ir, inside);
	/* The mask changes nothing, but the verifier forgets which constant was added to what: newer ones take a
	 * large one (a[x - 2147483647]) for an offset of the pointer that the index is added to. */
	ir_alui(ir, IR_AND, i, low_mask(limit - 1));
}

/* Steps to an element. An array of 0 or 1 may be the end of a structure of any length. */
static void lval_element(struct cg *cg, const struct node *n, struct lval *lv)
{
	struct ir *ir = cg->ir;
	const struct type *base = type_resolve(n->a->type);
	const struct node *k = n->u.index.keys.v[0];
	bool bounded = base->kind == TYPE_ARRAY && base->nelems > 1;
	/* Strings are as long as they were when the array was declared. */
	uint64_t size = bounded ? base->size / base->nelems : type_resolve(n->type)->size;

	lv->room = (uint32_t)MIN(size, UINT32_MAX);

	if (!bounded)
		lval_to_address(cg, lv);
	if (k->kind == NODE_INT) {
		lv->off += k->u.integer.value * size;
		return;
	}
	vreg i = expr_value(cg, k);
	if (bounded)
		index_check(cg, i, (int64_t)base->nelems);
	if (size != 1)
		ir_alui(ir, IR_MUL, i, (int64_t)size);
	if (lv->index == VREG_NONE)
		lv->index = i;
	else
		ir_alu(ir, IR_ADD, i, lv->index), lv->index = i;
}

static void lval_step(const struct node *n, struct lval *lv)
{
	const struct type_member *m = n->u.member.member;

	if (m->bit_size) {
		lv->bits = m->bit_size;
		lv->shift = n->u.member.bit_offset % 8;
	}
	lv->off += n->u.member.bit_offset / 8;
	struct type *of = type_resolve(n->a->type);
	lv->room = (n->u.member.arrow ? type_resolve(of->ref) : of)->strsize;
}

static bool storage_lval(struct cg *cg, const struct node *n, struct lval *lv)
{
	const struct ident *id;

	switch (n->kind) {
	case NODE_VAR: return var_lval(cg, n->u.var.ident, lv);
	case NODE_INDEX:
		id = n->u.index.ident;
		if (id) {
			lv->whole = true;
			return dynamic_lval(cg, id, id->kind == IDENT_THREAD_ASSOC,
					    &n->u.index.keys, lv);
		}
		if (!storage_lval(cg, n->a, lv))
			return false;
		lval_open(cg, lv);
		lval_element(cg, n, lv);
		return true;
	default:
		if (!storage_lval(cg, n->a, lv))
			return false;
		lval_open(cg, lv);
		lval_step(n, lv);
		return true;
	}
}

/* s[i] of a string: the string is copied; what is stored is stored with the whole string. */
static bool char_lval(struct cg *cg, const struct node *n, struct lval *lv)
{
	struct ir *ir = cg->ir;
	label some = ir_label(ir);
	struct sval sv;

	if (n->a->lvalue) {
		lv->string = arena_new(cg->cur.cl->arena, struct lval);
		if (!lval_make(cg, n->a, lv->string))
			return false;
		lval_load_string(cg, lv->string, &sv);
	} else {
		expr_string(cg, n->a, &sv);
	}
	lv->copy = frame_temp_string(cg);
	sval_to(cg, &sv, lv->copy);
	ir_jcci(ir, IR_NE, frame_load(cg, 8, lv->copy), -1, some);
	fault_throw(cg, ABI_FAULT_BADADDR, VREG_NONE);
	ir_place(ir, some);
	vreg i = expr_value(cg, n->u.index.keys.v[0]);
	index_check(cg, i, cg_strsize(cg));
	lv->kind = LVAL_CHAR;
	lv->index = i;
	return true;
}

static bool address_lval(struct cg *cg, const struct node *n, struct lval *lv)
{
	struct bytes b;

	lv->kind = LVAL_ADDR;
	switch (n->kind) {
	case NODE_VAR:
		if (n->u.var.ident->kind != IDENT_SYMBOL)
			return false;
		lv->addr = n->u.var.ident->sym_percpu
				   ? percpu_address(cg, n->u.var.ident->value, n->loc)
				   : ir_imm(cg->ir, n->u.var.ident->value);
		return true;
	case NODE_UNARY:
		if (n->u.op.op != OP_DEREF)
			return false;
		lv->addr = expr_value(cg, n->a);
		return true;
	case NODE_INDEX:
		if (n->u.index.ident || n->u.index.keys.n != 1)
			return false;
		if (type_is_string(n->a->type))
			return char_lval(cg, n, lv);
		lv->addr = expr_value(cg, n->a); /* an array's value is its address */
		lval_element(cg, n, lv);
		return true;
	case NODE_MEMBER:
		if (n->u.member.arrow) {
			lv->addr = expr_value(cg, n->a);
		} else {
			expr_bytes(cg, n->a, &b);
			lv->addr = b.foreign ? b.at : place_number(cg, b.at);
		}
		lval_step(n, lv);
		return true;
	case NODE_CAST: return lval_make(cg, n->a, lv);
	default: return false;
	}
}

bool lval_make(struct cg *cg, const struct node *n, struct lval *lv)
{
	*lv = (struct lval){ .nwords = VREG_NONE, .index = VREG_NONE, .addr = VREG_NONE };
	bool ok = in_storage(n) ? storage_lval(cg, n, lv) : address_lval(cg, n, lv);

	lv->type = n->type;
	if (!ok)
		cg_error(cg, n->loc, "this expression of type %s has no address",
			 type_name(cg->env->ses->types, n->type));
	return ok;
}
