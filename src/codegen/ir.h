/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The intermediate representation: a flat list of instructions over virtual registers and labels.
 *
 * - All values are 64-bit. Jumps go forward only (there are no loops in generated code; loops live in
 *   runtime/), so a virtual register's life is the span from its first definition to its last use.
 * - A virtual register may be defined several times (the two arms of a condition write the same one).
 * - Emit functions return nothing or a register; the first failure sticks in ir->error and is looked at
 *   once, at the end.
 * - Comments travel with the instructions, so that a dump explains itself.
 */
#ifndef CODEGEN_IR_H
#define CODEGEN_IR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/vec.h"

typedef int vreg;  /* from 0; VREG_NONE */
typedef int label; /* from 0 */
#define VREG_NONE (-1)

/* Maps that a program may name (abi/abi.h describes them). */
enum cg_map {
	CG_MAP_CONF, CG_MAP_STATE, CG_MAP_CPUS, CG_MAP_BUFS, CG_MAP_AGGS, CG_MAP_GLOBALS,
	CG_MAP_FRAMES, CG_MAP_STRTAB, CG_MAP_ROWS, CG_MAP_ACCT, CG_MAP_DVARS, CG_MAP_SPECST, CG_MAP_SPECS,
	CG_MAP_UNWFILES, CG_MAP_UNWROWS, CG_MAP_UNWASKS, CG_MAP_WAKES,
	CG_MAP_AUX,  /* the provider's own, one element */
	CG_MAP_MAX
};

/* BPF's two-operand operations. SDIV and SMOD do not exist before ISA v4: runtime routines do them. */
enum ir_alu { IR_ADD, IR_SUB, IR_MUL, IR_UDIV, IR_UMOD, IR_AND, IR_OR, IR_XOR, IR_SHL, IR_SHR, IR_SAR };
enum ir_cond { IR_EQ, IR_NE, IR_ULT, IR_ULE, IR_UGT, IR_UGE, IR_SLT, IR_SLE, IR_SGT, IR_SGE, IR_SET /* a & b */ };
enum ir_atomic { IR_ATOMIC_ADD, IR_ATOMIC_OR, IR_ATOMIC_AND }; /* 64-bit, no result */

enum ir_op {
	IR_OP_LABEL, IR_OP_COMMENT,
	IR_OP_IMM,     /* d = imm (64 bits) */
	IR_OP_MOV,     /* d = a */
	IR_OP_ALU,     /* d = d alu a */
	IR_OP_ALUI,    /* d = d alu imm (signed 32 bits) */
	IR_OP_NEG,     /* d = -d */
	IR_OP_EXT,     /* d = sign- or zero-extension of the low `size` bytes of d */
	IR_OP_BSWAP,   /* d = byte swap of the low `size` bytes */
	IR_OP_LOAD,    /* d = *(size *)(a + off), zero-extended */
	IR_OP_STORE,   /* *(size *)(a + off) = b */
	IR_OP_STOREI,  /* *(size *)(a + off) = imm (signed 32 bits) */
	IR_OP_ATOMIC,  /* *(u64 *)(a + off) atomic= b */
	IR_OP_FETCH,   /* d = fetch-and-add(*(u64 *)(a + off), b) : the old value */
	IR_OP_XCHG,    /* d = exchange(*(u64 *)(a + off), b) */
	IR_OP_CMPXCHG, /* d = old value of *(u64 *)(a + off); stores c if it was b */
	IR_OP_MAPFD,   /* d = pointer to map `map`, for helpers */
	IR_OP_MAPVAL,  /* d = address of element 0 of map `map` + imm (maps with one element only) */
	IR_OP_STACK,   /* d = frame pointer + imm; imm comes from ir_stack_alloc() */
	IR_OP_CALL,    /* d = helper imm (args); d may be VREG_NONE */
	IR_OP_KCALL,   /* d = function of the kernel with BTF id imm (args) */
	IR_OP_CALLRT,  /* d = routine of the runtime or function of the program `sym` (args) */
	IR_OP_JMP,     /* goto label */
	IR_OP_JCC,     /* if (a cond b) goto label */
	IR_OP_JCCI,    /* if (a cond imm) goto label; imm signed 32 bits */
	IR_OP_ARG,     /* d = argument imm, 0: the program's context; at the start only, in order */
	IR_OP_EXIT,    /* return imm */
};

#define IR_MAXARGS 5

struct ir_insn {
	enum ir_op op;
	uint8_t size;	   /* 1, 2, 4, 8 */
	bool is_signed;	   /* IR_OP_EXT; IR_OP_LOAD never sign-extends */
	uint8_t sub;	   /* enum ir_alu, ir_cond, ir_atomic */
	uint8_t map;
	uint8_t nargs;
	vreg d, a, b, c;
	vreg args[IR_MAXARGS];
	int32_t off;
	int64_t imm;
	label lab;
	const char *sym;   /* IR_OP_CALLRT */
	const char *text;  /* comment: on IR_OP_COMMENT, or beside an instruction */
};

struct regs; /* bpf_impl.h */

struct ir {
	struct arena *arena;
	VEC(struct ir_insn) v;
	int nvregs, nlabels;
	int stack_used;	       /* bytes taken by ir_stack_alloc, before spills */
	int elem_slot;	       /* of ir_map_elem(), 0: none yet */
	VEC(struct ir_func *) funcs; /* called by name, with ir_callrt() */
	struct regs *regs;     /* where the registers of an assembled one live, in the arena */
	int error;	       /* 0 or -errno; E2BIG: too large, ENOSPC: out of registers or stack */
	const char *error_text;
};

/*
 * A function of the program, with instructions, registers, labels and a stack of its own. It gives no value.
 *
 * A global function takes scalars and is checked by the kernel once, alone. A static one is checked at each call, with
 * what it is called with, and may take pointers.
 */
struct ir_func {
	const char *name;
	int nargs;
	bool is_static;
	struct ir ir;
};

void ir_init(struct ir *ir, struct arena *arena);
void ir_destroy(struct ir *ir);
vreg ir_vreg(struct ir *ir);
label ir_label(struct ir *ir);
void ir_place(struct ir *ir, label l);
void ir_comment(struct ir *ir, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Each makes one instruction; those that give a value return a new register. */
vreg ir_imm(struct ir *ir, int64_t value);
void ir_imm_to(struct ir *ir, vreg d, int64_t value);
vreg ir_mov(struct ir *ir, vreg a);
void ir_mov_to(struct ir *ir, vreg d, vreg a);
void ir_alu(struct ir *ir, enum ir_alu op, vreg d, vreg a);
void ir_alui(struct ir *ir, enum ir_alu op, vreg d, int64_t imm); /* any imm: takes a register if it needs more than 32 bits */
void ir_neg(struct ir *ir, vreg d);
void ir_ext(struct ir *ir, vreg d, int size, bool is_signed);
void ir_bswap(struct ir *ir, vreg d, int size);
vreg ir_load(struct ir *ir, int size, vreg base, int off);
void ir_load_to(struct ir *ir, vreg d, int size, vreg base, int off);
void ir_store(struct ir *ir, int size, vreg base, int off, vreg value);
void ir_storei(struct ir *ir, int size, vreg base, int off, int64_t imm); /* any imm */
void ir_atomic(struct ir *ir, enum ir_atomic op, vreg base, int off, vreg value);
vreg ir_fetch_add(struct ir *ir, vreg base, int off, vreg value);
vreg ir_xchg(struct ir *ir, vreg base, int off, vreg value);
vreg ir_cmpxchg(struct ir *ir, vreg base, int off, vreg expect, vreg value);
vreg ir_mapfd(struct ir *ir, enum cg_map map);
vreg ir_mapval(struct ir *ir, enum cg_map map, int64_t off);
int ir_stack_alloc(struct ir *ir, int bytes); /* 8-aligned; the value for ir_stack() */
vreg ir_stack(struct ir *ir, int where);
vreg ir_call(struct ir *ir, int helper, int nargs, ...);	    /* vregs; BPF_FUNC_xxx */
vreg ir_kcall(struct ir *ir, int func, int nargs, ...);		    /* BTF id */
vreg ir_callrt(struct ir *ir, const char *sym, int nargs, ...);
void ir_jmp(struct ir *ir, label l);
void ir_jcc(struct ir *ir, enum ir_cond c, vreg a, vreg b, label l);
void ir_jcci(struct ir *ir, enum ir_cond c, vreg a, int64_t imm, label l); /* any imm */
vreg ir_arg(struct ir *ir, int n);
void ir_exit(struct ir *ir, int value);
/* Pointer to element `index` of an array map, jumping to `fail` on NULL (the call is inlined by the kernel). Uses 4 bytes of stack. */
vreg ir_map_elem(struct ir *ir, enum cg_map map, vreg index, label fail);

struct ir_func *ir_func_add(struct ir *ir, const char *name); /* the caller sets the rest */
bool ir_reads(const struct ir *ir, vreg v);

void ir_dump(const struct ir *ir, FILE *out);

#endif
