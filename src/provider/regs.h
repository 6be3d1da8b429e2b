/* SPDX-License-Identifier: BSD-2-Clause */
/* What functions are given and give back, by the registers that programs of kprobes and uprobes see. */
#ifndef PROVIDER_REGS_H
#define PROVIDER_REGS_H

#include "codegen/cg.h"

/* Offsets in struct pt_regs of x86-64. */
enum {
	REGS_R10 = 56,
	REGS_R9 = 64,
	REGS_R8 = 72,
	REGS_AX = 80,
	REGS_CX = 88,
	REGS_DX = 96,
	REGS_SI = 104,
	REGS_DI = 112,
	REGS_ORIG_AX = 120,
	REGS_IP = 128,
	REGS_CS = 136,
	REGS_SP = 152
};

/* Argument n at the entry of a function; read: the helper that reads its stack. */
vreg regs_entry_arg(struct cg *cg, vreg ctx, int n, int read);
/* At its return: arg1 is the value. arg0, the offset of the returning instruction, is not known: -1, for 0 would be one. */
vreg regs_return_arg(struct cg *cg, vreg ctx, void *data, int n);

#endif
