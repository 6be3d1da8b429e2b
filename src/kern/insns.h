/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs of a few instructions, put together by hand. */
#ifndef KERN_INSNS_H
#define KERN_INSNS_H

#include <linux/bpf.h>
#include <stdint.h>

#define INSN(c, d, s, o, i) \
	((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })
#define MOV(d, s) INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define MOVI(d, i) INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADDI(d, i) INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define SHRI(d, i) INSN(BPF_ALU64 | BPF_RSH | BPF_K, d, 0, 0, i)
#define LOAD(size, d, s, o) INSN(BPF_LDX | BPF_MEM | (size), d, s, o, 0)
#define STORE(size, d, o, s) INSN(BPF_STX | BPF_MEM | (size), d, s, o, 0)
#define STOREI(size, d, o, i) INSN(BPF_ST | BPF_MEM | (size), d, 0, o, i)
#define CALL(f) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define EXIT() INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

struct insns {
	struct bpf_insn v[256];
	uint32_t n;
};

void insns_put(struct insns *c, struct bpf_insn insn);
/* src: 0, or BPF_PSEUDO_x with a descriptor as value. */
void insns_put_imm64(struct insns *c, int reg, int src, uint64_t value);
/* Jump over what is put until insns_land(): it takes what these give. */
uint32_t insns_jump_if(struct insns *c, int op, int reg, int32_t value);
uint32_t insns_jump_if_reg(struct insns *c, int op, int reg, int other);
void insns_land(struct insns *c, uint32_t from);
/* reg = the process that runs; changes registers 0 to 5, and the stack from -80 to -64. */
void insns_put_process(struct insns *c, int reg);
/* reg = the process, not the thread, of the task that reg `task` points to; as above. Both are numbers of our pid namespace. */
void insns_put_process_of(struct insns *c, int reg, int task);
/* size bytes of the kernel at reg (0, 6 to 9) + offset, copied to the stack at `at`; changes registers 0 to 5. */
void insns_put_read(struct insns *c, int reg, int offset, int size, int at);
/* r0 = the number of size bytes at r0 + offset; changes registers 1 to 5, and the stack from -72 to -64. */
void insns_put_word(struct insns *c, uint32_t offset, int size);
/* Ends the program with 0 and loads it: a descriptor or negative errno. */
int insns_load(struct insns *c, enum bpf_prog_type type, int attach_type, const char *name);

#endif
