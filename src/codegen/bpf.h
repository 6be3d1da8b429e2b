/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From IR to a loadable program: register allocation, assembly, linking with the runtime routines, BTF.
 *
 * regs: linear scan. R6-R9 for lives that cross a call, R1-R5 for those that do not, R0 is scratch; what
 * does not fit is spilled to the stack (at most BPF_SPILL_MAX bytes; pointers must be spilled to the
 * stack, where the verifier keeps their type). link: the routines named by IR_OP_CALLRT are copied from
 * the embedded object (runtime/), with what they call, each once; the program carries our own BTF with
 * func_info, in which the runtime routines are global functions, so that the verifier checks each once.
 */
#ifndef CODEGEN_BPF_H
#define CODEGEN_BPF_H

#include <linux/bpf.h>
#include <stdio.h>

#include "codegen/ir.h"

#define BPF_SPILL_MAX 256

struct bpf_code {
	struct bpf_insn *insns;
	unsigned int n;
	void *btf;	       /* raw BTF */
	unsigned int btf_size;
	struct bpf_func_info *funcs;
	unsigned int nfuncs;
	unsigned int nmain;    /* instructions of the program itself; the routines follow */
	const char **notes;    /* per instruction of the program: comment or NULL (arena of the ir) */
};

/* map_fd[CG_MAP_x]: -1 for maps that do not exist; naming one is an error. 0 or -errno (ir->error, error_text). */
int bpf_assemble(struct ir *ir, const char *name, const int map_fd[CG_MAP_MAX], struct bpf_code *out);
void bpf_code_free(struct bpf_code *c);
/* Where each virtual register of an assembled program lives: for -x regs. */
void regs_dump(const struct ir *ir, FILE *out);
void bpf_disasm(const struct bpf_code *c, FILE *out);

#endif
