/* SPDX-License-Identifier: BSD-2-Clause */
/* Destructive actions and subroutines that take effect in the probe: copyout(), raise(), chill() ... */
#include <signal.h>
#include <stddef.h>

#include "codegen/cg_impl.h"
#include "kern/kern.h"

/* ---- user memory ---- */

/* Kernels that are locked down have no helper that writes there. */
static bool may_write(struct cg *cg, const struct node *n)
{
	if (kern_feature(KERN_FEATURE_WRITE_USER))
		return true;
	cg_error(cg, n->loc, "%s( ) is not possible: this kernel lets no program write to user memory",
		 n->u.call.name);
	return false;
}

static void copy_out(struct cg *cg, vreg from, vreg to, vreg size)
{
	struct ir *ir = cg->ir;
	uint32_t tmp = frame_temp(cg, ABI_COPYOUT_BLOCK);
	vreg bad = ir_callrt(ir, "rt_copyout", 5, frame_index(cg), ir_imm(ir, tmp), from, to, size);

	fault_if_nonzero(cg, bad, ABI_FAULT_BADADDR, to);
}

vreg copyout_value(struct cg *cg, const struct node *n)
{
	if (may_write(cg, n)) {
		vreg from = expr_value(cg, call_arg(n, 0)), to = expr_value(cg, call_arg(n, 1));

		copy_out(cg, from, to, expr_value(cg, call_arg(n, 2)));
	}
	return ir_imm(cg->ir, 0);
}

/* With its NUL, if there is room for it. */
vreg copyoutstr_value(struct cg *cg, const struct node *n)
{
	struct ir *ir = cg->ir;
	label fits = ir_label(ir);

	if (!may_write(cg, n))
		return ir_imm(ir, 0);
	uint32_t at = string_arg(cg, n, 0);
	vreg to = expr_value(cg, call_arg(n, 1)), max = expr_value(cg, call_arg(n, 2));
	vreg size = frame_load(cg, 8, at);
	ir_alui(ir, IR_ADD, size, 1);
	ir_jcc(ir, IR_ULE, size, max, fits);
	ir_mov_to(ir, size, max);
	ir_place(ir, fits);
	vreg from = frame_address(cg);
	ir_alui(ir, IR_ADD, from, at + (int)sizeof(struct abi_str));
	copy_out(cg, from, to, size);
	return ir_imm(ir, 0);
}

/* ---- signals ---- */

#define SIGNAL_MAX 64

/* Processes that may not be sent signals, the kernel's own and the first, are left alone. */
static void signal_send(struct cg *cg, vreg sig)
{
	ir_call(cg->ir, BPF_FUNC_send_signal, 1, sig);
}

void raise_emit(struct cg *cg, const struct stmt *s, const struct action *a)
{
	struct ir *ir = cg->ir;
	label bad = ir_label(ir), ok = ir_label(ir);
	vreg sig = expr_value(cg, call_arg(s->expr, 0));

	(void)a;
	ir_jcci(ir, IR_UGT, sig, SIGNAL_MAX, bad);
	ir_jcci(ir, IR_NE, sig, 0, ok);
	ir_place(ir, bad);
	fault_throw(cg, ABI_FAULT_ILLOP, VREG_NONE);
	ir_place(ir, ok);
	signal_send(cg, sig);
}

void stop_emit(struct cg *cg, const struct stmt *s, const struct action *a)
{
	(void)s, (void)a;
	signal_send(cg, ir_imm(cg->ir, SIGSTOP));
}

/* ---- time ---- */

/* Half a second in each second on one CPU is the most. What was the time is so no longer. */
void chill_emit(struct cg *cg, const struct stmt *s, const struct action *a)
{
	struct ir *ir = cg->ir;
	vreg bad = ir_callrt(ir, "rt_chill", 1, expr_value(cg, call_arg(s->expr, 0)));

	(void)a;
	fault_if_nonzero(cg, bad, ABI_FAULT_ILLOP, VREG_NONE);
	cg_timestamp_forget(cg);
}
