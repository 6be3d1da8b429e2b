/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs of a few instructions (kern/insns.h). */
#include "kern/insns.h"

#include <assert.h>

#include "base/mem.h"
#include "kern/kern.h"

void insns_put(struct insns *c, struct bpf_insn insn)
{
	assert(c->n < ARRAY_SIZE(c->v));
	c->v[c->n++] = insn;
}

void insns_put_imm64(struct insns *c, int reg, int src, uint64_t value)
{
	insns_put(c, INSN(BPF_LD | BPF_DW | BPF_IMM, reg, src, 0, (int32_t)value));
	insns_put(c, INSN(0, 0, 0, 0, (int32_t)(value >> 32)));
}

uint32_t insns_jump_if(struct insns *c, int op, int reg, int32_t value)
{
	insns_put(c, INSN(BPF_JMP | op | BPF_K, reg, 0, 0, value));
	return c->n - 1;
}

uint32_t insns_jump_if_reg(struct insns *c, int op, int reg, int other)
{
	insns_put(c, INSN(BPF_JMP | op | BPF_X, reg, other, 0, 0));
	return c->n - 1;
}

void insns_land(struct insns *c, uint32_t from)
{
	c->v[from].off = c->n - from - 1;
}

void insns_put_process(struct insns *c, int reg)
{
	insns_put(c, CALL(BPF_FUNC_get_current_pid_tgid));
	insns_put(c, MOV(reg, BPF_REG_0));
	insns_put(c, SHRI(reg, 32));
}

void insns_put_task_number(struct insns *c, int reg, int offset, int at)
{
	insns_put(c, MOV(BPF_REG_1, BPF_REG_10));
	insns_put(c, ADDI(BPF_REG_1, at));
	insns_put(c, MOVI(BPF_REG_2, 4));
	insns_put(c, MOV(BPF_REG_3, reg));
	insns_put(c, ADDI(BPF_REG_3, offset));
	insns_put(c, CALL(BPF_FUNC_probe_read_kernel));
}

int insns_load(struct insns *c, enum bpf_prog_type type, int attach_type, const char *name)
{
	struct kern_prog_attr attr = {
		.type = type,
		.expected_attach_type = (enum bpf_attach_type)attach_type,
		.name = name,
		.insns = c->v,
	};

	insns_put(c, MOVI(BPF_REG_0, 0));
	insns_put(c, EXIT());
	attr.insn_cnt = c->n;
	return kern_prog_load(&attr);
}
