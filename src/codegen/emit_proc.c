/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes, paths, registers and locks: what is read from the kernel's structures. Their members
 * are where this kernel's BTF says.
 */
#include "codegen/cg_impl.h"
#include "kern/kern.h"

static int place(struct cg *cg, const char *tag, const char *member, struct srcloc loc)
{
	int off = kern_btf_member_offset(tag, member);

	if (off < 0)
		cg_error(cg, loc, "this kernel does not describe %s's member %s", tag, member);
	return MAX(off, 0);
}

static vreg member_read(struct cg *cg, vreg base, const char *tag, const char *member, int size,
			struct srcloc loc)
{
	return read_kernel(cg, cg_ptr_add(cg, base, place(cg, tag, member, loc)), size, false);
}

/* ---- processes ---- */

vreg progenyof_value(struct cg *cg, const struct node *n)
{
	struct ir *ir = cg->ir;
	vreg pid = expr_value(cg, call_arg(n, 0));

	return ir_callrt(ir, "rt_progenyof", 3, pid,
			 ir_imm(ir, place(cg, "task_struct", "real_parent", n->loc)),
			 ir_imm(ir, place(cg, "task_struct", "tgid", n->loc)));
}

/* The command line; the command's name of threads of the kernel, and where it is not at hand. */
void execargs_string(struct cg *cg, const struct node *n, struct sval *sv)
{
	struct ir *ir = cg->ir;
	label none = ir_label(ir), done = ir_label(ir);
	uint32_t dst = frame_temp_string(cg);
	vreg task = ir_call(ir, BPF_FUNC_get_current_task, 0);
	vreg mm = member_read(cg, task, "task_struct", "mm", 8, n->loc);

	ir_jcci(ir, IR_EQ, mm, 0, none);
	vreg start = member_read(cg, mm, "mm_struct", "arg_start", 8, n->loc);
	vreg size = member_read(cg, mm, "mm_struct", "arg_end", 8, n->loc);
	ir_alui(ir, IR_SUB, size, 1); /* the last NUL */
	ir_alu(ir, IR_SUB, size, start);
	ir_jcci(ir, IR_SLE, size, 0, none);
	vreg bad = ir_callrt(ir, "rt_str_args", 4, frame_index(cg), ir_imm(ir, dst), start, size);
	ir_jcci(ir, IR_EQ, bad, 0, done);
	ir_place(ir, none);
	ir_callrt(ir, "rt_str_comm", 2, frame_index(cg), ir_imm(ir, dst));
	ir_place(ir, done);
	*sv = (struct sval){ .kind = SVAL_FRAME, .off = dst };
}

/* ---- paths ---- */

/* The text of a struct path, as seen from the root of the process or (absolute) of the system. */
static void path_string(struct cg *cg, vreg addr, bool absolute, struct srcloc loc,
			struct sval *sv)
{
	struct ir *ir = cg->ir;
	uint32_t dst = frame_temp(cg, cg_strbytes(cg) + ABI_PATH_NAME + 8 * ABI_PATH_NAMES);
	uint64_t a, b;

	if (place(cg, "path", "mnt", loc) != 0 || place(cg, "path", "dentry", loc) != 8)
		cg_error(cg, loc, "this kernel's paths are not as known");
	a = (uint64_t)place(cg, "dentry", "d_parent", loc) |
	    (uint64_t)place(cg, "dentry", "d_name.name", loc) << 16 |
	    (uint64_t)place(cg, "vfsmount", "mnt_root", loc) << 32 |
	    (uint64_t)place(cg, "mount", "mnt", loc) << 48;
	b = (uint64_t)place(cg, "mount", "mnt_mountpoint", loc) |
	    (uint64_t)place(cg, "mount", "mnt_parent", loc) << 16;
	if (!absolute)
		b |= (uint64_t)place(cg, "task_struct", "fs", loc) << 32 |
		     (uint64_t)place(cg, "fs_struct", "root", loc) << 48;
	vreg bad = ir_callrt(ir, "rt_d_path", 5, frame_index(cg), ir_imm(ir, dst), addr,
			     ir_imm(ir, (int64_t)a), ir_imm(ir, (int64_t)b));
	fault_if_nonzero(cg, bad, ABI_FAULT_BADADDR, addr);
	*sv = (struct sval){ .kind = SVAL_FRAME, .off = dst };
}

void d_path_string(struct cg *cg, const struct node *n, struct sval *sv)
{
	path_string(cg, expr_value(cg, call_arg(n, 0)), false, n->loc, sv);
}

/* The root directory of the process, which d_path() would call "/". */
void root_string(struct cg *cg, const struct node *n, struct sval *sv)
{
	vreg task = ir_call(cg->ir, BPF_FUNC_get_current_task, 0);
	vreg fs = member_read(cg, task, "task_struct", "fs", 8, n->loc);

	path_string(cg, cg_ptr_add(cg, fs, place(cg, "fs_struct", "root", n->loc)), true, n->loc,
		    sv);
}

/* ---- registers ---- */

/* Registers that the kernel saves at its entry: their words in pt_regs come first, as numbered. */
#if defined(__x86_64__)
#define REGS_SAVED 21
static const struct {
	const char *member;
	int size;
} regs_other[] = { { "thread.ds", 2 },
		   { "thread.es", 2 },
		   { "thread.fsindex", 2 },
		   { "thread.gsindex", 2 },
		   { "thread.trap_nr", 8 } };
#else
#define REGS_SAVED 34
static const struct {
	const char *member;
	int size;
} regs_other[1];
#endif

vreg register_value(struct cg *cg, uint64_t number, struct srcloc loc)
{
	struct ir *ir = cg->ir;

	if (number < REGS_SAVED) {
		int slot = cg_probe_stack(cg);
		vreg task = ir_call(ir, BPF_FUNC_get_current_task_btf, 0);
		vreg regs = ir_call(ir, BPF_FUNC_task_pt_regs, 1, task);

		/*
		 * The verifier lets nobody compute with this pointer, so it may not become the value of
		 * a fault, which ERROR clauses do compute with. The helper leaves 0 when it fails.
		 */
		ir_call(ir, BPF_FUNC_probe_read_kernel, 3, ir_stack(ir, slot), ir_imm(ir, 8),
			cg_ptr_add(cg, regs, (int64_t)number * 8));
		return ir_load(ir, 8, ir_stack(ir, slot), 0);
	}
	number -= REGS_SAVED;
	if (number >= sizeof(regs_other) / sizeof(regs_other[0]) || !regs_other[number].member) {
		cg_error(cg, loc, "this machine has no such register");
		return ir_imm(ir, 0);
	}
	vreg task = ir_call(ir, BPF_FUNC_get_current_task, 0);
	return member_read(cg, task, "task_struct", regs_other[number].member,
			   regs_other[number].size, loc);
}

/* ---- CPUs ---- */

/* The number of the package that this CPU is in; 0 where the kernel does not tell. */
vreg chip_value(struct cg *cg, struct srcloc loc)
{
	int64_t info = kern_btf_percpu_offset("cpu_info");
	int id = kern_btf_member_offset("cpuinfo_x86", "topo.pkg_id");

	if (id < 0)
		id = kern_btf_member_offset("cpuinfo_x86", "phys_proc_id");
	if (info < 0 || id < 0)
		return ir_imm(cg->ir, 0);
	vreg v = read_kernel(cg, cg_ptr_add(cg, percpu_address(cg, info, loc), id), 4, false);
	if (kern_btf_member_offset("cpuinfo_x86", "topo.pkg_id") < 0)
		ir_ext(cg->ir, v, 2, false);
	return v;
}

/* ---- locks ---- */

#define MUTEX_FLAGS 7 /* low bits of the holder's address */

/* A mutex of a real-time kernel is made of another lock. */
static vreg mutex_holder(struct cg *cg, const struct node *n)
{
	vreg m = expr_value(cg, call_arg(n, 0));
	int off = kern_btf_member_offset("mutex", "owner");

	if (off < 0)
		off = place(cg, "mutex", "rtmutex.owner", n->loc);
	vreg v = read_kernel(cg, cg_ptr_add(cg, m, off), 8, false);
	ir_alui(cg->ir, IR_AND, v, ~MUTEX_FLAGS);
	return v;
}

static vreg truth(struct cg *cg, vreg v)
{
	label zero = ir_label(cg->ir);
	vreg t = ir_imm(cg->ir, 0);

	ir_jcci(cg->ir, IR_EQ, v, 0, zero);
	ir_imm_to(cg->ir, t, 1);
	ir_place(cg->ir, zero);
	return t;
}

vreg mutex_owner_value(struct cg *cg, const struct node *n)
{
	return mutex_holder(cg, n);
}

vreg mutex_owned_value(struct cg *cg, const struct node *n)
{
	return truth(cg, mutex_holder(cg, n));
}

/* Who waits for a mutex of Linux may spin or sleep. */
vreg mutex_type_adaptive_value(struct cg *cg, const struct node *n)
{
	mutex_holder(cg, n);
	return ir_imm(cg->ir, 1);
}

vreg mutex_type_spin_value(struct cg *cg, const struct node *n)
{
	mutex_holder(cg, n);
	return ir_imm(cg->ir, 0);
}

/* A rwlock_t counts its readers from bit 9 on; a writer that waits is bit 8, one that holds it all below. */
#define RW_WRITER 0xff
#define RW_WAITING 0x100

static vreg rw_value(struct cg *cg, const struct node *n, int64_t bits)
{
	vreg lock = expr_value(cg, call_arg(n, 0));
	vreg v = member_read(cg, lock, "qrwlock", "cnts", 4, n->loc);

	ir_alui(cg->ir, IR_AND, v, bits);
	return truth(cg, v);
}

vreg rw_read_held_value(struct cg *cg, const struct node *n)
{
	return rw_value(cg, n, 0xffffffff & ~(RW_WRITER | RW_WAITING));
}

vreg rw_write_held_value(struct cg *cg, const struct node *n)
{
	return rw_value(cg, n, RW_WRITER);
}

vreg rw_iswriter_value(struct cg *cg, const struct node *n)
{
	return rw_value(cg, n, RW_WRITER | RW_WAITING);
}
