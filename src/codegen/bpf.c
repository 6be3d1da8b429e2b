/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assembly: each IR instruction becomes one or a few BPF instructions, with the registers that
 * regs.c gave.
 *
 * Operands in memory are loaded into R0, R4 or R5, which hold no values when there are any
 * (regs.c). Where a result may share a register with an operand, the operand is read first.
 */
#include "codegen/bpf_impl.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct fixup { /* a jump whose label is not placed yet */
	unsigned int insn;
	label lab;
	bool done; /* it goes to an island */
};

struct asmb {
	struct ir *ir;
	struct regs regs;
	struct bpf_out *out;
	const int *map_fd;
	int *labels;	     /* instruction of each label */
	const char *comment; /* waits for the next instruction */
	VEC(struct fixup) fixups;
	size_t settled;	      /* fixups before this one need nothing more */
	unsigned int *island; /* last island's instruction for each label, 0: none */
};

static const uint8_t alu_ops[] = {
	[IR_ADD] = BPF_ADD,  [IR_SUB] = BPF_SUB, [IR_MUL] = BPF_MUL,  [IR_UDIV] = BPF_DIV,
	[IR_UMOD] = BPF_MOD, [IR_AND] = BPF_AND, [IR_OR] = BPF_OR,    [IR_XOR] = BPF_XOR,
	[IR_SHL] = BPF_LSH,  [IR_SHR] = BPF_RSH, [IR_SAR] = BPF_ARSH,
};

static const uint8_t cond_ops[] = {
	[IR_EQ] = BPF_JEQ,   [IR_NE] = BPF_JNE,	  [IR_ULT] = BPF_JLT,  [IR_ULE] = BPF_JLE,
	[IR_UGT] = BPF_JGT,  [IR_UGE] = BPF_JGE,  [IR_SLT] = BPF_JSLT, [IR_SLE] = BPF_JSLE,
	[IR_SGT] = BPF_JSGT, [IR_SGE] = BPF_JSGE, [IR_SET] = BPF_JSET,
};

static const int32_t atomic_ops[] = {
	[IR_ATOMIC_ADD] = BPF_ADD,
	[IR_ATOMIC_OR] = BPF_OR,
	[IR_ATOMIC_AND] = BPF_AND,
};

int bpf_error(struct ir *ir, int error, const char *fmt, ...)
{
	char line[256];
	va_list ap;

	if (ir->error)
		return ir->error;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	ir->error = error;
	ir->error_text = arena_strdup(ir->arena, line);
	return error;
}

/* ---- instructions ---- */

static void put(struct asmb *a, uint8_t code, int dst, int src, int off, int32_t imm)
{
	struct bpf_insn insn = {
		.code = code,
		.dst_reg = dst,
		.src_reg = src,
		.off = off,
		.imm = imm,
	};

	vec_push(&a->out->insns, insn);
	vec_push(&a->out->notes, a->comment);
	a->comment = NULL;
}

static void put_mov(struct asmb *a, int dst, int src)
{
	if (dst != src)
		put(a, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static void put_imm64(struct asmb *a, int dst, int src, int32_t lo, int32_t hi)
{
	put(a, BPF_LD | BPF_DW | BPF_IMM, dst, src, 0, lo);
	put(a, 0, 0, 0, 0, hi);
}

static void put_imm(struct asmb *a, int dst, int64_t v)
{
	if (v == (int32_t)v)
		put(a, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, (int32_t)v);
	else if (v == (int64_t)(uint32_t)v)
		put(a, BPF_ALU | BPF_MOV | BPF_K, dst, 0, 0, (int32_t)v);
	else
		put_imm64(a, dst, 0, (int32_t)v, (int32_t)(v >> 32));
}

static uint8_t mem_size(int size)
{
	switch (size) {
	case 1: return BPF_B;
	case 2: return BPF_H;
	case 4: return BPF_W;
	default: return BPF_DW;
	}
}

static int map_fd(struct asmb *a, const struct ir_insn *in)
{
	int fd = in->map < CG_MAP_MAX ? a->map_fd[in->map] : -1;

	if (fd < 0)
		bpf_error(a->ir, -ENOENT, "map %s does not exist",
			  in->map < CG_MAP_MAX ? ir_map_name(in->map) : "?");
	return fd;
}

static void put_const(struct asmb *a, int dst, const struct ir_insn *in)
{
	switch (in->op) {
	case IR_OP_IMM: put_imm(a, dst, in->imm); break;
	case IR_OP_MAPFD: put_imm64(a, dst, BPF_PSEUDO_MAP_FD, map_fd(a, in), 0); break;
	case IR_OP_MAPVAL:
		put_imm64(a, dst, BPF_PSEUDO_MAP_VALUE, map_fd(a, in), (int32_t)in->imm);
		break;
	default: /* IR_OP_STACK */
		put_mov(a, dst, BPF_REG_10);
		if (in->imm)
			put(a, BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, (int32_t)in->imm);
		break;
	}
}

/* ---- operands ---- */

static struct place *place_of(struct asmb *a, vreg v)
{
	return &a->regs.v[v];
}

static void load_into(struct asmb *a, int reg, vreg v)
{
	const struct place *p = place_of(a, v);

	if (p->reg >= 0)
		put_mov(a, reg, p->reg);
	else if (p->remat)
		put_const(a, reg, &a->ir->v.v[p->def]);
	else
		put(a, BPF_LDX | BPF_MEM | BPF_DW, reg, BPF_REG_10, p->slot, 0);
}

/* The register that has v; `scratch` if it must be loaded. */
static int src(struct asmb *a, vreg v, int scratch)
{
	if (place_of(a, v)->reg >= 0)
		return place_of(a, v)->reg;
	load_into(a, scratch, v);
	return scratch;
}

/* Base of a load or store; *off is what is to be added to it. */
static int base(struct asmb *a, const struct ir_insn *in, int scratch, int *off)
{
	const struct place *p = place_of(a, in->a);

	*off = in->off;
	if (!p->stack || in->b == in->a || in->c == in->a)
		return src(a, in->a, scratch);
	*off += a->ir->v.v[p->def].imm;
	return BPF_REG_10;
}

/* The register to compute v in; finish with put_result(). */
static int dst(struct asmb *a, vreg v, int scratch)
{
	return place_of(a, v)->reg >= 0 ? place_of(a, v)->reg : scratch;
}

static void put_result(struct asmb *a, vreg v, int reg)
{
	const struct place *p = place_of(a, v);

	if (p->reg >= 0)
		put_mov(a, p->reg, reg);
	else if (p->used && !p->remat)
		put(a, BPF_STX | BPF_MEM | BPF_DW, BPF_REG_10, reg, p->slot, 0);
}

/* ---- one function per kind of instruction ---- */

static void put_def(struct asmb *a, const struct ir_insn *in)
{
	int rd;

	if (place_of(a, in->d)->remat)
		return;
	rd = dst(a, in->d, BPF_REG_0);
	put_const(a, rd, in);
	put_result(a, in->d, rd);
}

static void put_move(struct asmb *a, const struct ir_insn *in)
{
	int rd = dst(a, in->d, BPF_REG_0);

	if (place_of(a, in->d)->reg < 0)
		rd = src(a, in->a, BPF_REG_0);
	else
		load_into(a, rd, in->a);
	put_result(a, in->d, rd);
}

static void put_alu(struct asmb *a, const struct ir_insn *in)
{
	int rd = src(a, in->d, BPF_REG_0);

	if (in->op == IR_OP_ALU) {
		int ra = in->a == in->d ? rd : src(a, in->a, BPF_REG_4);

		put(a, BPF_ALU64 | alu_ops[in->sub] | BPF_X, rd, ra, 0, 0);
	} else {
		put(a, BPF_ALU64 | alu_ops[in->sub] | BPF_K, rd, 0, 0, (int32_t)in->imm);
	}
	put_result(a, in->d, rd);
}

static void put_ext(struct asmb *a, const struct ir_insn *in)
{
	int rd = src(a, in->d, BPF_REG_0);
	int bits = 64 - in->size * 8;

	if (in->is_signed) {
		put(a, BPF_ALU64 | BPF_LSH | BPF_K, rd, 0, 0, bits);
		put(a, BPF_ALU64 | BPF_ARSH | BPF_K, rd, 0, 0, bits);
	} else if (in->size == 4) {
		put(a, BPF_ALU | BPF_MOV | BPF_X, rd, rd, 0, 0);
	} else {
		put(a, BPF_ALU64 | BPF_AND | BPF_K, rd, 0, 0, in->size == 1 ? 0xff : 0xffff);
	}
	put_result(a, in->d, rd);
}

static void put_unary(struct asmb *a, const struct ir_insn *in)
{
	int rd = src(a, in->d, BPF_REG_0);

	if (in->op == IR_OP_NEG)
		put(a, BPF_ALU64 | BPF_NEG, rd, 0, 0, 0);
	else
		put(a,
		    BPF_ALU | BPF_END |
			    (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? BPF_TO_BE : BPF_TO_LE),
		    rd, 0, 0, in->size * 8);
	put_result(a, in->d, rd);
}

static void put_load(struct asmb *a, const struct ir_insn *in)
{
	int off, ra = base(a, in, BPF_REG_4, &off);
	int rd = dst(a, in->d, BPF_REG_0);

	put(a, BPF_LDX | BPF_MEM | mem_size(in->size), rd, ra, off, 0);
	put_result(a, in->d, rd);
}

static void put_store(struct asmb *a, const struct ir_insn *in)
{
	int off, ra = base(a, in, BPF_REG_4, &off);

	if (in->op == IR_OP_STOREI)
		put(a, BPF_ST | BPF_MEM | mem_size(in->size), ra, 0, off, (int32_t)in->imm);
	else
		put(a, BPF_STX | BPF_MEM | mem_size(in->size), ra, src(a, in->b, BPF_REG_5), off,
		    0);
}

static void put_atomic(struct asmb *a, const struct ir_insn *in, int32_t op)
{
	int off, ra = base(a, in, BPF_REG_4, &off);
	int rb = src(a, in->b, BPF_REG_5);

	put(a, BPF_STX | BPF_ATOMIC | BPF_DW, ra, rb, off, op);
}

/* The instruction wants value and result in one register, which must not be the base. */
static void put_exchange(struct asmb *a, const struct ir_insn *in, int32_t op)
{
	int off, ra = base(a, in, BPF_REG_4, &off);
	int rd = dst(a, in->d, BPF_REG_0);
	int rw = rd == ra ? BPF_REG_0 : rd;

	load_into(a, rw, in->b);
	put(a, BPF_STX | BPF_ATOMIC | BPF_DW, ra, rw, off, op);
	put_result(a, in->d, rw);
}

static void put_cmpxchg(struct asmb *a, const struct ir_insn *in)
{
	int off, ra = base(a, in, BPF_REG_4, &off);
	int rc = src(a, in->c, BPF_REG_5);

	load_into(a, BPF_REG_0, in->b);
	put(a, BPF_STX | BPF_ATOMIC | BPF_DW, ra, rc, off, BPF_CMPXCHG);
	put_result(a, in->d, BPF_REG_0);
}

/* ---- calls ---- */

/* Is a register still the source of a move into another one? */
static bool is_source(const int *from, int nargs, int reg)
{
	int i;

	for (i = 0; i < nargs; i++)
		if (from[i] == reg && reg != BPF_REG_1 + i)
			return true;
	return false;
}

/*
 * Moves all arguments at once: first those whose target nobody waits for; what then remains are
 * rings of R1 to R5, opened by way of R0, which by then is no source any more. Values from
 * memory come last, when all registers have been read.
 */
static void put_args(struct asmb *a, const struct ir_insn *in)
{
	int from[IR_MAXARGS];
	int i, left = 0;

	for (i = 0; i < in->nargs; i++) {
		from[i] = place_of(a, in->args[i])->reg;
		if (from[i] == BPF_REG_1 + i)
			from[i] = -1; /* there already; memory has -1, too */
		left += from[i] >= 0;
	}
	while (left) {
		bool moved = false;

		for (i = 0; i < in->nargs; i++) {
			if (from[i] < 0 || is_source(from, in->nargs, BPF_REG_1 + i))
				continue;
			put_mov(a, BPF_REG_1 + i, from[i]);
			from[i] = -1;
			left--;
			moved = true;
		}
		if (moved)
			continue;
		for (i = 0; from[i] < 0; i++)
			;
		put_mov(a, BPF_REG_0, BPF_REG_1 + i);
		for (int k = 0; k < in->nargs; k++)
			if (from[k] == BPF_REG_1 + i)
				from[k] = BPF_REG_0;
	}
	for (i = 0; i < in->nargs; i++)
		if (place_of(a, in->args[i])->reg < 0)
			load_into(a, BPF_REG_1 + i, in->args[i]);
}

static void put_call(struct asmb *a, const struct ir_insn *in)
{
	put_args(a, in);
	if (in->op == IR_OP_CALLRT) {
		struct bpf_rtcall call = { .insn = a->out->insns.n, .sym = in->sym };

		vec_push(&a->out->calls, call);
		put(a, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, -1);
	} else {
		put(a, BPF_JMP | BPF_CALL, 0, in->op == IR_OP_KCALL ? BPF_PSEUDO_KFUNC_CALL : 0, 0,
		    (int32_t)in->imm);
	}
	if (in->d != VREG_NONE && place_of(a, in->d)->used)
		put_result(a, in->d, BPF_REG_0);
}

/* ---- control flow ---- */

/*
 * A comparison tells the verifier bounds of the register; older kernels do not know that the stack
 * slot from which it was loaded has the same value. So it is stored again where no jump is taken.
 */
static void put_bounds_back(struct asmb *a, vreg v, int reg)
{
	const struct place *p = place_of(a, v);

	if (p->reg < 0 && !p->remat)
		put(a, BPF_STX | BPF_MEM | BPF_DW, BPF_REG_10, reg, p->slot, 0);
}

static void put_jump(struct asmb *a, const struct ir_insn *in)
{
	struct fixup f = { .lab = in->lab };
	int ra = -1, rb = -1;

	if (in->op != IR_OP_JMP)
		ra = src(a, in->a, BPF_REG_0);
	if (in->op == IR_OP_JCC)
		rb = in->b == in->a ? ra : src(a, in->b, BPF_REG_4);
	f.insn = a->out->insns.n;
	vec_push(&a->fixups, f);
	switch (in->op) {
	case IR_OP_JMP: put(a, BPF_JMP | BPF_JA, 0, 0, 0, 0); return;
	case IR_OP_JCCI:
		put(a, BPF_JMP | cond_ops[in->sub] | BPF_K, ra, 0, 0, (int32_t)in->imm);
		break;
	default:
		put(a, BPF_JMP | cond_ops[in->sub] | BPF_X, ra, rb, 0, 0);
		put_bounds_back(a, in->b, rb);
		break;
	}
	put_bounds_back(a, in->a, ra);
}

/* Jumps to labels that are not placed are far from their target when this many are behind them. */
#define ISLAND_AGE 28000
#define ISLAND_ALSO 8000 /* so old ones are taken along */

/*
 * A jump reaches 32767 instructions. Before one gets too old, an island is put between two
 * instructions: a jump to each label that old jumps wait for, which land there. One pass over it
 * by a jump of its own.
 */
static void island_put(struct asmb *a)
{
	struct fixup over = { 0 };
	size_t n = a->fixups.n;

	over.insn = a->out->insns.n;
	put(a, BPF_JMP | BPF_JA, 0, 0, 0, 0);
	for (size_t i = a->settled; i < n; i++) {
		struct fixup f = a->fixups.v[i];
		unsigned int at = a->out->insns.n;

		if (a->labels[f.lab] || a->out->insns.n - f.insn < ISLAND_ALSO)
			continue;
		if (a->island[f.lab] <= over.insn) {
			a->island[f.lab] = at;
			put(a, BPF_JMP | BPF_JA, 0, 0, 0, 0);
			vec_push(&a->fixups, ((struct fixup){ .insn = at, .lab = f.lab }));
		}
		a->out->insns.v[f.insn].off = (int16_t)(a->island[f.lab] - f.insn - 1);
		a->fixups.v[i].done = true;
	}
	a->out->insns.v[over.insn].off = (int16_t)(a->out->insns.n - over.insn - 1);
}

/* Does nothing come behind the last instruction? */
static bool has_left(const struct asmb *a)
{
	uint8_t code = a->out->insns.n ? a->out->insns.v[a->out->insns.n - 1].code : 0;

	return code == (BPF_JMP | BPF_JA) || code == (BPF_JMP | BPF_EXIT);
}

/* The jump over an island may not stand where nobody gets to: the kernel refuses that. */
static void islands(struct asmb *a)
{
	while (a->settled < a->fixups.n) {
		const struct fixup *f = &a->fixups.v[a->settled];

		if (!f->done && !a->labels[f->lab])
			break;
		a->settled++;
	}
	if (a->settled < a->fixups.n && a->out->insns.n - a->fixups.v[a->settled].insn > ISLAND_AGE && !has_left(a))
		island_put(a);
}

static void fixups_apply(struct asmb *a)
{
	size_t i;

	for (i = 0; i < a->fixups.n; i++) {
		if (a->fixups.v[i].done)
			continue;
		const struct fixup *f = &a->fixups.v[i];
		int off = a->labels[f->lab] - (int)f->insn - 1;

		assert(off <= INT16_MAX); /* islands() */
		a->out->insns.v[f->insn].off = off;
	}
}

static void put_exit(struct asmb *a, const struct ir_insn *in)
{
	put_imm(a, BPF_REG_0, in->imm);
	put(a, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static void add_comment(struct asmb *a, const char *text)
{
	if (!text)
		return;
	a->comment = a->comment ? arena_printf(a->ir->arena, "%s; %s", a->comment, text) : text;
}

static void put_insn(struct asmb *a, const struct ir_insn *in)
{
	add_comment(a, in->text);
	switch (in->op) {
	case IR_OP_LABEL: a->labels[in->lab] = a->out->insns.n; break;
	case IR_OP_COMMENT: break;
	case IR_OP_IMM:
	case IR_OP_MAPFD:
	case IR_OP_MAPVAL:
	case IR_OP_STACK: put_def(a, in); break;
	case IR_OP_MOV: put_move(a, in); break;
	case IR_OP_ALU:
	case IR_OP_ALUI: put_alu(a, in); break;
	case IR_OP_NEG:
	case IR_OP_BSWAP: put_unary(a, in); break;
	case IR_OP_EXT: put_ext(a, in); break;
	case IR_OP_LOAD: put_load(a, in); break;
	case IR_OP_STORE:
	case IR_OP_STOREI: put_store(a, in); break;
	case IR_OP_ATOMIC: put_atomic(a, in, atomic_ops[in->sub]); break;
	case IR_OP_FETCH:
		if (place_of(a, in->d)->used)
			put_exchange(a, in, BPF_ADD | BPF_FETCH);
		else
			put_atomic(a, in, BPF_ADD);
		break;
	case IR_OP_XCHG: put_exchange(a, in, BPF_XCHG); break;
	case IR_OP_CMPXCHG: put_cmpxchg(a, in); break;
	case IR_OP_CALL:
	case IR_OP_KCALL:
	case IR_OP_CALLRT: put_call(a, in); break;
	case IR_OP_JMP:
	case IR_OP_JCC:
	case IR_OP_JCCI: put_jump(a, in); break;
	case IR_OP_ARG: put_result(a, in->d, BPF_REG_1 + (int)in->imm); break;
	case IR_OP_EXIT: put_exit(a, in); break;
	}
}

static int assemble(struct ir *ir, const int fds[CG_MAP_MAX], struct bpf_out *out)
{
	struct asmb a = { .ir = ir, .map_fd = fds, .out = out };
	size_t i;

	if (regs_assign(ir, &a.regs))
		return ir->error;
	a.labels = arena_alloc(ir->arena, ir->nlabels * sizeof(*a.labels) + 1);
	a.island = arena_alloc(ir->arena, ir->nlabels * sizeof(*a.island) + 1);
	for (i = 0; i < ir->v.n; i++) {
		if (a.regs.skip[i] && ir->v.v[i].op != IR_OP_LABEL)
			continue;
		islands(&a);
		put_insn(&a, &ir->v.v[i]);
	}
	fixups_apply(&a);
	ir->regs = arena_new(ir->arena, struct regs);
	*ir->regs = a.regs;
	vec_free(&a.fixups);
	return ir->error;
}

/* The functions of the program, behind it. */
static int funcs_assemble(struct ir *ir, const int fds[CG_MAP_MAX], struct bpf_out *out)
{
	size_t i;

	for (i = 0; i < ir->funcs.n && !ir->error; i++) {
		struct ir_func *f = ir->funcs.v[i];
		struct bpf_routine r = { .name = f->name,
					 .start = out->insns.n,
					 .nargs = f->is_static ? -1 : f->nargs };

		vec_push(&out->funcs, r);
		if (assemble(&f->ir, fds, out))
			return bpf_error(ir, f->ir.error, "%s: %s", f->name,
					 f->ir.error_text ? f->ir.error_text
							  : strerror(-f->ir.error));
	}
	return ir->error;
}

int bpf_assemble(struct ir *ir, const char *name, const int fds[CG_MAP_MAX], struct bpf_code *out)
{
	struct bpf_out code = { .ir = ir };
	struct bpf_routine self = { .name = name };

	memset(out, 0, sizeof(*out));
	vec_push(&code.funcs, self);
	if (!assemble(ir, fds, &code) && !funcs_assemble(ir, fds, &code)) {
		out->nmain = code.insns.n;
		out->notes = arena_alloc(ir->arena, out->nmain * sizeof(*out->notes) + 1);
		memcpy(out->notes, code.notes.v, out->nmain * sizeof(*out->notes));
		bpf_link(&code, fds, out);
	}
	out->insns = code.insns.v;
	out->n = code.insns.n;
	vec_free(&code.notes);
	vec_free(&code.calls);
	vec_free(&code.funcs);
	if (ir->error)
		bpf_code_free(out);
	return ir->error;
}

void bpf_code_free(struct bpf_code *c)
{
	free(c->insns);
	free(c->btf);
	free(c->funcs);
	memset(c, 0, sizeof(*c));
}
