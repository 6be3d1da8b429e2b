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

/* Stack of our own. */
#define AT_WORD (-72)
#define AT_PID (-80)

void insns_put_read(struct insns *c, int reg, int offset, int size, int at)
{
	insns_put(c, MOV(BPF_REG_1, BPF_REG_10));
	insns_put(c, ADDI(BPF_REG_1, at));
	insns_put(c, MOVI(BPF_REG_2, size));
	insns_put(c, MOV(BPF_REG_3, reg));
	insns_put(c, ADDI(BPF_REG_3, offset));
	insns_put(c, CALL(BPF_FUNC_probe_read_kernel));
}

void insns_put_word(struct insns *c, uint32_t offset, int size)
{
	insns_put(c, STOREI(BPF_DW, BPF_REG_10, AT_WORD, 0));
	insns_put_read(c, BPF_REG_0, (int)offset, size, AT_WORD);
	insns_put(c, LOAD(BPF_DW, BPF_REG_0, BPF_REG_10, AT_WORD));
}

/* r0: a task, then the number of its process in the namespace, or 0. */
static void put_number(struct insns *c, const struct abi_pidns *p)
{
	uint32_t above, other, done;

	insns_put_word(c, p->signal, 8);
	insns_put_word(c, p->process, 8);
	insns_put(c, STORE(BPF_DW, BPF_REG_10, AT_PID, BPF_REG_0));
	insns_put_word(c, p->pid_level, 4);
	above = insns_jump_if(c, BPF_JLT, BPF_REG_0, (int32_t)p->level);
	insns_put(c, LOAD(BPF_DW, BPF_REG_0, BPF_REG_10, AT_PID));
	insns_put_word(c, p->at_ns, 8);
	insns_put_imm64(c, BPF_REG_1, 0, p->ns);
	other = insns_jump_if_reg(c, BPF_JNE, BPF_REG_0, BPF_REG_1);
	insns_put(c, LOAD(BPF_DW, BPF_REG_0, BPF_REG_10, AT_PID));
	insns_put_word(c, p->nr, 4);
	done = insns_jump_if(c, BPF_JA, 0, 0);
	insns_land(c, above);
	insns_land(c, other);
	insns_put(c, MOVI(BPF_REG_0, 0));
	insns_land(c, done);
}

void insns_put_process(struct insns *c, int reg)
{
	const struct abi_pidns *p = kern_pidns();

	insns_put(c, CALL(p ? BPF_FUNC_get_current_task : BPF_FUNC_get_current_pid_tgid));
	if (p)
		put_number(c, p);
	insns_put(c, MOV(reg, BPF_REG_0));
	if (!p)
		insns_put(c, SHRI(reg, 32));
}

void insns_put_process_of(struct insns *c, int reg, int task)
{
	const struct abi_pidns *p = kern_pidns();

	insns_put(c, MOV(BPF_REG_0, task));
	if (p)
		put_number(c, p);
	else
		insns_put_word(c, (uint32_t)MAX(kern_btf_member_offset("task_struct", "tgid"), 0), 4);
	insns_put(c, MOV(reg, BPF_REG_0));
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
