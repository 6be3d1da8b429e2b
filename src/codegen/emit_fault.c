/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults. Where one is found, what it is (the action << 8 | its code) and its value go to two registers and
 * control to the clause's fault label. There the record is turned to filler, the buffers are left,
 * a fault record is written for the default message, and the clauses of dtrace:::ERROR run, with
 * those registers as their arguments. The clause ends; the next one of the firing runs. A fault in
 * an ERROR clause is only counted.
 */
#include <stddef.h>

#include "codegen/cg_impl.h"

void fault_throw(struct cg *cg, enum abi_fault code, vreg value)
{
	struct cg_cur *cur = &cg->cur;
	struct ir *ir = cg->ir;

	cur->has_fault = true;
	cur->cl->can_fault = true;
	if (!cur->in_error) {
		ir_imm_to(ir, cur->f_what, (int64_t)cur->action << 8 | code);
		if (value == VREG_NONE)
			ir_imm_to(ir, cur->f_value, 0);
		else
			ir_mov_to(ir, cur->f_value, value);
	}
	ir_jmp(ir, cur->fault);
}

void fault_if_zero(struct cg *cg, vreg v, enum abi_fault code, vreg value)
{
	label ok = ir_label(cg->ir);

	ir_jcci(cg->ir, IR_NE, v, 0, ok);
	fault_throw(cg, code, value);
	ir_place(cg->ir, ok);
}

void fault_if_nonzero(struct cg *cg, vreg v, enum abi_fault code, vreg value)
{
	label ok = ir_label(cg->ir);

	ir_jcci(cg->ir, IR_EQ, v, 0, ok);
	fault_throw(cg, code, value);
	ir_place(cg->ir, ok);
}

vreg fault_action(struct cg *cg, vreg what)
{
	vreg v = ir_mov(cg->ir, what);

	ir_ext(cg->ir, v, 4, false); /* the EPID may be above */
	ir_alui(cg->ir, IR_SHR, v, 8);
	return v;
}

vreg fault_code(struct cg *cg, vreg what)
{
	vreg v = ir_mov(cg->ir, what);

	ir_alui(cg->ir, IR_AND, v, 0xff);
	return v;
}

/* The record behind DTrace's message "error on enabled probe ID ...". */
static void fault_record(struct cg *cg)
{
	struct cg_cur *cur = &cg->cur;
	struct ir *ir = cg->ir;
	uint32_t header = cg->env->temporal ? sizeof(struct abi_rec_time) : sizeof(struct abi_rec);
	uint32_t size = header + sizeof(struct abi_fault_data);
	label lost = ir_label(ir);
	struct resv rv;

	ir_comment(ir, "fault record");
	rec_reserve(cg, &rv, VREG_NONE, size, RESV_FAULT, lost);
	rec_header(cg, rv.rec, 0, VREG_NONE, ABI_EPID_FAULT, size);
	if (cur->epid == VREG_NONE)
		ir_storei(ir, 4, rv.rec, header + offsetof(struct abi_fault_data, epid),
			  cur->epid_const);
	else
		ir_store(ir, 4, rv.rec, header + offsetof(struct abi_fault_data, epid), cur->epid);
	ir_store(ir, 4, rv.rec, header + offsetof(struct abi_fault_data, action),
		 fault_action(cg, cur->f_what));
	ir_storei(ir, 4, rv.rec, header + offsetof(struct abi_fault_data, offset), -1);
	ir_store(ir, 4, rv.rec, header + offsetof(struct abi_fault_data, fault),
		 fault_code(cg, cur->f_what));
	ir_store(ir, 8, rv.rec, header + offsetof(struct abi_fault_data, value), cur->f_value);
	rec_leave(cg, &rv);
	ir_place(ir, lost);
}

/* The clauses of ERROR, with the faulting clause's state put aside meanwhile. */
static void error_clauses(struct cg *cg)
{
	struct cg_cur saved = cg->cur;

	cg->e_epid = saved.epid;
	cg->e_epid_const = saved.epid_const;
	cg->e_what = saved.f_what;
	cg->e_value = saved.f_value;
	for (size_t i = 0; i < cg->g->nerror; i++) {
		ir_comment(cg->ir, "ERROR clause %zu", i + 1);
		cg_clause_emit(cg, cg->g->error_clauses[i], VREG_NONE, cg->g->error_epid[i], true);
	}
	cg->cur = saved;
}

void fault_handle(struct cg *cg)
{
	cg_account(cg, ABI_ACCT_FAULT);
	fault_record(cg);
	if (!cg->trial)
		error_clauses(cg);
}

/* Emitted behind the clause; ends in its next label by falling through. */
void fault_path_emit(struct cg *cg)
{
	if (cg->cur.in_error) {
		cg_account(cg, ABI_ACCT_FAULT);
		cg_count(cg, ABI_DROP_DBLERROR);
	} else if (cg->fault) {
		func_fault_call(cg);
	} else {
		fault_handle(cg);
	}
}
