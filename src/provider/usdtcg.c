/* SPDX-License-Identifier: BSD-2-Clause */
/* What programs of static probes do: find the row, read the operands of the place (provider/usdt.h). */
#include "provider/usdt.h"

#include <stdlib.h>

#include "provider/uprobe.h"

const struct sprobe *usdt_probe(const struct probe *probe)
{
	return ((struct usdt_data *)probe->provider->data)->probes.v[probe->data];
}

static struct follow *follow_of(const struct probe_group *g)
{
	return ((struct usdt_data *)g->provider->data)->follow;
}

bool usdt_is_confined(const struct probe_group *g)
{
	return uprobes_multi(g) && !follow_of(g);
}

static vreg usdt_prologue(struct cg *cg, vreg ctx, void *data, label out)
{
	const struct probe_group *g = data;
	struct ir *ir = cg_ir(cg);

	if (usdt_is_confined(g) && g->nrows == 1)
		return VREG_NONE;
	vreg row = ir_call(ir, BPF_FUNC_get_attach_cookie, 1, ctx);

	if (!usdt_is_confined(g)) {
		vreg want = ir_mov(ir, row);

		ir_alui(ir, IR_SHR, want, ROW_BITS + OPS_BITS);
		follow_check(cg, follow_of(g), want, out);
	}
	ir_alui(ir, IR_AND, row, (1 << ROW_BITS) - 1);
	return row;
}

/* Where the running thread's segment begins. The kernel keeps it for system calls and switches that set it. */
static vreg segment_base(struct cg *cg, char segment)
{
	struct ir *ir = cg_ir(cg);
	int off = kern_btf_member_offset("task_struct", segment == 'f' ? "thread.fsbase" : "thread.gsbase");

	return off < 0 ? ir_imm(ir, 0) : cg_read(cg, ir_call(ir, BPF_FUNC_get_current_task, 0), off, 8);
}

static void read_memory(struct cg *cg, vreg ctx, const struct note_arg *a, vreg to)
{
	struct ir *ir = cg_ir(cg);
	int at = cg_probe_stack(cg);
	vreg addr = ir_imm(ir, a->value);

	if (a->segment)
		ir_alu(ir, IR_ADD, addr, segment_base(cg, a->segment));
	if (a->reg >= 0)
		ir_alu(ir, IR_ADD, addr, ir_load(ir, 8, ctx, a->reg));
	if (a->index >= 0) {
		vreg index = ir_load(ir, 8, ctx, a->index);

		ir_alui(ir, IR_MUL, index, a->scale);
		ir_alu(ir, IR_ADD, addr, index);
	}
	ir_call(ir, BPF_FUNC_probe_read_user, 3, ir_stack(ir, at), ir_imm(ir, a->size), addr);
	ir_load_to(ir, to, a->size, ir_stack(ir, at), 0);
}

static void read_arg(struct cg *cg, vreg ctx, const struct note_arg *a, vreg to)
{
	struct ir *ir = cg_ir(cg);

	switch (a->kind) {
	case NOTE_ARG_NONE: ir_imm_to(ir, to, 0); return;
	case NOTE_ARG_CONST: ir_imm_to(ir, to, a->value); break;
	case NOTE_ARG_REG:
		ir_load_to(ir, to, 8, ctx, a->reg);
		if (a->shift)
			ir_alui(ir, IR_SHR, to, a->shift);
		break;
	case NOTE_ARG_MEM: read_memory(cg, ctx, a, to); break;
	}
	if (a->size < 8)
		ir_ext(ir, to, a->size, a->is_signed);
}

/* The operand texts that the group's places have, each once. */
static size_t group_operands(const struct probe_group *g, uint32_t *out, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < g->probes.n; i++) {
		const struct sprobe *sp = usdt_probe(g->probes.v[i]);

		for (size_t k = 0; k < sp->places.n; k++) {
			size_t j = 0;

			while (j < n && out[j] != sp->places.v[k].ops)
				j++;
			if (j == n && n < max)
				out[n++] = sp->places.v[k].ops;
		}
	}
	return n;
}

static const struct note_arg *operand(const struct usdt_data *ud, uint32_t ops, int n)
{
	static const struct note_arg none = { .reg = -1, .index = -1, .scale = 1 };

	return n < ud->operands.v[ops]->n ? &ud->operands.v[ops]->arg[n] : &none;
}

static vreg usdt_arg(struct cg *cg, vreg ctx, void *data, int n)
{
	const struct probe_group *g = data;
	const struct usdt_data *ud = g->provider->data;
	struct ir *ir = cg_ir(cg);
	vreg v = ir_vreg(ir), which = VREG_NONE;
	label done = ir_label(ir);
	uint32_t *ops = mem_alloc(sizeof(*ops) * ud->operands.n);
	size_t left = group_operands(g, ops, ud->operands.n);

	/* One operand after the other, each with all texts that have it here; the last needs no question. */
	while (left) {
		const struct note_arg *a = operand(ud, ops[0], n);
		label here = ir_label(ir), other = ir_label(ir);
		size_t others = 0;

		for (size_t i = 0; i < left; i++)
			others += !note_arg_same(a, operand(ud, ops[i], n));
		if (others && which == VREG_NONE) {
			which = ir_call(ir, BPF_FUNC_get_attach_cookie, 1, ctx);
			ir_alui(ir, IR_SHR, which, ROW_BITS);
			ir_alui(ir, IR_AND, which, (1 << OPS_BITS) - 1);
		}
		size_t keep = 0;

		for (size_t i = 0; i < left; i++) {
			if (n < ud->operands.v[ops[i]]->n && operand(ud, ops[i], n)->kind == NOTE_ARG_NONE)
				ud->operands.v[ops[i]]->asked |= 1u << n;
			if (!note_arg_same(a, operand(ud, ops[i], n)))
				ops[keep++] = ops[i];
			else if (others)
				ir_jcci(ir, IR_EQ, which, ops[i], here);
		}
		if (others)
			ir_jmp(ir, other);
		ir_place(ir, here);
		ir_comment(ir, "arg%d of %zu texts", n, left - keep);
		read_arg(cg, ctx, a, v);
		ir_jmp(ir, done);
		ir_place(ir, other);
		left = keep;
	}
	ir_place(ir, done);
	free(ops);
	return v;
}

static const struct cg_probe_ops multi_cg = {
	.prog_type = BPF_PROG_TYPE_KPROBE,
	.attach_type = (enum bpf_attach_type)KERN_UPROBE_MULTI,
	.prologue = usdt_prologue,
	.arg = usdt_arg,
};
static const struct cg_probe_ops perf_cg = {
	.prog_type = BPF_PROG_TYPE_KPROBE,
	.prologue = usdt_prologue,
	.arg = usdt_arg,
};

const struct cg_probe_ops *usdt_cg(void)
{
	return kern_feature(KERN_FEATURE_UPROBE_MULTI) ? &multi_cg : &perf_cg;
}
