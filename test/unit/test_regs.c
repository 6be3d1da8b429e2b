/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Register allocation, assembly and linking: random IR is run by an interpreter of IR, and its
 * BPF by an interpreter of BPF that refuses what the verifier would: registers and stack that
 * were not written, code that cannot be reached. Both must leave the same memory, call helpers
 * alike and return the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "codegen/bpf.h"

#define MEM 256		 /* bytes of the context, of the map's value and of the stack area */
#define FAKE_FD 77	 /* of map globals */
#define LOOKUP_HELPER 1	 /* gives the map's value or NULL */
#define SEED_HELPER 1000 /* helpers from here on are made up: any arguments, any result */

struct world { /* what a program can change */
	uint8_t ctx[MEM], value[MEM];
	uint64_t calls; /* hash of helpers called and their arguments */
};

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 31;
}

static uint64_t rng_state;

static uint32_t rnd(uint32_t n)
{
	rng_state = mix(rng_state, 0x1234567);
	return (uint32_t)(rng_state >> 20) % n;
}

static uint64_t rnd_value(void)
{
	switch (rnd(6)) {
	case 0: return rnd(4);
	case 1: return -(uint64_t)rnd(70);
	case 2: return 1ull << rnd(64);
	case 3: return rnd_value() << 32 | rnd(1000);
	default: rnd(2); return rng_state;
	}
}

static uint64_t helper(struct world *w, int id, int nargs, const uint64_t *args)
{
	uint64_t h = mix(w->calls, id);
	int i;

	for (i = 0; i < nargs; i++)
		h = mix(h, args[i]);
	w->calls = h;
	return mix(h, 5);
}

static uint64_t extend(uint64_t v, int size, bool is_signed)
{
	int shift = 64 - size * 8;

	return is_signed ? (uint64_t)((int64_t)(v << shift) >> shift) : v << shift >> shift;
}

static uint64_t load(const void *p, int size)
{
	uint64_t v = 0;

	memcpy(&v, p, size); /* little-endian machines */
	return v;
}

static uint64_t swap(uint64_t v, int size)
{
	return __builtin_bswap64(v) >> (64 - size * 8);
}

/* ---- IR ---- */

static uint64_t ir_alu_run(enum ir_alu op, uint64_t d, uint64_t a)
{
	switch (op) {
	case IR_ADD: return d + a;
	case IR_SUB: return d - a;
	case IR_MUL: return d * a;
	case IR_UDIV: return a ? d / a : 0;
	case IR_UMOD: return a ? d % a : d;
	case IR_AND: return d & a;
	case IR_OR: return d | a;
	case IR_XOR: return d ^ a;
	case IR_SHL: return d << (a & 63);
	case IR_SHR: return d >> (a & 63);
	case IR_SAR: return (int64_t)d >> (a & 63);
	}
	return 0;
}

static bool ir_cond_run(enum ir_cond c, uint64_t a, uint64_t b)
{
	int64_t sa = a, sb = b;

	switch (c) {
	case IR_EQ: return a == b;
	case IR_NE: return a != b;
	case IR_ULT: return a < b;
	case IR_ULE: return a <= b;
	case IR_UGT: return a > b;
	case IR_UGE: return a >= b;
	case IR_SLT: return sa < sb;
	case IR_SLE: return sa <= sb;
	case IR_SGT: return sa > sb;
	case IR_SGE: return sa >= sb;
	case IR_SET: return a & b;
	}
	return false;
}

static uint64_t routine(const char *sym, uint64_t a, uint64_t b)
{
	if (!strcmp(sym, "rt_sdiv"))
		return b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
	assert_string_equal(sym, "rt_smod");
	return b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
}

static uint64_t ir_call_run(struct world *w, const struct ir_insn *in, const uint64_t *v)
{
	uint64_t args[IR_MAXARGS];
	int i;

	for (i = 0; i < in->nargs; i++)
		args[i] = v[in->args[i]];
	if (in->op == IR_OP_CALLRT)
		return routine(in->sym, args[0], args[1]);
	if (in->imm == LOOKUP_HELPER)
		return load((void *)(uintptr_t)args[1], 4) < 100 ? (uintptr_t)w->value : 0;
	return helper(w, in->imm, in->nargs, args);
}

static uint64_t atomic_run(struct world *w, const struct ir_insn *in, const uint64_t *v)
{
	uint64_t *p = (uint64_t *)(uintptr_t)(v[in->a] + in->off), old = *p;

	(void)w;
	switch (in->op) {
	case IR_OP_FETCH: *p += v[in->b]; break;
	case IR_OP_XCHG: *p = v[in->b]; break;
	case IR_OP_CMPXCHG:
		if (old == v[in->b])
			*p = v[in->c];
		break;
	default:
		*p = in->sub == IR_ATOMIC_ADD  ? old + v[in->b]
		     : in->sub == IR_ATOMIC_OR ? old | v[in->b]
					       : old & v[in->b];
		break;
	}
	return old;
}

static uint64_t ir_run(const struct ir *ir, struct world *w)
{
	uint64_t *v = mem_alloc((ir->nvregs + 1) * sizeof(*v)), ret;
	static uint64_t stack[64];
	size_t *labels = mem_alloc((ir->nlabels + 1) * sizeof(*labels)), pc;

	for (pc = 0; pc < ir->v.n; pc++)
		if (ir->v.v[pc].op == IR_OP_LABEL)
			labels[ir->v.v[pc].lab] = pc;
	for (pc = 0;; pc++) {
		const struct ir_insn *in = &ir->v.v[pc];

		assert_true(pc < ir->v.n);
		switch (in->op) {
		case IR_OP_LABEL:
		case IR_OP_COMMENT: break;
		case IR_OP_IMM: v[in->d] = in->imm; break;
		case IR_OP_MOV: v[in->d] = v[in->a]; break;
		case IR_OP_ALU: v[in->d] = ir_alu_run(in->sub, v[in->d], v[in->a]); break;
		case IR_OP_ALUI: v[in->d] = ir_alu_run(in->sub, v[in->d], in->imm); break;
		case IR_OP_NEG: v[in->d] = -v[in->d]; break;
		case IR_OP_EXT: v[in->d] = extend(v[in->d], in->size, in->is_signed); break;
		case IR_OP_BSWAP: v[in->d] = swap(v[in->d], in->size); break;
		case IR_OP_LOAD:
			v[in->d] = load((char *)(uintptr_t)v[in->a] + in->off, in->size);
			break;
		case IR_OP_STORE:
			memcpy((char *)(uintptr_t)v[in->a] + in->off, &v[in->b], in->size);
			break;
		case IR_OP_STOREI:
			memcpy((char *)(uintptr_t)v[in->a] + in->off, &in->imm, in->size);
			break;
		case IR_OP_ATOMIC: atomic_run(w, in, v); break;
		case IR_OP_FETCH:
		case IR_OP_XCHG:
		case IR_OP_CMPXCHG: v[in->d] = atomic_run(w, in, v); break;
		case IR_OP_MAPFD: v[in->d] = FAKE_FD; break;
		case IR_OP_MAPVAL: v[in->d] = (uintptr_t)w->value + in->imm; break;
		case IR_OP_STACK: v[in->d] = (uintptr_t)(stack + 64) + in->imm; break;
		case IR_OP_CALL:
		case IR_OP_KCALL:
		case IR_OP_CALLRT: v[in->d] = ir_call_run(w, in, v); break;
		case IR_OP_JMP: pc = labels[in->lab]; break;
		case IR_OP_JCC:
			if (ir_cond_run(in->sub, v[in->a], v[in->b]))
				pc = labels[in->lab];
			break;
		case IR_OP_JCCI:
			if (ir_cond_run(in->sub, v[in->a], in->imm))
				pc = labels[in->lab];
			break;
		case IR_OP_ARG: v[in->d] = (uintptr_t)w->ctx; break;
		case IR_OP_EXIT:
			ret = (uint32_t)in->imm;
			free(v);
			free(labels);
			return ret;
		}
	}
}

/* ---- BPF ---- */

struct machine {
	const struct bpf_insn *insns;
	unsigned int n;
	struct world *w;
	bool *reached;
};

struct frame {
	uint64_t r[11];
	unsigned int set; /* registers that have a value */
	uint64_t stack[64];
	uint8_t stack_set[512];
};

static uint64_t get(const struct frame *f, int reg)
{
	if (!(f->set >> reg & 1))
		fail_msg("r%d is read before it is written", reg);
	return f->r[reg];
}

static void put(struct frame *f, int reg, uint64_t v)
{
	assert_true(reg < 10);
	f->r[reg] = v;
	f->set |= 1u << reg;
}

static void clobber(struct frame *f)
{
	f->set &= ~0x3fu;
	for (int i = 0; i <= 5; i++)
		f->r[i] = 0xbadbadbadbadbadull;
}

/* Checks bounds of known memory and that stack which is read was written. */
static void *access(struct machine *m, struct frame *f, uint64_t addr, int size, bool reads)
{
	uint64_t off = addr - (uintptr_t)f->stack;
	int i;

	if (addr - (uintptr_t)m->w->ctx <= (uint64_t)(MEM - size) ||
	    addr - (uintptr_t)m->w->value <= (uint64_t)(MEM - size))
		return (void *)(uintptr_t)addr;
	if (off > (uint64_t)(512 - size))
		fail_msg("access to wild memory");
	if (off % size)
		fail_msg("unaligned access to the stack");
	for (i = 0; i < size; i++) {
		if (reads && !f->stack_set[off + i])
			fail_msg("stack is read before it is written");
		f->stack_set[off + i] = 1;
	}
	return (void *)(uintptr_t)addr;
}

static uint64_t bpf_alu_run(const struct bpf_insn *in, uint64_t d, uint64_t s, bool wide)
{
	int mask = wide ? 63 : 31;

	if (!wide) {
		d = (uint32_t)d;
		s = (uint32_t)s;
	}
	switch (BPF_OP(in->code)) {
	case BPF_ADD: return d + s;
	case BPF_SUB: return d - s;
	case BPF_MUL: return d * s;
	case BPF_DIV: return s ? d / s : 0;
	case BPF_MOD: return s ? d % s : d;
	case BPF_OR: return d | s;
	case BPF_AND: return d & s;
	case BPF_XOR: return d ^ s;
	case BPF_LSH: return d << (s & mask);
	case BPF_RSH: return d >> (s & mask);
	case BPF_ARSH:
		return wide ? (uint64_t)((int64_t)d >> (s & mask))
			    : (uint64_t)((int32_t)d >> (s & mask));
	case BPF_MOV: return s;
	case BPF_NEG: return -d;
	default: fail_msg("unknown operation 0x%x", in->code); return 0;
	}
}

static bool bpf_cond_run(const struct bpf_insn *in, uint64_t a, uint64_t b)
{
	int64_t sa = a, sb = b;

	if (BPF_CLASS(in->code) == BPF_JMP32) {
		a = (uint32_t)a;
		b = (uint32_t)b;
		sa = (int32_t)a;
		sb = (int32_t)b;
	}
	switch (BPF_OP(in->code)) {
	case BPF_JEQ: return a == b;
	case BPF_JNE: return a != b;
	case BPF_JGT: return a > b;
	case BPF_JGE: return a >= b;
	case BPF_JLT: return a < b;
	case BPF_JLE: return a <= b;
	case BPF_JSGT: return sa > sb;
	case BPF_JSGE: return sa >= sb;
	case BPF_JSLT: return sa < sb;
	case BPF_JSLE: return sa <= sb;
	case BPF_JSET: return a & b;
	default: fail_msg("unknown jump 0x%x", in->code); return false;
	}
}

static void run_alu(struct frame *f, const struct bpf_insn *in)
{
	bool wide = BPF_CLASS(in->code) == BPF_ALU64;
	uint64_t s, d = 0;

	if (BPF_OP(in->code) == BPF_END) {
		assert_int_equal(in->code, BPF_ALU | BPF_END | BPF_TO_BE);
		put(f, in->dst_reg, swap(get(f, in->dst_reg), in->imm / 8));
		return;
	}
	s = BPF_SRC(in->code) == BPF_X ? get(f, in->src_reg) : (uint64_t)(int64_t)in->imm;
	if (BPF_OP(in->code) != BPF_MOV)
		d = get(f, in->dst_reg);
	d = bpf_alu_run(in, d, s, wide);
	put(f, in->dst_reg, wide ? d : (uint32_t)d);
}

static void run_atomic(struct machine *m, struct frame *f, const struct bpf_insn *in)
{
	uint64_t *p = access(m, f, get(f, in->dst_reg) + in->off, 8, true), old = *p;
	uint64_t s = get(f, in->src_reg);

	assert_int_equal(BPF_SIZE(in->code), BPF_DW);
	switch (in->imm) {
	case BPF_CMPXCHG:
		if (old == get(f, 0))
			*p = s;
		put(f, 0, old);
		return;
	case BPF_XCHG: *p = s; break;
	case BPF_ADD:
	case BPF_ADD | BPF_FETCH: *p += s; break;
	case BPF_OR: *p |= s; break;
	case BPF_AND: *p &= s; break;
	default: fail_msg("unknown atomic 0x%x", in->imm);
	}
	if (in->imm & BPF_FETCH)
		put(f, in->src_reg, old);
}

static uint64_t bpf_run(struct machine *m, unsigned int pc, const uint64_t *args, int nargs);

static void run_call(struct machine *m, struct frame *f, const struct bpf_insn *in, unsigned int pc)
{
	uint64_t args[5] = { 0 }, ret;
	int i, n = 0;

	if (in->src_reg == BPF_PSEUDO_CALL) {
		ret = bpf_run(m, pc + in->imm + 1, &f->r[1], 5);
	} else if (in->imm == LOOKUP_HELPER) {
		assert_int_equal(get(f, 1), FAKE_FD);
		ret = *(uint32_t *)access(m, f, get(f, 2), 4, true) < 100 ? (uintptr_t)m->w->value
									  : 0;
	} else {
		n = in->imm % 10; /* made-up helpers tell the number of their arguments */
		for (i = 0; i < n; i++)
			args[i] = get(f, 1 + i);
		ret = helper(m->w, in->imm, n, args);
	}
	clobber(f);
	put(f, 0, ret);
}

static int bpf_size(const struct bpf_insn *in)
{
	switch (BPF_SIZE(in->code)) {
	case BPF_B: return 1;
	case BPF_H: return 2;
	case BPF_W: return 4;
	default: return 8;
	}
}

static void run_imm64(struct machine *m, struct frame *f, const struct bpf_insn *in)
{
	uint64_t v = (uint64_t)(uint32_t)in[1].imm << 32 | (uint32_t)in->imm;

	if (in->src_reg == BPF_PSEUDO_MAP_VALUE) {
		assert_int_equal(in->imm, FAKE_FD);
		v = (uintptr_t)m->w->value + in[1].imm;
	} else if (in->src_reg == BPF_PSEUDO_MAP_FD) {
		v = in->imm;
	}
	put(f, in->dst_reg, v);
}

/* Returns at exit. */
static uint64_t bpf_run(struct machine *m, unsigned int pc, const uint64_t *args, int nargs)
{
	struct frame f;
	int i, size;

	memset(&f, 0xa5, sizeof(f));
	memset(f.stack_set, 0, sizeof(f.stack_set));
	f.set = 1u << 10;
	f.r[10] = (uintptr_t)(f.stack + 64);
	for (i = 0; i < nargs; i++)
		put(&f, 1 + i, args[i]);
	for (;; pc++) {
		const struct bpf_insn *in = &m->insns[pc];

		assert_true(pc < m->n);
		m->reached[pc] = true;
		size = bpf_size(in);
		switch (BPF_CLASS(in->code)) {
		case BPF_ALU:
		case BPF_ALU64: run_alu(&f, in); break;
		case BPF_LD:
			run_imm64(m, &f, in);
			pc++;
			break;
		case BPF_LDX:
			put(&f, in->dst_reg,
			    load(access(m, &f, get(&f, in->src_reg) + in->off, size, true), size));
			break;
		case BPF_ST: {
			int64_t v = in->imm;

			memcpy(access(m, &f, get(&f, in->dst_reg) + in->off, size, false), &v,
			       size);
			break;
		}
		case BPF_STX: {
			uint64_t v = get(&f, in->src_reg);

			if (BPF_MODE(in->code) == BPF_ATOMIC) {
				run_atomic(m, &f, in);
				break;
			}
			memcpy(access(m, &f, get(&f, in->dst_reg) + in->off, size, false), &v,
			       size);
			break;
		}
		default:
			if (in->code == (BPF_JMP | BPF_EXIT))
				return get(&f, 0);
			if (in->code == (BPF_JMP | BPF_CALL)) {
				run_call(m, &f, in, pc);
				break;
			}
			if (in->code == (BPF_JMP | BPF_JA) ||
			    bpf_cond_run(in, get(&f, in->dst_reg),
					 BPF_SRC(in->code) == BPF_X ? get(&f, in->src_reg)
								    : (uint64_t)(int64_t)in->imm))
				pc += in->off;
			break;
		}
	}
}

/* What the verifier looks at before it runs anything: every instruction can be reached. */
static void cfg_check(const struct bpf_code *c)
{
	bool *mark = mem_alloc(c->nmain + 1);
	unsigned int i;

	mark[0] = true;
	for (i = 0; i < c->nmain; i++) {
		const struct bpf_insn *in = &c->insns[i];
		int class = BPF_CLASS(in->code), op = BPF_OP(in->code);

		if (!mark[i])
			fail_msg("instruction %u cannot be reached", i);
		if (in->code == (BPF_LD | BPF_DW | BPF_IMM)) {
			mark[++i] = true;
			mark[i + 1] = true;
			continue;
		}
		if (class == BPF_JMP && op != BPF_CALL && op != BPF_EXIT) {
			assert_true(in->off >= 0 && i + in->off + 1 < c->nmain);
			mark[i + in->off + 1] = true;
		}
		if (class == BPF_JMP && (op == BPF_EXIT || op == BPF_JA))
			continue;
		assert_true(i + 1 < c->nmain);
		mark[i + 1] = true;
	}
	free(mark);
}

/* ---- random programs ---- */

struct gen {
	struct ir ir;
	vreg vals[4096], ptrs[256];
	size_t nvals, nptrs;
	int budget; /* instructions still to be made */
	int far;    /* per cent of operands that are taken from anywhere, not from the last few */
	label out;
};

static vreg any(struct gen *g)
{
	if (rnd(100) < (uint32_t)g->far || g->nvals < 4)
		return g->vals[rnd(g->nvals)];
	return g->vals[g->nvals - 1 - rnd(4)];
}

static void have(struct gen *g, vreg v)
{
	if (g->nvals < ARRAY_SIZE(g->vals))
		g->vals[g->nvals++] = v;
}

static vreg pointer(struct gen *g)
{
	return g->ptrs[rnd(g->nptrs)];
}

static void gen_call(struct gen *g)
{
	int n = rnd(6), id = SEED_HELPER + 10 * rnd(50) + n;
	vreg a[5], d;

	for (int i = 0; i < 5; i++)
		a[i] = any(g);
	d = ir_call(&g->ir, id, n, a[0], a[1], a[2], a[3], a[4]);
	if (rnd(4))
		have(g, d);
}

static void gen_routine(struct gen *g)
{
	vreg b = ir_mov(&g->ir, any(g));

	ir_alui(&g->ir, IR_OR, b, 1); /* not 0 */
	have(g, ir_callrt(&g->ir, rnd(2) ? "rt_sdiv" : "rt_smod", 2, any(g), b));
}

static void gen_lookup(struct gen *g)
{
	vreg p, d = ir_vreg(&g->ir);
	label fail = ir_label(&g->ir), end = ir_label(&g->ir);

	p = ir_map_elem(&g->ir, CG_MAP_GLOBALS, any(g), fail);
	ir_load_to(&g->ir, d, 8, p, 8 * rnd(MEM / 8));
	if (rnd(2))
		ir_store(&g->ir, 4, p, 4 * rnd(MEM / 4), any(g));
	ir_jmp(&g->ir, end);
	ir_place(&g->ir, fail);
	ir_imm_to(&g->ir, d, rnd(1000));
	ir_place(&g->ir, end);
	have(g, d);
}

static void gen_memory(struct gen *g)
{
	int size = 1 << rnd(4), off = size * rnd(32 / size);
	vreg p = pointer(g);

	switch (rnd(7)) {
	case 0: ir_store(&g->ir, size, p, off, any(g)); break;
	case 1: ir_storei(&g->ir, size, p, off, rnd_value()); break;
	case 2: ir_atomic(&g->ir, rnd(3), p, off & 24, any(g)); break;
	case 3: have(g, ir_fetch_add(&g->ir, p, off & 24, any(g))); break;
	case 4: have(g, ir_xchg(&g->ir, p, off & 24, any(g))); break;
	case 5:
		have(g, ir_cmpxchg(&g->ir, p, off & 24,
				   rnd(2) ? any(g) : ir_load(&g->ir, 8, p, off & 24), any(g)));
		break;
	default: have(g, ir_load(&g->ir, size, p, off)); break;
	}
}

static void gen_compute(struct gen *g)
{
	vreg d;

	if (rnd(5) == 0) {
		have(g, ir_imm(&g->ir, rnd_value()));
		return;
	}
	d = rnd(4) ? ir_mov(&g->ir, any(g)) : any(g);
	switch (rnd(6)) {
	case 0: ir_alui(&g->ir, rnd(IR_SAR + 1), d, rnd_value()); break;
	case 1: ir_neg(&g->ir, d); break;
	case 2: ir_ext(&g->ir, d, 1 << rnd(4), rnd(2)); break;
	case 3: ir_bswap(&g->ir, d, 1 << rnd(4)); break;
	default: ir_alu(&g->ir, rnd(IR_SAR + 1), d, any(g)); break;
	}
	have(g, d);
}

static void gen_block(struct gen *g, int depth);

static void gen_jump(struct gen *g, label l)
{
	if (rnd(2))
		ir_jcc(&g->ir, rnd(IR_SET + 1), any(g), any(g), l);
	else
		ir_jcci(&g->ir, rnd(IR_SET + 1), any(g), rnd_value(), l);
}

/* Both arms set d; what else they set is theirs alone. */
static void gen_if(struct gen *g, int depth)
{
	label other = ir_label(&g->ir), end = ir_label(&g->ir);
	size_t nvals = g->nvals;
	vreg d = ir_vreg(&g->ir);

	gen_jump(g, other);
	gen_block(g, depth + 1);
	ir_mov_to(&g->ir, d, any(g));
	g->nvals = nvals;
	ir_jmp(&g->ir, end);
	ir_place(&g->ir, other);
	if (rnd(8) == 0) {
		ir_exit(&g->ir, rnd(100)); /* and what follows cannot be reached */
		ir_imm_to(&g->ir, d, 3);
	} else {
		gen_block(g, depth + 1);
		if (rnd(2))
			ir_mov_to(&g->ir, d, any(g));
		else
			ir_imm_to(&g->ir, d, rnd_value());
	}
	g->nvals = nvals;
	ir_place(&g->ir, end);
	have(g, d);
}

static void gen_block(struct gen *g, int depth)
{
	int n = 1 + rnd(12);

	while (n-- > 0 && g->budget > 0) {
		g->budget--;
		switch (rnd(14)) {
		case 0: gen_call(g); break;
		case 1:
			if (rnd(3) == 0)
				gen_lookup(g);
			else
				gen_routine(g);
			break;
		case 2:
			if (depth < 5)
				gen_if(g, depth);
			break;
		case 3:
			if (rnd(4) == 0)
				gen_jump(g, g->out);
			break;
		case 4:
		case 5:
		case 6:
		case 7: gen_memory(g); break;
		default: gen_compute(g); break;
		}
	}
}

static void gen_program(struct gen *g, struct arena *arena, int size, int far)
{
	int i, where;

	memset(g, 0, sizeof(*g));
	g->budget = size;
	g->far = far;
	ir_init(&g->ir, arena);
	g->out = ir_label(&g->ir);
	g->ptrs[g->nptrs++] = ir_arg(&g->ir, 0);
	if (rnd(2))
		g->ptrs[g->nptrs++] = ir_mapval(&g->ir, CG_MAP_GLOBALS, 64);
	if (rnd(2)) {
		where = ir_stack_alloc(&g->ir, 32);
		g->ptrs[g->nptrs++] = ir_stack(&g->ir, where);
		for (i = 0; i < 4; i++)
			ir_storei(&g->ir, 8, g->ptrs[g->nptrs - 1], i * 8, i);
		if (rnd(2)) { /* also as a value that can be moved */
			g->ptrs[g->nptrs] = ir_mov(&g->ir, g->ptrs[g->nptrs - 1]);
			g->nptrs++;
		}
	}
	for (i = 0; i < 3; i++)
		have(g, ir_load(&g->ir, 8, g->ptrs[0], 40 + i * 8));
	while (g->budget > 0)
		gen_block(g, 0);
	ir_store(&g->ir, 8, g->ptrs[0], 200, any(g));
	ir_place(&g->ir, g->out);
	ir_exit(&g->ir, rnd(1000));
}

static void world_fill(struct world *w)
{
	for (int i = 0; i < MEM; i += 8) {
		uint64_t a = rnd_value(), b = rnd_value();

		memcpy(w->ctx + i, &a, 8);
		memcpy(w->value + i, &b, 8);
	}
	w->calls = 0;
}

/*
 * Addresses differ from run to run only if each world has its own memory: both runs use the
 * same one.
 */
static void compare_runs(const struct ir *ir, const struct bpf_code *c)
{
	static struct world before, w, after;
	bool *reached = mem_alloc(c->n + 1);
	struct machine m = { .insns = c->insns, .n = c->n, .w = &w, .reached = reached };
	uint64_t ret, ctx = (uintptr_t)w.ctx;
	int i;

	for (i = 0; i < 4; i++) {
		world_fill(&before);
		w = before;
		ret = ir_run(ir, &w);
		after = w;
		w = before;
		assert_int_equal((uint32_t)bpf_run(&m, 0, &ctx, 1), ret);
		assert_memory_equal(w.ctx, after.ctx, MEM);
		assert_memory_equal(w.value, after.value, MEM);
		assert_true(w.calls == after.calls);
	}
	free(reached);
}

static const int *fds(void)
{
	static int fd[CG_MAP_MAX];

	for (int i = 0; i < CG_MAP_MAX; i++)
		fd[i] = -1;
	fd[CG_MAP_GLOBALS] = FAKE_FD;
	return fd;
}

/* Gives the error of the assembly. */
static int one_case(uint64_t seed, int size, int far)
{
	static struct gen g;
	struct arena *arena = arena_create();
	struct bpf_code code;
	int ret;

	rng_state = seed * 77 + 5;
	gen_program(&g, arena, size, far);
	ret = bpf_assemble(&g.ir, "test", fds(), &code);
	if (!ret) {
		cfg_check(&code);
		compare_runs(&g.ir, &code);
	}
	bpf_code_free(&code);
	ir_destroy(&g.ir);
	arena_destroy(arena);
	return ret;
}

static void test_random(void **state)
{
	int i, full = 0;

	(void)state;
	for (i = 0; i < 6000; i++) {
		int ret = one_case(i, 10 + i % 150, i % 3 == 0 ? 60 : i % 3 == 1 ? 20 : 3);

		assert_true(ret == 0 || ret == -ENOSPC);
		full += ret != 0;
	}
	/* Few programs need more than the spill area. */
	assert_true(full < 1500);
}

/* Every permutation of arguments, so that rings of registers must be turned. */
static void test_arguments(void **state)
{
	static const int fact[] = { 1, 1, 2, 6, 24, 120 };
	int p, i;

	(void)state;
	for (p = 0; p < 120; p++) {
		struct arena *arena = arena_create();
		struct bpf_code code;
		vreg v[5], a[5];
		int pool[5] = { 0, 1, 2, 3, 4 }, k = p;
		struct ir ir;
		vreg ctx;

		ir_init(&ir, arena);
		ctx = ir_arg(&ir, 0);
		for (i = 0; i < 5; i++)
			v[i] = ir_load(&ir, 8, ctx, i * 8);
		ir_call(&ir, SEED_HELPER + 5, 5, v[0], v[1], v[2], v[3], v[4]);
		for (i = 0; i < 5; i++) {
			int at = k / fact[4 - i];

			k %= fact[4 - i];
			a[i] = v[pool[at]];
			memmove(&pool[at], &pool[at + 1], (4 - at) * sizeof(*pool));
		}
		/* They live on, in registers or on the stack; now without a call between: */
		for (i = 0; i < 5; i++)
			v[i] = ir_mov(&ir, a[i]);
		for (i = 0; i < 5; i++)
			ir_alui(&ir, IR_ADD, v[i], i);
		ir_call(&ir, SEED_HELPER + 15, 5, v[p % 5], v[(p / 5) % 5], v[(p / 25) % 5], v[3],
			v[p % 3]);
		for (i = 0; i < 5; i++)
			v[i] = ir_imm(&ir, i * 11);
		k = p;
		ir_call(&ir, SEED_HELPER + 25, 5, v[(p + 1) % 5], v[(p + 2) % 5], v[(p + 3) % 5],
			v[(p + 4) % 5], v[p % 5]);
		ir_exit(&ir, 0);
		assert_int_equal(bpf_assemble(&ir, "test", fds(), &code), 0);
		cfg_check(&code);
		compare_runs(&ir, &code);
		bpf_code_free(&code);
		ir_destroy(&ir);
		arena_destroy(arena);
	}
}

/* What the hot path looks like must not get worse unseen: no move, no spill. */
static void test_tight(void **state)
{
	struct arena *arena = arena_create();
	struct bpf_code code;
	struct ir ir;
	vreg ctx, p, w, n, old;
	label fail;
	unsigned int i, moves = 0;

	(void)state;
	ir_init(&ir, arena);
	ctx = ir_arg(&ir, 0);
	fail = ir_label(&ir);
	p = ir_mapval(&ir, CG_MAP_GLOBALS, 0);
	w = ir_load(&ir, 8, p, 0);
	n = ir_mov(&ir, w);
	ir_alui(&ir, IR_ADD, n, 16);
	old = ir_cmpxchg(&ir, p, 0, w, n);
	ir_jcc(&ir, IR_NE, old, w, fail);
	ir_store(&ir, 8, p, 8, ir_load(&ir, 8, ctx, 16));
	ir_place(&ir, fail);
	ir_exit(&ir, 0);
	assert_int_equal(bpf_assemble(&ir, "test", fds(), &code), 0);
	for (i = 0; i < code.nmain; i++) {
		moves += code.insns[i].code == (BPF_ALU64 | BPF_MOV | BPF_X);
		if (code.insns[i].code == (BPF_LD | BPF_DW | BPF_IMM))
			i++;
	}
	assert_int_equal(moves, 2); /* n = w, and R0 = w for the exchange */
	compare_runs(&ir, &code);
	bpf_code_free(&code);
	ir_destroy(&ir);
	arena_destroy(arena);
}

static int assemble(struct ir *ir, const char *text)
{
	struct bpf_code code;
	int ret = bpf_assemble(ir, "test", fds(), &code);

	if (text)
		assert_string_equal(ir->error_text, text);
	bpf_code_free(&code);
	ir_destroy(ir);
	arena_destroy(ir->arena);
	return ret;
}

static void ir_new(struct ir *ir)
{
	ir_init(ir, arena_create());
}

/* Where a jump ends that goes by way of islands. */
static size_t jump_end(const struct bpf_code *c, size_t i)
{
	do {
		assert_true(c->insns[i].off > 0);
		i += 1 + c->insns[i].off;
		assert_true(i < c->n);
	} while (c->insns[i].code == (BPF_JMP | BPF_JA));
	return i;
}

/* Jumps over more than a jump reaches; labels near and far, taken on and off the way. */
static void test_islands(void **state)
{
	struct bpf_code code;
	struct ir ir;
	label far, mid, near;
	size_t n = 0, jumps = 0;
	vreg v;

	(void)state;
	ir_new(&ir);
	far = ir_label(&ir);
	mid = ir_label(&ir);
	v = ir_arg(&ir, 0);
	for (int i = 0; i < 100000; i++) {
		if (i % 20000 == 0)
			ir_jcci(&ir, IR_EQ, v, 7, far);
		if (i == 10 || i == 30000)
			ir_jcci(&ir, IR_EQ, v, 8, mid);
		if (i == 50001)
			ir_place(&ir, mid);
		if (i % 100 == 0) {
			near = ir_label(&ir);
			ir_jcci(&ir, IR_EQ, v, 9, near);
			ir_storei(&ir, 8, v, 0, -1);
			ir_place(&ir, near);
		}
		ir_storei(&ir, 8, v, 0, i);
	}
	ir_place(&ir, far);
	ir_storei(&ir, 8, v, 0, 123456);
	ir_exit(&ir, 0);
	assert_int_equal(bpf_assemble(&ir, "test", fds(), &code), 0);
	for (size_t i = 0; i < code.n; i++) {
		const struct bpf_insn *in = &code.insns[i];

		if (in->code == (BPF_JMP | BPF_JA)) {
			assert_true(in->off > 0);
			continue;
		}
		if (BPF_CLASS(in->code) == BPF_ST && in->imm >= 0 && in->imm < 100000)
			assert_int_equal(in->imm, n++); /* nothing is lost or moved */
		if (in->code != (BPF_JMP | BPF_JEQ | BPF_K))
			continue;
		jumps++;
		int32_t at = code.insns[jump_end(&code, i)].imm;
		assert_true(in->imm == 7 ? at == 123456 : in->imm == 8 ? at == 50001 : at == (int)n);
	}
	assert_int_equal(n, 100000);
	assert_int_equal(jumps, 5 + 2 + 1000);
	bpf_code_free(&code);
	ir_destroy(&ir);
	arena_destroy(ir.arena);
}

/* The kernel takes no instruction that nobody gets to: an island in a place that is left before. */
static void test_island_reached(void **state)
{
	(void)state;
	for (int before = 0; before < 8; before++) {
		struct bpf_code code;
		struct ir ir;
		bool *reached;
		vreg v;

		ir_new(&ir);
		label far = ir_label(&ir);
		v = ir_arg(&ir, 0);
		ir_jcci(&ir, IR_EQ, v, 7, far);
		for (int i = 0; i < before; i++)
			ir_storei(&ir, 8, v, 0, i);
		for (int i = 0; i < 12000; i++) {
			label other = ir_label(&ir), done = ir_label(&ir);

			ir_jcci(&ir, IR_EQ, v, i, other);
			ir_storei(&ir, 8, v, 0, 1);
			ir_storei(&ir, 8, v, 0, 2);
			ir_jmp(&ir, done);
			ir_place(&ir, other);
			ir_storei(&ir, 8, v, 0, 3);
			ir_place(&ir, done);
		}
		ir_place(&ir, far);
		ir_exit(&ir, 0);
		assert_int_equal(bpf_assemble(&ir, "test", fds(), &code), 0);
		reached = test_calloc(code.n + 1, sizeof(*reached));
		reached[0] = true;
		for (size_t i = 0; i < code.n; i++) { /* jumps go forward only */
			const struct bpf_insn *in = &code.insns[i];
			uint8_t op = BPF_OP(in->code);
			bool jump = BPF_CLASS(in->code) == BPF_JMP && op != BPF_EXIT;

			assert_true(reached[i]);
			if (jump)
				reached[i + 1 + in->off] = true;
			if (BPF_CLASS(in->code) != BPF_JMP || (jump && op != BPF_JA))
				reached[i + 1] = true;
		}
		test_free(reached);
		bpf_code_free(&code);
		ir_destroy(&ir);
		arena_destroy(ir.arena);
	}
}

static void test_errors(void **state)
{
	struct ir ir;
	vreg v[100];
	int i;

	(void)state;
	ir_new(&ir);
	ir_imm(&ir, 1);
	assert_int_equal(assemble(&ir, "the program has no end"), -EINVAL);

	ir_new(&ir);
	ir_jcci(&ir, IR_EQ, ir_vreg(&ir), 0, ir_label(&ir));
	ir_exit(&ir, 0);
	assert_int_equal(assemble(&ir, "no label 0 behind its jump"), -EINVAL);

	ir_new(&ir);
	v[0] = ir_arg(&ir, 0);
	ir_store(&ir, 8, v[0], 0, ir_vreg(&ir));
	ir_exit(&ir, 0);
	assert_int_equal(assemble(&ir, "v1 is used before it is set"), -EINVAL);

	ir_new(&ir);
	ir_store(&ir, 8, ir_mapval(&ir, CG_MAP_AGGS, 0), 0, ir_imm(&ir, 1));
	ir_exit(&ir, 0);
	assert_int_equal(assemble(&ir, "map aggs does not exist"), -ENOENT);

	ir_new(&ir);
	ir_callrt(&ir, "rt_nothing", 0);
	ir_exit(&ir, 0);
	assert_int_equal(assemble(&ir, "no runtime routine rt_nothing"), -ENOENT);

	ir_new(&ir);
	v[0] = ir_arg(&ir, 0);
	for (i = 0; i < 500001; i++)
		ir_storei(&ir, 8, v[0], 0, i);
	ir_exit(&ir, 0);
	assert_int_equal(assemble(&ir, "it is too large: more than 500000 instructions"), -E2BIG);

	ir_new(&ir);
	v[0] = ir_arg(&ir, 0);
	for (i = 1; i < 100; i++)
		v[i] = ir_load(&ir, 8, v[0], i * 8);
	ir_call(&ir, SEED_HELPER, 0);
	for (i = 1; i < 100; i++)
		ir_store(&ir, 8, v[0], i * 8, v[i]);
	ir_exit(&ir, 0);
	assert_int_equal(assemble(&ir, "too many values at once"), -ENOSPC);

	ir_new(&ir);
	for (i = 0; i < 100; i++)
		ir_stack_alloc(&ir, 8);
	ir_exit(&ir, 0);
	assert_int_equal(assemble(&ir, "it needs more stack than the kernel gives"), -ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_tight),
		cmocka_unit_test(test_islands), cmocka_unit_test(test_island_reached),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
