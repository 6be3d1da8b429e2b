/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conditions and arguments of events that are system calls (provider/kevent.h): sys_enter(regs, number), sys_exit(regs,
 * value). Numbers and registers are those of x86-64.
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "base/str.h"
#include "provider/kevent.h"
#include "provider/regs.h"

#define USER32_CS 0x23

static vreg reg(struct cg *cg, vreg ctx, int which)
{
	return tracepoint_read(cg, raw0(cg, ctx), which, 8);
}

/* ---- conditions -------------------------------------------------------------------------------------- */

/* Callers of 32-bit code have other numbers: they are left out. */
static void nr_among(struct cg *cg, vreg ctx, vreg nr, const struct kevent *k, label out)
{
	struct ir *ir = cg_ir(cg);
	label yes = ir_label(ir);

	for (int i = 0; i < NRS_MAX && k->nr[i]; i++)
		ir_jcci(ir, IR_EQ, nr, k->nr[i] == NR_READ ? 0 : k->nr[i], yes);
	ir_jmp(ir, out);
	ir_place(ir, yes);
	ir_jcci(ir, IR_EQ, reg(cg, ctx, REGS_CS), USER32_CS, out);
}

/* sys_enter(regs, number) */
void call_entry(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	nr_among(cg, ctx, raw1(cg, ctx), k, out);
}

/* sys_exit(regs, value) */
static void call_return(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	nr_among(cg, ctx, reg(cg, ctx, REGS_ORIG_AX), k, out);
}

void call_failed(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	ir_jcci(cg_ir(cg), IR_SGE, raw1(cg, ctx), 0, out);
	call_return(cg, ctx, k, out);
}

void call_positive(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	ir_jcci(cg_ir(cg), IR_SLE, raw1(cg, ctx), 0, out);
	call_return(cg, ctx, k, out);
}

void call_succeeded(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	ir_jcci(cg_ir(cg), IR_SLT, raw1(cg, ctx), 0, out);
	call_return(cg, ctx, k, out);
}

/* Of the calls with number nr: have they one of the flags in the register (want), or none of them? Other calls pass. */
static void call_flags(struct cg *cg, vreg ctx, int nr, int which, int flags, bool want, label out)
{
	struct ir *ir = cg_ir(cg);
	label done = ir_label(ir);

	ir_jcci(ir, IR_NE, reg(cg, ctx, REGS_ORIG_AX), nr, done);
	vreg v = reg(cg, ctx, which);

	ir_alui(ir, IR_AND, v, flags);
	ir_jcci(ir, want ? IR_EQ : IR_NE, v, 0, out);
	ir_place(ir, done);
}

/* fstat() is a call of its own, or one that names no path below its descriptor. */
void call_stats_file(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	call_succeeded(cg, ctx, k, out);
	call_flags(cg, ctx, NR_NEWFSTATAT, REGS_R10, AT_EMPTY_PATH, true, out);
}

void call_creates(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	call_succeeded(cg, ctx, k, out);
	call_flags(cg, ctx, NR_OPEN, REGS_SI, O_CREAT, true, out);
	call_flags(cg, ctx, NR_OPENAT, REGS_DX, O_CREAT, true, out);
}

void call_removes_file(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	call_succeeded(cg, ctx, k, out);
	call_flags(cg, ctx, NR_UNLINKAT, REGS_DX, AT_REMOVEDIR, false, out);
}

void call_removes_dir(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	call_succeeded(cg, ctx, k, out);
	call_flags(cg, ctx, NR_UNLINKAT, REGS_DX, AT_REMOVEDIR, true, out);
}

/* mmap(address, length, protection, flags, descriptor, offset) */
void call_maps_file(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	vreg flags;

	call_succeeded(cg, ctx, k, out);
	flags = reg(cg, ctx, REGS_R10);
	ir_alui(cg_ir(cg), IR_AND, flags, MAP_ANONYMOUS);
	ir_jcci(cg_ir(cg), IR_NE, flags, 0, out);
}

/* fcntl(descriptor, command, lock) */
void call_locks_file(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	static const int commands[] = { F_GETLK,     F_SETLK,	  F_SETLKW,
					F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW };
	struct ir *ir = cg_ir(cg);
	label yes = ir_label(ir);
	vreg command;

	call_succeeded(cg, ctx, k, out);
	command = tracepoint_read(cg, raw0(cg, ctx), REGS_SI, 4);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		ir_jcci(ir, IR_EQ, command, commands[i], yes);
	ir_jmp(ir, out);
	ir_place(ir, yes);
}

/* A new thread's first return to its program: the call that made it returns 0 there. */
void call_zero(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	ir_jcci(cg_ir(cg), IR_NE, raw1(cg, ctx), 0, out);
	call_return(cg, ctx, k, out);
}

void call_zero_leader(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	struct ir *ir = cg_ir(cg);

	call_zero(cg, ctx, k, out);
	vreg tid = ir_call(ir, BPF_FUNC_get_current_pid_tgid, 0);
	vreg tgid = ir_mov(ir, tid);

	ir_alui(ir, IR_SHR, tgid, 32);
	ir_ext(ir, tid, 4, false);
	ir_jcc(ir, IR_NE, tid, tgid, out);
}

/* ---- values ------------------------------------------------------------------------------------------ */

/*
 * The path that a call names: its first argument, or the one behind the descriptor of a directory; of links by name, the
 * link.
 */
vreg call_path(struct cg *cg, vreg ctx)
{
	static const struct {
		short nr, reg;
	} others[] = { { NR_SYMLINK, REGS_SI },	 { NR_MKDIRAT, REGS_SI },
		       { NR_UNLINKAT, REGS_SI },	 { NR_RENAMEAT, REGS_SI },
		       { NR_RENAMEAT2, REGS_SI }, { NR_LINKAT, REGS_SI },
		       { NR_SYMLINKAT, REGS_DX }, { NR_READLINKAT, REGS_SI },
		       { NR_FACCESSAT, REGS_SI }, { NR_FACCESSAT2, REGS_SI },
		       { NR_EXECVEAT, REGS_SI } };
	struct ir *ir = cg_ir(cg);
	label done = ir_label(ir);
	vreg nr = reg(cg, ctx, REGS_ORIG_AX);
	vreg path = reg(cg, ctx, REGS_DI);

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		label next = ir_label(ir);

		ir_jcci(ir, IR_NE, nr, others[i].nr, next);
		ir_mov_to(ir, path, reg(cg, ctx, others[i].reg));
		ir_jmp(ir, done);
		ir_place(ir, next);
	}
	ir_place(ir, done);
	return path;
}

/* The same for the translator in io.d, to which descriptors are given as well. */
vreg call_marked_path(struct cg *cg, vreg ctx)
{
	vreg path = call_path(cg, ctx);

	ir_alu(cg_ir(cg), IR_OR, path, ir_imm(cg_ir(cg), INT64_MIN));
	return path;
}

/* The descriptor that is the first argument; the register still has it when the call returns. */
vreg call_file(struct cg *cg, vreg ctx)
{
	return tracepoint_read(cg, raw0(cg, ctx), REGS_DI, 4);
}

vreg call_errno(struct cg *cg, vreg ctx)
{
	vreg v = raw1(cg, ctx);

	ir_neg(cg_ir(cg), v);
	return v;
}

vreg call_mapped_file(struct cg *cg, vreg ctx)
{
	return tracepoint_read(cg, raw0(cg, ctx), REGS_R8, 4);
}
