/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Built-in variables: read when named; the time of the firing once only. Variables of the program
 * and memory behind pointers are in emit_place.c and emit_load.c.
 */
#include <stddef.h>

#include "codegen/cg_impl.h"
#include "kern/kern.h"

/* ---- built-in variables ---- */

/* Half of the answer of a helper that gives two 32-bit ids in one word. */
vreg id_half(struct cg *cg, int helper, bool upper)
{
	vreg v = ir_call(cg->ir, helper, 0);

	if (upper)
		ir_alui(cg->ir, IR_SHR, v, 32);
	else
		ir_ext(cg->ir, v, 4, false);
	return v;
}

/* Of a task, by its address. */
static vreg task_numbers(struct cg *cg, vreg task)
{
	return ir_callrt(cg->ir, "rt_task_numbers", 1, task);
}

vreg cg_pid_tgid(struct cg *cg)
{
	if (!kern_pidns())
		return ir_call(cg->ir, BPF_FUNC_get_current_pid_tgid, 0);
	return task_numbers(cg, ir_call(cg->ir, BPF_FUNC_get_current_task, 0));
}

static vreg own_number(struct cg *cg, bool process)
{
	vreg v = cg_pid_tgid(cg);

	if (process)
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

/*
 * A load through a pointer that the kernel has typed costs a tenth of its helper. It gives 0 for a fault. false: this kernel
 * has none.
 */
static bool load_cast(struct cg *cg, vreg v, vreg addr, int size)
{
	int func, type;

	if (!kern_feature(KERN_FEATURE_READ_CAST) || kern_read_cast(&func, &type))
		return false;
	vreg p = ir_kcall(cg->ir, func, 2, addr, ir_imm(cg->ir, type));
	ir_load_to(cg->ir, v, size, p, 0);
	return true;
}

/* The helper's result; the bytes are in the probe's place on the stack, zeros after a fault. */
static vreg load_helper(struct cg *cg, vreg v, vreg addr, int size)
{
	struct ir *ir = cg->ir;
	int slot = cg_probe_stack(cg);
	vreg rc = ir_call(ir, BPF_FUNC_probe_read_kernel, 3, ir_stack(ir, slot), ir_imm(ir, size),
			  addr);

	ir_load_to(ir, v, size, ir_stack(ir, slot), 0);
	return rc;
}

vreg cg_read(struct cg *cg, vreg base, int64_t off, int size)
{
	vreg v = ir_vreg(cg->ir), addr = cg_ptr_add(cg, base, off);

	if (!load_cast(cg, v, addr, size))
		load_helper(cg, v, addr, size);
	return v;
}

/* Checked read of size bytes of the kernel at addr into a register: a 0 is looked at again. */
vreg read_kernel(struct cg *cg, vreg addr, int size, bool is_signed)
{
	struct ir *ir = cg->ir;
	label done = ir_label(ir);
	vreg v = ir_vreg(ir);

	if (load_cast(cg, v, addr, size))
		ir_jcci(ir, IR_NE, v, 0, done);
	fault_if_nonzero(cg, load_helper(cg, v, addr, size), ABI_FAULT_BADADDR, addr);
	ir_place(ir, done);
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

/*
 * Of a per-CPU variable on this CPU. No helper tells where the CPU's area begins; the run queue of
 * the current task is in it.
 */
vreg percpu_address(struct cg *cg, int64_t offset, struct srcloc loc)
{
	int64_t rqs = kern_btf_percpu_offset("runqueues");
	int rq = kern_btf_member_offset("cfs_rq", "rq");

	if (rqs < 0 || rq < 0) {
		cg_error(cg, loc, "this kernel does not tell where per-CPU variables are");
		return ir_imm(cg->ir, 0);
	}
	vreg task = ir_call(cg->ir, BPF_FUNC_get_current_task, 0);
	vreg p = task_member(cg, task, "se.cfs_rq", 8, loc);
	p = read_kernel(cg, cg_ptr_add(cg, p, rq), 8, false);
	ir_alui(cg->ir, IR_ADD, p, offset - rqs);
	return p;
}

static vreg parent_pid(struct cg *cg, struct srcloc loc)
{
	vreg task = ir_call(cg->ir, BPF_FUNC_get_current_task, 0);

	vreg parent = task_member(cg, task, "real_parent", 8, loc);

	if (!kern_pidns())
		return task_member(cg, parent, "tgid", 4, loc);
	vreg v = task_numbers(cg, parent);

	ir_alui(cg->ir, IR_SHR, v, 32);
	return v;
}

/*
 * When the scheduler last booked the time of a task, by its clock of this CPU: by that of tasks, and the time that went
 * to interrupts or the hypervisor, which that one leaves out.
 */
static vreg booked_at(struct cg *cg, vreg task, vreg rq)
{
	int clock = kern_btf_member_offset("rq", "clock"),
	    tasks = kern_btf_member_offset("rq", "clock_task");
	vreg at = cg_read(cg, task, kern_btf_member_offset("task_struct", "se.exec_start"), 8);

	if (rq == VREG_NONE || clock < 0 || tasks < 0)
		return at;
	ir_alu(cg->ir, IR_ADD, at, cg_read(cg, rq, clock, 8));
	ir_alu(cg->ir, IR_SUB, at, cg_read(cg, rq, tasks, 8));
	return at;
}

/* The run queue that a task is in, or VREG_NONE if this kernel does not tell. */
static vreg run_queue(struct cg *cg, vreg task)
{
	int queue = kern_btf_member_offset("task_struct", "se.cfs_rq"),
	    rq = kern_btf_member_offset("cfs_rq", "rq");

	if (queue < 0 || rq < 0)
		return VREG_NONE;
	return cg_read(cg, cg_read(cg, task, queue, 8), rq, 8);
}

/*
 * The time a thread has run: what the scheduler has booked, and what has passed since it last did so. It may do so
 * between any two of these reads: then they are read again, and if once more, nothing worth telling has passed since.
 */
static vreg virtual_time(struct cg *cg, struct srcloc loc)
{
	struct ir *ir = cg->ir;
	label good = ir_label(ir), booked = ir_label(ir);
	vreg task = ir_call(ir, BPF_FUNC_get_current_task, 0);
	vreg rq = run_queue(cg, task), at = ir_vreg(ir);
	vreg sum = task_member(cg, task, "se.sum_exec_runtime", 8, loc);

	for (int i = 0; i < 2; i++) {
		ir_mov_to(ir, at, booked_at(cg, task, rq));
		vreg again = task_member(cg, task, "se.sum_exec_runtime", 8, loc);
		ir_jcc(ir, IR_EQ, again, sum, good);
		ir_mov_to(ir, sum, again);
	}
	ir_jmp(ir, booked);
	ir_place(ir, good);
	ir_neg(ir, at);
	ir_alu(ir, IR_ADD, at, cg_timestamp(cg));
	ir_alui(ir, IR_SUB, at, cg->trial ? 0 : clock_sched_offset());
	ir_jcci(ir, IR_SLT, at, 0, booked);
	ir_alu(ir, IR_ADD, sum, at);
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

/* Arguments of ERROR: arg1 epid, arg2 action, arg3 offset, arg4 fault, arg5
 * value. */
static vreg error_argument(struct cg *cg, int n)
{
	vreg v;

	switch (n) {
	case 1:
		if (!cg->e_packed)
			return cg->e_epid == VREG_NONE ? ir_imm(cg->ir, cg->e_epid_const)
						       : ir_mov(cg->ir, cg->e_epid);
		v = ir_mov(cg->ir, cg->e_what);
		ir_alui(cg->ir, IR_SHR, v, 32);
		return v;
	case 2: return fault_action(cg, cg->e_what);
	case 3: return ir_imm(cg->ir, -1);
	case 4: return fault_code(cg, cg->e_what);
	case 5: return ir_mov(cg->ir, cg->e_value);
	default: return ir_imm(cg->ir, 0);
	}
}

static vreg argument(struct cg *cg, int n)
{
	if (n > 9)
		return ir_imm(cg->ir, 0);
	if (cg->trial) {
		cg->cur.cl->args |= 1u << n;
		return ir_imm(cg->ir, 0);
	}
	if (cg->cur.in_error)
		return error_argument(cg, n);
	if (cg->parted)
		return ir_load(cg->ir, 8, cg->frame, (int)offsetof(struct abi_frame, args) + 8 * n);
	return cg->g->ops->arg(cg, cg->ctx, cg->g->data, n);
}

static vreg error_number(struct cg *cg)
{
	cg->cur.cl->reads_errno |= cg->trial;
	if (cg->trial || cg->cur.in_error || !cg->g->ops->err)
		return ir_imm(cg->ir, 0);
	if (cg->parted)
		return ir_load(cg->ir, 8, cg->frame, offsetof(struct abi_frame, error));
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
	case BUILTIN_CALLER: return caller_value(cg, false);
	case BUILTIN_UCALLER: return caller_value(cg, true);
	case BUILTIN_STACKDEPTH: return stack_depth(cg, false);
	case BUILTIN_USTACKDEPTH: return stack_depth(cg, true);
	case BUILTIN_CHIP: return chip_value(cg, n->loc);
	case BUILTIN_IPL:
	case BUILTIN_PSET: return ir_imm(cg->ir, 0); /* Linux has neither */
	case BUILTIN_LGRP: return ir_call(cg->ir, BPF_FUNC_get_numa_node_id, 0);
	case BUILTIN_CPU: return ir_call(cg->ir, BPF_FUNC_get_smp_processor_id, 0);
	case BUILTIN_CURTHREAD: return ir_call(cg->ir, BPF_FUNC_get_current_task, 0);
	case BUILTIN_EPID: return cg_epid(cg);
	case BUILTIN_ERRNO: return error_number(cg);
	case BUILTIN_GID: return id_half(cg, BPF_FUNC_get_current_uid_gid, true);
	case BUILTIN_UID: return id_half(cg, BPF_FUNC_get_current_uid_gid, false);
	case BUILTIN_PID: return own_number(cg, true);
	case BUILTIN_TID: return own_number(cg, false);
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
	/* Not every kernel pads what it copies. */
	vreg at = ir_stack(ir, cg->comm_slot);
	ir_storei(ir, 8, at, 0, 0);
	ir_storei(ir, 8, at, 8, 0);
	ir_call(ir, BPF_FUNC_get_current_comm, 2, at, ir_imm(ir, 16));
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
	case BUILTIN_EXECARGS: execargs_string(cg, n, sv); break;
	case BUILTIN_EXECNAME: execname_string(cg, sv); break;
	case BUILTIN_ROOT: root_string(cg, n, sv); break;
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

/* ---- values ---- */

vreg var_value(struct cg *cg, const struct node *n)
{
	const struct ident *id = n->u.var.ident;

	return id->kind == IDENT_BUILTIN ? builtin_value(cg, n, id->builtin) : mem_value(cg, n);
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

	if (id && id->kind == IDENT_BUILTIN && id->builtin == BUILTIN_ARGS)
		return typed_argument(cg, n);
	if (id && id->kind == IDENT_BUILTIN && id->builtin == BUILTIN_UREGS)
		return register_value(cg, n->u.index.keys.v[0]->u.integer.value, n->loc);
	return mem_value(cg, n);
}
