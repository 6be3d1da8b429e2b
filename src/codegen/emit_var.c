/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variables of every storage class, built-in variables and memory behind pointers.
 *
 *   globals        in map globals, 8 bytes a scalar; no locking (language.md 9.1)
 *   this->         in the frame, zero at the start of each firing
 *   self->, a[k]   in the kernel hash map dvars, by runtime routines; the key is built in the frame
 *   built-ins      read when named; the time of the firing once only
 *   *p, p->m, p[i] by a checked read: a bad address is a fault, never a 0
 */
#include <stddef.h>

#include "codegen/cg_impl.h"
#include "kern/kern.h"

/* ---- built-in variables ---- */

/* Half of the answer of a helper that gives two 32-bit ids in one word. */
static vreg id_half(struct cg *cg, int helper, bool upper)
{
	vreg v = ir_call(cg->ir, helper, 0);

	if (upper)
		ir_alui(cg->ir, IR_SHR, v, 32);
	else
		ir_ext(cg->ir, v, 4, false);
	return v;
}

/* BPF has no CLOCK_REALTIME; CLOCK_TAI follows the same steps and differs by whole seconds. */
static vreg walltime(struct cg *cg)
{
	vreg t = ir_call(cg->ir, BPF_FUNC_ktime_get_tai_ns, 0);
	int64_t offset = clock_tai_offset();

	if (offset)
		ir_alui(cg->ir, IR_SUB, t, offset);
	return t;
}

/* Checked read of size bytes of the kernel at addr into a register. */
static vreg read_kernel(struct cg *cg, vreg addr, int size, bool is_signed)
{
	struct ir *ir = cg->ir;
	int slot = cg_probe_stack(cg);
	vreg rc = ir_call(ir, BPF_FUNC_probe_read_kernel, 3, ir_stack(ir, slot), ir_imm(ir, size),
			  addr);

	fault_if_nonzero(cg, rc, ABI_FAULT_BADADDR, addr);
	vreg v = ir_load(ir, size, ir_stack(ir, slot), 0);
	if (is_signed)
		ir_ext(ir, v, size, true);
	return v;
}

/* A member of struct task_struct by its path; the offset is this kernel's. */
static vreg task_member(struct cg *cg, vreg task, const char *path, int size, struct srcloc loc)
{
	int off = kern_btf_member_offset("task_struct", path);

	if (off < 0) {
		cg_error(cg, loc, "this kernel does not describe task_struct's member %s", path);
		return ir_imm(cg->ir, 0);
	}
	return read_kernel(cg, cg_ptr_add(cg, task, off), size, false);
}

static vreg parent_pid(struct cg *cg, struct srcloc loc)
{
	vreg task = ir_call(cg->ir, BPF_FUNC_get_current_task, 0);

	return task_member(cg, task_member(cg, task, "real_parent", 8, loc), "tgid", 4, loc);
}

/* Time of this CPU that went to interrupts or the hypervisor: the scheduler's clock of tasks leaves
 * it out. */
static vreg lost_time(struct cg *cg, vreg task, struct srcloc loc)
{
	int clock = kern_btf_member_offset("rq", "clock"),
	    tasks = kern_btf_member_offset("rq", "clock_task");
	int rq = kern_btf_member_offset("cfs_rq", "rq");

	if (clock < 0 || tasks < 0 || rq < 0)
		return ir_imm(cg->ir, 0);
	vreg p = task_member(cg, task, "se.cfs_rq", 8, loc);
	p = read_kernel(cg, cg_ptr_add(cg, p, rq), 8, false);
	vreg lost = read_kernel(cg, cg_ptr_add(cg, p, clock), 8, false);
	ir_alu(cg->ir, IR_SUB, lost, read_kernel(cg, cg_ptr_add(cg, p, tasks), 8, false));
	return lost;
}

/*
 * The time a thread has run: what the scheduler has booked, and what has passed since it last did
 * so, by its own clock, which differs from ours by a constant and by the time lost on this CPU.
 */
static vreg virtual_time(struct cg *cg, struct srcloc loc)
{
	struct ir *ir = cg->ir;
	label booked = ir_label(ir);
	vreg task = ir_call(ir, BPF_FUNC_get_current_task, 0);
	vreg sum = task_member(cg, task, "se.sum_exec_runtime", 8, loc);
	vreg since = task_member(cg, task, "se.exec_start", 8, loc);

	ir_neg(ir, since);
	ir_alu(ir, IR_SUB, since, lost_time(cg, task, loc));
	ir_alu(ir, IR_ADD, since, cg_timestamp(cg));
	ir_alui(ir, IR_SUB, since, cg->trial ? 0 : clock_sched_offset());
	ir_jcci(ir, IR_SLT, since, 0, booked);
	ir_alu(ir, IR_ADD, sum, since);
	ir_place(ir, booked);
	return sum;
}

static vreg probe_id(struct cg *cg)
{
	if (cg->trial)
		return ir_imm(cg->ir, 0);
	if (cg->cur.in_error)
		return ir_imm(cg->ir, cg->g->error_probe_id);
	if (cg_one_row(cg))
		return ir_imm(cg->ir, cg->g->rows[0].probe_id);
	return ir_load(cg->ir, 4, cg->rows, offsetof(struct abi_row, probe_id));
}

/* Arguments of ERROR (language.md 14.2): arg1 epid, arg2 action, arg3 offset, arg4 fault, arg5
 * value. */
static vreg error_argument(struct cg *cg, int n)
{
	switch (n) {
	case 1:
		return cg->e_epid == VREG_NONE ? ir_imm(cg->ir, cg->e_epid_const)
					       : ir_mov(cg->ir, cg->e_epid);
	case 2: return ir_mov(cg->ir, cg->e_action);
	case 3: return ir_imm(cg->ir, -1);
	case 4: return ir_mov(cg->ir, cg->e_code);
	case 5: return ir_mov(cg->ir, cg->e_value);
	default: return ir_imm(cg->ir, 0);
	}
}

static vreg argument(struct cg *cg, int n)
{
	if (cg->trial || n > 9)
		return ir_imm(cg->ir, 0);
	if (cg->cur.in_error)
		return error_argument(cg, n);
	return cg->g->ops->arg(cg, cg->ctx, cg->g->data, n);
}

static vreg error_number(struct cg *cg)
{
	if (cg->trial || cg->cur.in_error || !cg->g->ops->err)
		return ir_imm(cg->ir, 0);
	vreg v = cg->g->ops->err(cg, cg->ctx, cg->g->data);
	return v == VREG_NONE ? ir_imm(cg->ir, 0) : v;
}

static vreg builtin_value(struct cg *cg, const struct node *n, enum builtin b)
{
	switch (b) {
	case BUILTIN_ARG0:
	case BUILTIN_ARG1:
	case BUILTIN_ARG2:
	case BUILTIN_ARG3:
	case BUILTIN_ARG4:
	case BUILTIN_ARG5:
	case BUILTIN_ARG6:
	case BUILTIN_ARG7:
	case BUILTIN_ARG8:
	case BUILTIN_ARG9: return argument(cg, (int)b - BUILTIN_ARG0);
	case BUILTIN_CPU: return ir_call(cg->ir, BPF_FUNC_get_smp_processor_id, 0);
	case BUILTIN_CURTHREAD: return ir_call(cg->ir, BPF_FUNC_get_current_task, 0);
	case BUILTIN_EPID: return cg_epid(cg);
	case BUILTIN_ERRNO: return error_number(cg);
	case BUILTIN_GID: return id_half(cg, BPF_FUNC_get_current_uid_gid, true);
	case BUILTIN_UID: return id_half(cg, BPF_FUNC_get_current_uid_gid, false);
	case BUILTIN_PID: return id_half(cg, BPF_FUNC_get_current_pid_tgid, true);
	case BUILTIN_TID: return id_half(cg, BPF_FUNC_get_current_pid_tgid, false);
	case BUILTIN_ID: return probe_id(cg);
	case BUILTIN_PPID: return parent_pid(cg, n->loc);
	case BUILTIN_TIMESTAMP: return cg_timestamp(cg);
	case BUILTIN_VTIMESTAMP: return virtual_time(cg, n->loc);
	case BUILTIN_WALLTIMESTAMP: return walltime(cg);
	default:
		cg_error(cg, n->loc, "built-in variable %s is not implemented (yet)",
			 n->u.var.ident->name);
		return ir_imm(cg->ir, 0);
	}
}

/* The command name as two words, padded with zeros by the kernel. */
void comm_words(struct cg *cg, vreg w[2])
{
	struct ir *ir = cg->ir;

	if (!cg->comm_slot)
		cg->comm_slot = ir_stack_alloc(ir, 16);
	ir_call(ir, BPF_FUNC_get_current_comm, 2, ir_stack(ir, cg->comm_slot), ir_imm(ir, 16));
	w[0] = ir_load(ir, 8, ir_stack(ir, cg->comm_slot), 0);
	w[1] = ir_load(ir, 8, ir_stack(ir, cg->comm_slot), 8);
}

/* Read once per clause, if the first place is one that every firing passes. */
static void execname_string(struct cg *cg, struct sval *sv)
{
	struct cg_cur *cur = &cg->cur;
	uint32_t off = cur->execname;

	if (!off) {
		off = frame_temp_string(cg);
		ir_callrt(cg->ir, "rt_str_comm", 2, frame_index(cg), ir_imm(cg->ir, off));
		if (!cur->depth) {
			cur->execname = off;
			cur->temp_keep = cur->temp;
		}
	}
	*sv = (struct sval){ .kind = SVAL_FRAME, .off = off };
}

/* 0..3 for the four names of the probe. */
int probe_string(const struct node *n)
{
	if (n->kind != NODE_VAR || n->u.var.ident->kind != IDENT_BUILTIN)
		return -1;
	switch (n->u.var.ident->builtin) {
	case BUILTIN_PROBEPROV: return 0;
	case BUILTIN_PROBEMOD: return 1;
	case BUILTIN_PROBEFUNC: return 2;
	case BUILTIN_PROBENAME: return 3;
	default: return -1;
	}
}

void builtin_string(struct cg *cg, const struct node *n, struct sval *sv)
{
	int field = probe_string(n);
	uint32_t off = 0;

	if (field >= 0) {
		vreg r = cg_row_string(cg, field, &off);

		*sv = (struct sval){ .kind = r == VREG_NONE ? SVAL_CONST : SVAL_TABLE,
				     .off = off,
				     .reg = r };
		return;
	}
	switch (n->u.var.ident->builtin) {
	case BUILTIN_EXECNAME: execname_string(cg, sv); break;
	case BUILTIN_ZONENAME:
		*sv = (struct sval){ .kind = SVAL_CONST,
				     .off = strtab_add(cg->env->strtab, "global", 6) };
		break;
	default:
		cg_error(cg, n->loc, "built-in variable %s is not implemented (yet)",
			 n->u.var.ident->name);
		*sv = (struct sval){ .kind = SVAL_NULL };
	}
}

/* ---- memory of the kernel ---- */

static bool is_aggregate(struct type *t)
{
	enum type_kind k = type_resolve(t)->kind;

	return k == TYPE_ARRAY || k == TYPE_STRUCT || k == TYPE_UNION || k == TYPE_FUNCTION;
}

static vreg element_address(struct cg *cg, const struct node *n)
{
	vreg base = expr_value(cg, n->a); /* an array's value is its address */
	uint64_t size = type_resolve(n->type)->size;

	if (n->u.index.keys.n != 1) {
		cg_error(cg, n->loc, "an array has one index");
		return base;
	}
	const struct node *k = n->u.index.keys.v[0];
	if (k->kind == NODE_INT) {
		ir_alui(cg->ir, IR_ADD, base, (int64_t)(k->u.integer.value * size));
		return base;
	}
	vreg i = expr_value(cg, k);
	const struct type *array = type_resolve(n->a->type);
	if (array->kind == TYPE_ARRAY &&
	    array->nelems > 1) { /* of 0 or 1: the end of a structure of any length */
		label inside = ir_label(cg->ir);

		ir_jcci(cg->ir, IR_ULT, i, (int64_t)array->nelems, inside);
		fault_throw(cg, ABI_FAULT_BADINDEX, i);
		ir_place(cg->ir, inside);
	}
	ir_alui(cg->ir, IR_MUL, i, (int64_t)size);
	ir_alu(cg->ir, IR_ADD, base, i);
	return base;
}

/* s[i] of a string: 0 from its end on. */
static vreg string_char(struct cg *cg, const struct node *n)
{
	struct ir *ir = cg->ir;
	label past = ir_label(ir), outside = ir_label(ir);
	struct sval sv;

	expr_string(cg, n->a, &sv);
	uint32_t off = sval_frame(cg, &sv);
	vreg i = expr_value(cg, n->u.index.keys.v[0]);
	vreg c = ir_imm(ir, 0);
	ir_jcci(ir, IR_UGE, i, cg_strsize(cg), outside);
	vreg len = frame_load(cg, 8, off);
	ir_jcc(ir, IR_UGE, i, len, past);
	vreg p = cg_ptr_add(cg, cg->frame, off + sizeof(struct abi_str));
	ir_alu(ir, IR_ADD, p, i);
	ir_load_to(ir, c, 1, p, 0);
	ir_ext(ir, c, 1, type_is_signed(n->type));
	ir_jmp(ir, past);
	ir_place(ir, outside);
	fault_throw(cg, ABI_FAULT_BADINDEX, i);
	ir_place(ir, past);
	return c;
}

vreg mem_address(struct cg *cg, const struct node *n)
{
	vreg p;

	switch (n->kind) {
	case NODE_VAR:
		if (n->u.var.ident->kind == IDENT_SYMBOL)
			return ir_imm(cg->ir, n->u.var.ident->value);
		break;
	case NODE_UNARY:
		if (n->u.op.op == OP_DEREF)
			return expr_value(cg, n->a);
		break;
	case NODE_INDEX:
		if (!n->u.index.ident)
			return element_address(cg, n);
		break;
	case NODE_MEMBER:
		p = n->u.member.arrow ? expr_value(cg, n->a) : mem_address(cg, n->a);
		ir_alui(cg->ir, IR_ADD, p, (int64_t)(n->u.member.bit_offset / 8));
		return p;
	case NODE_CAST: return mem_address(cg, n->a);
	default: break;
	}
	cg_error(cg, n->loc, "structures and arrays in D variables are not implemented (yet)");
	return ir_imm(cg->ir, 0);
}

/* Bit-fields: the 8 bytes around it, shifted up and down again. */
static vreg bitfield_value(struct cg *cg, const struct node *n)
{
	struct ir *ir = cg->ir;
	const struct type_member *m = n->u.member.member;
	uint64_t unit = type_resolve(m->type)->size, bit = n->u.member.bit_offset;
	uint64_t start =
		bit / (unit * 8) * unit; /* bytes; bit-fields do not cross their type's units */
	vreg p = n->u.member.arrow ? expr_value(cg, n->a) : mem_address(cg, n->a);
	int size;
	bool is_signed;

	type_width(m->type, &size, &is_signed);
	ir_alui(ir, IR_ADD, p, (int64_t)start);
	vreg v = read_kernel(cg, p, size, false);
	ir_alui(ir, IR_SHL, v, (int64_t)(64 - (bit - start * 8) - m->bit_size));
	ir_alui(ir, is_signed ? IR_SAR : IR_SHR, v, 64 - (int64_t)m->bit_size);
	return v;
}

vreg mem_value(struct cg *cg, const struct node *n)
{
	int size;
	bool is_signed;

	if (is_aggregate(n->type))
		return mem_address(cg, n);
	if (n->kind == NODE_MEMBER && n->u.member.member && n->u.member.member->bit_size)
		return bitfield_value(cg, n);
	type_width(n->type, &size, &is_signed);
	return read_kernel(cg, mem_address(cg, n), size, is_signed);
}

/* ---- places ---- */

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

/* The key of a dynamic variable: thread, then keys; fixed words first, then the bytes of strings.
 */
static void dynamic_key(struct cg *cg, const struct ident *id, bool thread,
			const struct node_list *keys, struct lval *lv)
{
	struct ir *ir = cg->ir;
	uint32_t nfixed = thread + (uint32_t)keys->n, nstr = 0, word = 0;

	for (size_t i = 0; i < keys->n; i++)
		nstr += expr_is_string(keys->v[i]);
	lv->off = frame_temp(cg, 8 * nfixed + nstr * cg_strbytes(cg));
	vreg pos = nstr ? ir_imm(ir, lv->off + 8 * nfixed) : VREG_NONE;
	if (thread)
		frame_store(cg, 8, lv->off + 8 * word++, thread_word(cg));
	for (size_t i = 0; i < keys->n; i++) {
		uint32_t at = lv->off + 8 * word++;

		if (!expr_is_string(keys->v[i])) {
			frame_store(cg, 8, at, expr_value(cg, keys->v[i]));
			continue;
		}
		struct sval sv;
		expr_string(cg, keys->v[i], &sv);
		uint32_t src = sval_frame(cg, &sv);
		frame_store(cg, 8, at, frame_load(cg, 8, src));
		ir_mov_to(ir, pos,
			  ir_callrt(ir, "rt_tuple_str", 3, frame_index(cg), pos, ir_imm(ir, src)));
	}
	int64_t var = (int64_t)((uint64_t)id->id << 32);
	if (!nstr) {
		lv->nwords = ir_imm(ir, var | nfixed);
	} else {
		lv->nwords = pos;
		ir_alui(ir, IR_SUB, lv->nwords, lv->off);
		ir_alui(ir, IR_SHR, lv->nwords, 3);
		ir_alui(ir, IR_OR, lv->nwords, var);
	}
}

static bool dynamic_lval(struct cg *cg, const struct ident *id, bool thread,
			 const struct node_list *keys, struct lval *lv)
{
	lv->kind = LVAL_DYNAMIC;
	lv->type = id->type;
	cg->env->uses_dvars = true;
	cg->env->dvar_value = MAX(cg->env->dvar_value, id->size);
	dynamic_key(cg, id, thread, keys, lv);
	return true;
}

/* An element of a C array that is a global variable. */
static bool array_lval(struct cg *cg, const struct node *n, const struct ident *id, struct lval *lv)
{
	struct ir *ir = cg->ir;
	struct type *array = type_resolve(id->type), *elem = type_resolve(n->type);

	if (is_aggregate(elem) || type_is_string(elem) || n->u.index.keys.n != 1)
		return false;
	vreg i = expr_value(cg, n->u.index.keys.v[0]);
	label inside = ir_label(ir);
	ir_jcci(ir, IR_ULT, i, (int64_t)array->nelems, inside);
	fault_throw(cg, ABI_FAULT_BADINDEX, i);
	ir_place(ir, inside);
	ir_alui(ir, IR_MUL, i, (int64_t)elem->size);
	lv->kind = LVAL_ELEMENT;
	lv->type = n->type;
	lv->ptr = ir_mapval(ir, CG_MAP_GLOBALS, id->offset);
	ir_alu(ir, IR_ADD, lv->ptr, i);
	cg->env->uses_globals = true;
	return true;
}

static bool var_lval(struct cg *cg, struct ident *id, struct lval *lv)
{
	static const struct node_list no_keys;

	switch (id->kind) {
	case IDENT_GLOBAL:
		lv->kind = LVAL_GLOBAL;
		lv->off = id->offset;
		cg->env->uses_globals = true;
		return true;
	case IDENT_CLAUSE:
		lv->kind = LVAL_LOCAL;
		lv->off = (uint32_t)sizeof(struct abi_frame) + id->offset;
		use_local(cg, id);
		return true;
	case IDENT_THREAD: return dynamic_lval(cg, id, true, &no_keys, lv);
	default: return false;
	}
}

bool lval_make(struct cg *cg, const struct node *n, struct lval *lv)
{
	bool ok = false;

	*lv = (struct lval){ .type = n->type, .nwords = VREG_NONE, .ptr = VREG_NONE };
	if (n->kind == NODE_VAR && !is_aggregate(n->type)) {
		ok = var_lval(cg, n->u.var.ident, lv);
	} else if (n->kind == NODE_INDEX && n->u.index.ident && !is_aggregate(n->type)) {
		const struct ident *id = n->u.index.ident;

		if (id->kind == IDENT_ASSOC || id->kind == IDENT_THREAD_ASSOC)
			ok = dynamic_lval(cg, id, id->kind == IDENT_THREAD_ASSOC, &n->u.index.keys,
					  lv);
		else if (id->kind == IDENT_GLOBAL)
			ok = array_lval(cg, n, id, lv);
	} else if (n->kind == NODE_INDEX && n->a && n->a->kind == NODE_VAR &&
		   n->a->u.var.ident->kind == IDENT_GLOBAL &&
		   type_resolve(n->a->type)->kind == TYPE_ARRAY) {
		ok = array_lval(cg, n, n->a->u.var.ident, lv);
	}
	if (!ok)
		cg_error(
			cg, n->loc,
			"variables of type %s and stores through pointers are not implemented (yet)",
			type_name(cg->env->ses->types, n->type));
	return ok;
}

vreg lval_load(struct cg *cg, const struct lval *lv)
{
	struct ir *ir = cg->ir;
	int size;
	bool is_signed;

	switch (lv->kind) {
	case LVAL_GLOBAL: return ir_load(ir, 8, ir_mapval(ir, CG_MAP_GLOBALS, lv->off), 0);
	case LVAL_LOCAL: return frame_load(cg, 8, lv->off);
	case LVAL_DYNAMIC:
		return ir_callrt(ir, "rt_dvar_load", 3, frame_index(cg), ir_imm(ir, lv->off),
				 lv->nwords);
	default: break;
	}
	type_width(lv->type, &size, &is_signed);
	vreg v = ir_load(ir, size, lv->ptr, 0);
	if (is_signed)
		ir_ext(ir, v, size, true);
	return v;
}

/* v is of the variable's width already. */
void lval_store(struct cg *cg, const struct lval *lv, vreg v)
{
	struct ir *ir = cg->ir;
	int size;
	bool is_signed;

	switch (lv->kind) {
	case LVAL_GLOBAL: ir_store(ir, 8, ir_mapval(ir, CG_MAP_GLOBALS, lv->off), 0, v); return;
	case LVAL_LOCAL: frame_store(cg, 8, lv->off, v); return;
	case LVAL_DYNAMIC: /* without room: counted there, the store is left undone */
		ir_callrt(ir, "rt_dvar_store", 4, frame_index(cg), ir_imm(ir, lv->off), lv->nwords,
			  v);
		return;
	default: type_width(lv->type, &size, &is_signed); ir_store(ir, size, lv->ptr, 0, v);
	}
}

void lval_load_string(struct cg *cg, const struct lval *lv, struct sval *sv)
{
	struct ir *ir = cg->ir;

	*sv = (struct sval){ .kind = SVAL_FRAME, .off = lv->off, .is_var = true };
	if (lv->kind == LVAL_LOCAL)
		return;
	uint32_t dst = frame_temp_string(cg);
	if (lv->kind == LVAL_GLOBAL)
		ir_callrt(ir, "rt_str_from_global", 3, frame_index(cg), ir_imm(ir, dst),
			  ir_imm(ir, lv->off));
	else
		ir_callrt(ir, "rt_dvar_load_bytes", 5, frame_index(cg), ir_imm(ir, lv->off),
			  lv->nwords, ir_imm(ir, dst), ir_imm(ir, cg_strbytes(cg)));
	sv->off = dst;
	sv->is_var = false;
}

void lval_store_string(struct cg *cg, const struct lval *lv, const struct sval *sv)
{
	struct ir *ir = cg->ir;

	if (lv->kind == LVAL_LOCAL) {
		sval_to(cg, sv, lv->off);
		return;
	}
	vreg src = ir_imm(ir, sval_frame(cg, sv));
	if (lv->kind == LVAL_GLOBAL)
		ir_callrt(ir, "rt_str_to_global", 3, frame_index(cg), ir_imm(ir, lv->off), src);
	else
		ir_callrt(ir, "rt_dvar_store_bytes", 5, frame_index(cg), ir_imm(ir, lv->off),
			  lv->nwords, src, ir_imm(ir, cg_strbytes(cg)));
}

/* ---- values ---- */

vreg var_value(struct cg *cg, const struct node *n)
{
	struct ident *id = n->u.var.ident;
	struct lval lv;

	if (id->kind == IDENT_BUILTIN)
		return builtin_value(cg, n, id->builtin);
	if (id->kind == IDENT_SYMBOL)
		return mem_value(cg, n);
	if (!lval_make(cg, n, &lv))
		return ir_imm(cg->ir, 0);
	return lval_load(cg, &lv);
}

void var_string(struct cg *cg, const struct node *n, struct sval *sv)
{
	struct lval lv;

	*sv = (struct sval){ .kind = SVAL_NULL };
	if (n->u.var.ident->kind == IDENT_BUILTIN)
		builtin_string(cg, n, sv);
	else if (lval_make(cg, n, &lv))
		lval_load_string(cg, &lv, sv);
}

/* args[n] is the raw argument, brought to its type. */
static vreg typed_argument(struct cg *cg, const struct node *n)
{
	const struct node *k = n->u.index.keys.n ? n->u.index.keys.v[0] : NULL;

	if (!k || k->kind != NODE_INT) {
		cg_error(cg, n->loc, "args[ ] may only be indexed by a constant");
		return ir_imm(cg->ir, 0);
	}
	vreg v = argument(cg, (int)MIN(k->u.integer.value, 10));
	expr_convert(cg, v, n->type, n->type, false);
	return v;
}

vreg index_value(struct cg *cg, const struct node *n)
{
	const struct ident *id = n->u.index.ident;
	struct lval lv;

	if (id && id->kind == IDENT_BUILTIN && id->builtin == BUILTIN_ARGS)
		return typed_argument(cg, n);
	if (!id && type_is_string(n->a->type))
		return string_char(cg, n);
	if (!id && !(n->a->kind == NODE_VAR && n->a->u.var.ident->kind == IDENT_GLOBAL &&
		     type_resolve(n->a->type)->kind == TYPE_ARRAY))
		return mem_value(cg, n);
	if (!lval_make(cg, n, &lv))
		return ir_imm(cg->ir, 0);
	return lval_load(cg, &lv);
}
