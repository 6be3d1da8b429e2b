/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints a program as the kernel gets it, one instruction a line, with the comments of the IR
 * beside it.
 */
#include "codegen/bpf_impl.h"

#include <bpf/btf.h>

static const char *const alu[] = {
	"+=", "-=", "*=", "/=", "|=", "&=", "<<=", ">>=", "neg", "%=", "^=", "=", "s>>=", "swap",
};

static const char *const jcc[] = {
	"goto", "==", ">", ">=", "&", "!=", "s>", "s>=", "call", "exit", "<", "<=", "s<", "s<=",
};

static const char *size_name(uint8_t code)
{
	switch (BPF_SIZE(code)) {
	case BPF_B: return "u8";
	case BPF_H: return "u16";
	case BPF_W: return "u32";
	default: return "u64";
	}
}

static void print_alu(const struct bpf_insn *in, FILE *out)
{
	char r = BPF_CLASS(in->code) == BPF_ALU64 ? 'r' : 'w';
	unsigned int op = BPF_OP(in->code) >> 4;

	if (op == BPF_NEG >> 4)
		fprintf(out, "%c%d = -%c%d", r, in->dst_reg, r, in->dst_reg);
	else if (op == BPF_END >> 4)
		fprintf(out, "r%d = %s%d r%d", in->dst_reg,
			BPF_SRC(in->code) == BPF_TO_BE ? "be" : "le", in->imm, in->dst_reg);
	else if (op >= ARRAY_SIZE(alu))
		fprintf(out, "code 0x%02x", in->code);
	else if (BPF_SRC(in->code) == BPF_X)
		fprintf(out, "%c%d %s %c%d", r, in->dst_reg, alu[op], r, in->src_reg);
	else
		fprintf(out, "%c%d %s %d", r, in->dst_reg, alu[op], in->imm);
}

static void print_call(const struct bpf_insn *in, unsigned int at, FILE *out)
{
	if (in->src_reg == BPF_PSEUDO_KFUNC_CALL)
		fprintf(out, "call kernel#%d", in->imm);
	else if (in->src_reg == BPF_PSEUDO_CALL)
		fprintf(out, "call %d", (int)at + in->imm + 1);
	else
		fprintf(out, "call helper#%d", in->imm);
}

static void print_jump(const struct bpf_insn *in, unsigned int at, FILE *out)
{
	char r = BPF_CLASS(in->code) == BPF_JMP ? 'r' : 'w';
	unsigned int op = BPF_OP(in->code) >> 4;
	int to = (int)at + in->off + 1;

	if (op == BPF_CALL >> 4)
		print_call(in, at, out);
	else if (op == BPF_EXIT >> 4)
		fprintf(out, "exit");
	else if (op == BPF_JA >> 4)
		fprintf(out, "goto %d", to);
	else if (op >= ARRAY_SIZE(jcc))
		fprintf(out, "code 0x%02x", in->code);
	else if (BPF_SRC(in->code) == BPF_X)
		fprintf(out, "if %c%d %s %c%d goto %d", r, in->dst_reg, jcc[op], r, in->src_reg,
			to);
	else
		fprintf(out, "if %c%d %s %d goto %d", r, in->dst_reg, jcc[op], in->imm, to);
}

static void print_atomic(const struct bpf_insn *in, FILE *out)
{
	const char *size = size_name(in->code);
	int d = in->dst_reg, s = in->src_reg, off = in->off;

	switch (in->imm) {
	case BPF_CMPXCHG:
		fprintf(out, "r0 = cmpxchg %s(r%d %+d), r0 -> r%d", size, d, off, s);
		break;
	case BPF_XCHG: fprintf(out, "r%d = exchange %s(r%d %+d), r%d", s, size, d, off, s); break;
	default:
		if (in->imm & BPF_FETCH)
			fprintf(out, "r%d = fetch ", s);
		fprintf(out, "atomic %s(r%d %+d) %s r%d", size, d, off, alu[BPF_OP(in->imm) >> 4],
			s);
		break;
	}
}

static void print_imm64(const struct bpf_insn *in, FILE *out)
{
	switch (in->src_reg) {
	case BPF_PSEUDO_MAP_FD: fprintf(out, "r%d = map fd %d", in->dst_reg, in->imm); break;
	case BPF_PSEUDO_MAP_VALUE:
		fprintf(out, "r%d = value of map fd %d + %d", in->dst_reg, in->imm, in[1].imm);
		break;
	case BPF_PSEUDO_FUNC: fprintf(out, "r%d = function %+d", in->dst_reg, in->imm + 1); break;
	default:
		fprintf(out, "r%d = 0x%llx", in->dst_reg,
			(unsigned long long)(uint32_t)in[1].imm << 32 | (uint32_t)in->imm);
		break;
	}
}

static void print_insn(const struct bpf_insn *in, unsigned int at, FILE *out)
{
	const char *size = size_name(in->code);

	switch (BPF_CLASS(in->code)) {
	case BPF_ALU:
	case BPF_ALU64: print_alu(in, out); break;
	case BPF_JMP:
	case BPF_JMP32: print_jump(in, at, out); break;
	case BPF_LD: print_imm64(in, out); break;
	case BPF_LDX:
		fprintf(out, "r%d = %s(r%d %+d)", in->dst_reg, size, in->src_reg, in->off);
		break;
	case BPF_ST: fprintf(out, "%s(r%d %+d) = %d", size, in->dst_reg, in->off, in->imm); break;
	case BPF_STX:
		if (BPF_MODE(in->code) == BPF_ATOMIC)
			print_atomic(in, out);
		else
			fprintf(out, "%s(r%d %+d) = r%d", size, in->dst_reg, in->off, in->src_reg);
		break;
	}
}

/* The function that begins here, or NULL. */
static const char *function_at(const struct bpf_code *c, const struct btf *btf, unsigned int at)
{
	unsigned int i;

	for (i = 0; i < c->nfuncs; i++)
		if (c->funcs[i].insn_off == at)
			return btf__name_by_offset(
				btf, btf__type_by_id(btf, c->funcs[i].type_id)->name_off);
	return NULL;
}

void bpf_disasm(const struct bpf_code *c, FILE *out)
{
	struct btf *btf = btf__new(c->btf, c->btf_size);
	const char *name;
	unsigned int i;

	for (i = 0; i < c->n; i++) {
		if (btf && (name = function_at(c, btf, i)) != NULL)
			fprintf(out, "%s:\n", name);
		if (i < c->nmain && c->notes && c->notes[i])
			fprintf(out, "\t; %s\n", c->notes[i]);
		fprintf(out, "%4u: ", i);
		print_insn(&c->insns[i], i, out);
		fputc('\n', out);
		if (c->insns[i].code == (BPF_LD | BPF_DW | BPF_IMM))
			i++;
	}
	btf__free(btf);
}
