/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments and values of functions (provider/regs.h). */
#include "provider/regs.h"

#include "base/mem.h"

vreg regs_entry_arg(struct cg *cg, vreg ctx, int n, int read)
{
	static const int where[] = { REGS_DI, REGS_SI, REGS_DX, REGS_CX, REGS_R8, REGS_R9 };
	const int in_regs = ARRAY_SIZE(where);
	struct ir *ir = cg_ir(cg);

	if (n < in_regs)
		return ir_load(ir, 8, ctx, where[n]);
	int at = cg_probe_stack(cg);
	vreg sp = ir_load(ir, 8, ctx, REGS_SP);

	ir_comment(ir, "arg%d is on the stack, above the return address", n);
	ir_alui(ir, IR_ADD, sp, 8 * (n - in_regs + 1));
	ir_call(ir, read, 3, ir_stack(ir, at), ir_imm(ir, 8), sp);
	return ir_load(ir, 8, ir_stack(ir, at), 0);
}

vreg regs_return_arg(struct cg *cg, vreg ctx, void *data, int n)
{
	(void)data;
	return n == 1 ? ir_load(cg_ir(cg), 8, ctx, REGS_AX) : ir_imm(cg_ir(cg), n ? 0 : -1);
}
