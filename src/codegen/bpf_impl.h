/* SPDX-License-Identifier: BSD-2-Clause */
/* What regs.c, bpf.c, link.c, btf.c and disasm.c share. Not for others. */
#ifndef CODEGEN_BPF_IMPL_H
#define CODEGEN_BPF_IMPL_H

#include "base/vec.h"
#include "codegen/bpf.h"

/* ---- regs.c ---- */

/* Where a virtual register lives. */
struct place {
	signed char reg; /* BPF_REG_x, or -1: not in a register */
	bool used;	 /* false: nobody reads it */
	bool remat;	 /* not in a register: made anew at each use by the instruction `def` */
	bool stack;	 /* an address in the stack: loads and stores go there directly */
	int slot;	 /* neither: offset from the frame pointer */
	int def;	 /* index of its first definition */
};

/* Of the arena of the ir. */
struct regs {
	bool *skip; /* per instruction: unreachable or without effect, not to be emitted */
	struct place *v;
	bool spills; /* then R0, R4 and R5 hold no values, else R0 may */
};

/* Also threads jumps. 0 or -errno (ir->error, error_text). */
int regs_assign(struct ir *ir, struct regs *out);

/* ---- bpf.c ---- */

struct bpf_rtcall { /* a call to a routine that link.c is to resolve */
	unsigned int insn;
	const char *sym;
};

struct bpf_routine { /* a function of the linked program */
	const char *name;
	unsigned int start; /* its first instruction */
	int nargs;	    /* -1: static, not called with a checked signature */
};

struct bpf_out {
	struct ir *ir;
	VEC(struct bpf_insn) insns;
	VEC(const char *) notes;
	VEC(struct bpf_rtcall) calls;
	VEC(struct bpf_routine) funcs; /* element 0: the program itself */
};

/* Records the error unless there is one; returns ir->error. */
int bpf_error(struct ir *ir, int error, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* ---- link.c, btf.c ---- */

/* Appends the routines that out->calls name. map_fd as for bpf_assemble(). */
int bpf_link(struct bpf_out *out, const int map_fd[CG_MAP_MAX], struct bpf_code *code);
int bpf_btf_make(struct ir *ir, const struct bpf_routine *r, size_t n, struct bpf_code *code);

/* ir.c */
const char *ir_map_name(enum cg_map map);

#endif
