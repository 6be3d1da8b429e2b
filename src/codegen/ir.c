/* SPDX-License-Identifier: BSD-2-Clause */
/* Builder and dump of the intermediate representation; registers and encodings: regs.c, bpf.c. */
#include "codegen/bpf_impl.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include <linux/bpf.h>

/* Beyond this no program can be loaded: its jumps would not reach. */
#define IR_INSN_MAX 500000 /* the kernel looks at a million at most */
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
/* Room for what the emitters ask for; spills have BPF_SPILL_MAX of their own. */
#define IR_STACK_MAX 128

void ir_init(struct ir *ir, struct arena *arena)
{
	memset(ir, 0, sizeof(*ir));
	ir->arena = arena;
}

void ir_destroy(struct ir *ir)
{
	for (size_t i = 0; i < ir->funcs.n; i++)
		ir_destroy(&ir->funcs.v[i]->ir);
	vec_free(&ir->funcs);
	vec_free(&ir->v);
}

static void ir_fail(struct ir *ir, int error, const char *text)
{
	if (ir->error)
		return;
	ir->error = error;
	ir->error_text = text;
}

/* A zeroed instruction at the end; valid until the next one. */
static struct ir_insn *ir_add(struct ir *ir, enum ir_op op)
{
	struct ir_insn *in;

	if (ir->v.n >= IR_INSN_MAX)
		ir_fail(ir, -E2BIG,
			"it is too large: more than " TEXT(IR_INSN_MAX) " instructions");
	if (ir->error)
		ir->v.n = 0; /* nothing of it will be used: do not let it grow */
	in = vec_add(&ir->v);
	in->op = op;
	in->size = 8;
	in->d = in->a = in->b = in->c = VREG_NONE;
	in->lab = -1;
	return in;
}

vreg ir_vreg(struct ir *ir)
{
	return ir->nvregs++;
}

label ir_label(struct ir *ir)
{
	return ir->nlabels++;
}

void ir_place(struct ir *ir, label l)
{
	ir_add(ir, IR_OP_LABEL)->lab = l;
}

void ir_comment(struct ir *ir, const char *fmt, ...)
{
	char line[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	ir_add(ir, IR_OP_COMMENT)->text = arena_strdup(ir->arena, line);
}

static bool fits_s32(int64_t v)
{
	return v == (int32_t)v;
}

void ir_imm_to(struct ir *ir, vreg d, int64_t value)
{
	struct ir_insn *in = ir_add(ir, IR_OP_IMM);

	in->d = d;
	in->imm = value;
}

vreg ir_imm(struct ir *ir, int64_t value)
{
	vreg d = ir_vreg(ir);

	ir_imm_to(ir, d, value);
	return d;
}

void ir_mov_to(struct ir *ir, vreg d, vreg a)
{
	struct ir_insn *in = ir_add(ir, IR_OP_MOV);

	in->d = d;
	in->a = a;
}

vreg ir_mov(struct ir *ir, vreg a)
{
	vreg d = ir_vreg(ir);

	ir_mov_to(ir, d, a);
	return d;
}

void ir_alu(struct ir *ir, enum ir_alu op, vreg d, vreg a)
{
	struct ir_insn *in = ir_add(ir, IR_OP_ALU);

	in->sub = op;
	in->d = d;
	in->a = a;
}

void ir_alui(struct ir *ir, enum ir_alu op, vreg d, int64_t imm)
{
	struct ir_insn *in;

	if (!fits_s32(imm)) {
		ir_alu(ir, op, d, ir_imm(ir, imm));
		return;
	}
	/* The kernel refuses these as immediates; as registers they have defined results. */
	if ((imm == 0 && (op == IR_UDIV || op == IR_UMOD)) ||
	    ((uint64_t)imm > 63 && (op == IR_SHL || op == IR_SHR || op == IR_SAR))) {
		ir_alu(ir, op, d, ir_imm(ir, imm));
		return;
	}
	in = ir_add(ir, IR_OP_ALUI);
	in->sub = op;
	in->d = d;
	in->imm = imm;
}

void ir_neg(struct ir *ir, vreg d)
{
	ir_add(ir, IR_OP_NEG)->d = d;
}

void ir_ext(struct ir *ir, vreg d, int size, bool is_signed)
{
	struct ir_insn *in;

	if (size == 8)
		return;
	in = ir_add(ir, IR_OP_EXT);
	in->d = d;
	in->size = size;
	in->is_signed = is_signed;
}

void ir_bswap(struct ir *ir, vreg d, int size)
{
	struct ir_insn *in;

	if (size == 1) {
		ir_ext(ir, d, 1, false);
		return;
	}
	in = ir_add(ir, IR_OP_BSWAP);
	in->d = d;
	in->size = size;
}

/* An instruction's own offset has 16 bits: a farther one is added to the base before. */
static vreg ir_reach(struct ir *ir, vreg base, int *off)
{
	vreg p;

	if (*off == (int16_t)*off)
		return base;
	p = ir_mov(ir, base);
	ir_alui(ir, IR_ADD, p, *off);
	*off = 0;
	return p;
}

void ir_load_to(struct ir *ir, vreg d, int size, vreg base, int off)
{
	vreg from = ir_reach(ir, base, &off);
	struct ir_insn *in = ir_add(ir, IR_OP_LOAD);

	in->d = d;
	in->size = size;
	in->a = from;
	in->off = off;
}

vreg ir_load(struct ir *ir, int size, vreg base, int off)
{
	vreg d = ir_vreg(ir);

	ir_load_to(ir, d, size, base, off);
	return d;
}

void ir_store(struct ir *ir, int size, vreg base, int off, vreg value)
{
	vreg to = ir_reach(ir, base, &off);
	struct ir_insn *in = ir_add(ir, IR_OP_STORE);

	in->size = size;
	in->a = to;
	in->off = off;
	in->b = value;
}

void ir_storei(struct ir *ir, int size, vreg base, int off, int64_t imm)
{
	struct ir_insn *in;

	if (size == 8 && !fits_s32(imm)) {
		ir_store(ir, size, base, off, ir_imm(ir, imm));
		return;
	}
	base = ir_reach(ir, base, &off);
	in = ir_add(ir, IR_OP_STOREI);
	in->size = size;
	in->a = base;
	in->off = off;
	in->imm = (int32_t)imm;
}

void ir_atomic(struct ir *ir, enum ir_atomic op, vreg base, int off, vreg value)
{
	vreg to = ir_reach(ir, base, &off);
	struct ir_insn *in = ir_add(ir, IR_OP_ATOMIC);

	in->sub = op;
	in->a = to;
	in->off = off;
	in->b = value;
}

static vreg ir_exchange(struct ir *ir, enum ir_op op, vreg base, int off, vreg b, vreg c)
{
	vreg p = ir_reach(ir, base, &off), d = ir_vreg(ir);
	struct ir_insn *in = ir_add(ir, op);

	in->d = d;
	in->a = p;
	in->off = off;
	in->b = b;
	in->c = c;
	return d;
}

vreg ir_fetch_add(struct ir *ir, vreg base, int off, vreg value)
{
	return ir_exchange(ir, IR_OP_FETCH, base, off, value, VREG_NONE);
}

vreg ir_xchg(struct ir *ir, vreg base, int off, vreg value)
{
	return ir_exchange(ir, IR_OP_XCHG, base, off, value, VREG_NONE);
}

vreg ir_cmpxchg(struct ir *ir, vreg base, int off, vreg expect, vreg value)
{
	return ir_exchange(ir, IR_OP_CMPXCHG, base, off, expect, value);
}

vreg ir_mapfd(struct ir *ir, enum cg_map map)
{
	vreg d = ir_vreg(ir);
	struct ir_insn *in = ir_add(ir, IR_OP_MAPFD);

	in->d = d;
	in->map = map;
	return d;
}

vreg ir_mapval(struct ir *ir, enum cg_map map, int64_t off)
{
	vreg d = ir_vreg(ir);
	struct ir_insn *in = ir_add(ir, IR_OP_MAPVAL);

	if (off < 0 || off > INT32_MAX)
		ir_fail(ir, -E2BIG, "an offset is out of the range of a map");
	in->d = d;
	in->map = map;
	in->imm = off;
	return d;
}

int ir_stack_alloc(struct ir *ir, int bytes)
{
	ir->stack_used += ROUND_UP(bytes, 8);
	if (ir->stack_used > IR_STACK_MAX)
		ir_fail(ir, -ENOSPC, "it needs more stack than the kernel gives");
	return -ir->stack_used;
}

vreg ir_stack(struct ir *ir, int where)
{
	vreg d = ir_vreg(ir);
	struct ir_insn *in = ir_add(ir, IR_OP_STACK);

	in->d = d;
	in->imm = where;
	return d;
}

static vreg ir_call_args(struct ir *ir, enum ir_op op, int64_t imm, const char *sym, int nargs,
			 va_list ap)
{
	vreg d = ir_vreg(ir);
	struct ir_insn *in = ir_add(ir, op);
	int i;

	in->d = d;
	in->imm = imm;
	in->sym = sym;
	in->nargs = nargs;
	if (nargs > IR_MAXARGS) {
		ir_fail(ir, -EINVAL, "too many arguments");
		in->nargs = 0;
		return d;
	}
	for (i = 0; i < nargs; i++)
		in->args[i] = va_arg(ap, vreg);
	return d;
}

vreg ir_call(struct ir *ir, int helper, int nargs, ...)
{
	va_list ap;
	vreg d;

	va_start(ap, nargs);
	d = ir_call_args(ir, IR_OP_CALL, helper, NULL, nargs, ap);
	va_end(ap);
	return d;
}

vreg ir_kcall(struct ir *ir, int func, int nargs, ...)
{
	va_list ap;
	vreg d;

	va_start(ap, nargs);
	d = ir_call_args(ir, IR_OP_KCALL, func, NULL, nargs, ap);
	va_end(ap);
	return d;
}

vreg ir_callrt(struct ir *ir, const char *sym, int nargs, ...)
{
	va_list ap;
	vreg d;

	va_start(ap, nargs);
	d = ir_call_args(ir, IR_OP_CALLRT, 0, sym, nargs, ap);
	va_end(ap);
	return d;
}

void ir_jmp(struct ir *ir, label l)
{
	ir_add(ir, IR_OP_JMP)->lab = l;
}

void ir_jcc(struct ir *ir, enum ir_cond c, vreg a, vreg b, label l)
{
	struct ir_insn *in = ir_add(ir, IR_OP_JCC);

	in->sub = c;
	in->a = a;
	in->b = b;
	in->lab = l;
}

void ir_jcci(struct ir *ir, enum ir_cond c, vreg a, int64_t imm, label l)
{
	struct ir_insn *in;

	if (!fits_s32(imm)) {
		ir_jcc(ir, c, a, ir_imm(ir, imm), l);
		return;
	}
	in = ir_add(ir, IR_OP_JCCI);
	in->sub = c;
	in->a = a;
	in->imm = imm;
	in->lab = l;
}

vreg ir_arg(struct ir *ir, int n)
{
	vreg d = ir_vreg(ir);
	struct ir_insn *in = ir_add(ir, IR_OP_ARG);

	in->d = d;
	in->imm = n;
	return d;
}

struct ir_func *ir_func_add(struct ir *ir, const char *name)
{
	struct ir_func *f = arena_new(ir->arena, struct ir_func);

	f->name = arena_strdup(ir->arena, name);
	ir_init(&f->ir, ir->arena);
	vec_push(&ir->funcs, f);
	return f;
}

bool ir_reads(const struct ir *ir, vreg v)
{
	for (size_t i = 0; i < ir->v.n; i++) {
		const struct ir_insn *in = &ir->v.v[i];

		if (in->a == v || in->b == v || in->c == v)
			return true;
		for (int k = 0; k < in->nargs; k++)
			if (in->args[k] == v)
				return true;
	}
	return false;
}

void ir_exit(struct ir *ir, int value)
{
	ir_add(ir, IR_OP_EXIT)->imm = value;
}

vreg ir_map_elem(struct ir *ir, enum cg_map map, vreg index, label fail)
{
	vreg fp, fd, key, p;

	/* One word for all: it is written right before each use. */
	if (!ir->elem_slot)
		ir->elem_slot = ir_stack_alloc(ir, 4);
	fp = ir_stack(ir, 0);
	ir_store(ir, 4, fp, ir->elem_slot, index);
	fd = ir_mapfd(ir, map);
	key = ir_stack(ir, ir->elem_slot);
	p = ir_call(ir, BPF_FUNC_map_lookup_elem, 2, fd, key);
	ir_jcci(ir, IR_EQ, p, 0, fail);
	return p;
}

/* ---- dump ---- */

static const char *const map_names[CG_MAP_MAX] = {
	[CG_MAP_CONF] = "conf",	    [CG_MAP_STATE] = "state",	[CG_MAP_CPUS] = "cpus",
	[CG_MAP_BUFS] = "bufs",	    [CG_MAP_AGGS] = "aggs",	[CG_MAP_GLOBALS] = "globals",
	[CG_MAP_FRAMES] = "frames", [CG_MAP_STRTAB] = "strtab", [CG_MAP_ROWS] = "rows",
	[CG_MAP_ACCT] = "acct",	    [CG_MAP_DVARS] = "dvars",	[CG_MAP_SPECS] = "specs",
	[CG_MAP_SPECST] = "specst",  [CG_MAP_UNWFILES] = "unwfiles",
	[CG_MAP_UNWROWS] = "unwrows", [CG_MAP_UNWASKS] = "unwasks",
	[CG_MAP_WAKES] = "wakes",
};

const char *ir_map_name(enum cg_map map)
{
	return map_names[map];
}

static const char *const alu_names[] = {
	"+=", "-=", "*=", "u/=", "u%=", "&=", "|=", "^=", "<<=", "u>>=", "s>>=",
};

static const char *const cond_names[] = {
	"==", "!=", "u<", "u<=", "u>", "u>=", "s<", "s<=", "s>", "s>=", "&",
};

static const char *const atomic_names[] = { "+=", "|=", "&=" };

static void dump_place(const struct ir_insn *in, FILE *out)
{
	fprintf(out, "u%d[v%d %c %d]", in->size * 8, in->a, in->off < 0 ? '-' : '+',
		in->off < 0 ? -in->off : in->off);
}

static void dump_call(const struct ir_insn *in, FILE *out)
{
	int i;

	if (in->op == IR_OP_CALLRT)
		fprintf(out, "v%d = %s(", in->d, in->sym);
	else
		fprintf(out, "v%d = %s#%lld(", in->d,
			in->op == IR_OP_KCALL ? "kernel" : "helper", (long long)in->imm);
	for (i = 0; i < in->nargs; i++)
		fprintf(out, "%sv%d", i ? ", " : "", in->args[i]);
	fputc(')', out);
}

static void dump_insn(const struct ir_insn *in, FILE *out)
{
	long long imm = in->imm;

	switch (in->op) {
	case IR_OP_LABEL:
	case IR_OP_COMMENT: break;
	case IR_OP_IMM:
		fprintf(out, imm > -65536 && imm < 65536 ? "v%d = %lld" : "v%d = 0x%llx", in->d,
			imm);
		break;
	case IR_OP_MOV: fprintf(out, "v%d = v%d", in->d, in->a); break;
	case IR_OP_ALU: fprintf(out, "v%d %s v%d", in->d, alu_names[in->sub], in->a); break;
	case IR_OP_ALUI: fprintf(out, "v%d %s %lld", in->d, alu_names[in->sub], imm); break;
	case IR_OP_NEG: fprintf(out, "v%d = -v%d", in->d, in->d); break;
	case IR_OP_EXT:
		fprintf(out, "v%d = %c%d v%d", in->d, in->is_signed ? 's' : 'u', in->size * 8,
			in->d);
		break;
	case IR_OP_BSWAP: fprintf(out, "v%d = bswap%d v%d", in->d, in->size * 8, in->d); break;
	case IR_OP_LOAD:
		fprintf(out, "v%d = ", in->d);
		dump_place(in, out);
		break;
	case IR_OP_STORE:
		dump_place(in, out);
		fprintf(out, " = v%d", in->b);
		break;
	case IR_OP_STOREI:
		dump_place(in, out);
		fprintf(out, " = %lld", imm);
		break;
	case IR_OP_ATOMIC:
		fprintf(out, "atomic ");
		dump_place(in, out);
		fprintf(out, " %s v%d", atomic_names[in->sub], in->b);
		break;
	case IR_OP_FETCH:
		fprintf(out, "v%d = fetch_add ", in->d);
		dump_place(in, out);
		fprintf(out, ", v%d", in->b);
		break;
	case IR_OP_XCHG:
		fprintf(out, "v%d = exchange ", in->d);
		dump_place(in, out);
		fprintf(out, ", v%d", in->b);
		break;
	case IR_OP_CMPXCHG:
		fprintf(out, "v%d = cmpxchg ", in->d);
		dump_place(in, out);
		fprintf(out, ", v%d -> v%d", in->b, in->c);
		break;
	case IR_OP_MAPFD: fprintf(out, "v%d = map %s", in->d, map_names[in->map]); break;
	case IR_OP_MAPVAL: fprintf(out, "v%d = &%s[%lld]", in->d, map_names[in->map], imm); break;
	case IR_OP_STACK: fprintf(out, "v%d = fp - %lld", in->d, -imm); break;
	case IR_OP_CALL:
	case IR_OP_KCALL:
	case IR_OP_CALLRT: dump_call(in, out); break;
	case IR_OP_JMP: fprintf(out, "goto L%d", in->lab); break;
	case IR_OP_JCC:
		fprintf(out, "if v%d %s v%d goto L%d", in->a, cond_names[in->sub], in->b, in->lab);
		break;
	case IR_OP_JCCI:
		fprintf(out, "if v%d %s %lld goto L%d", in->a, cond_names[in->sub], imm, in->lab);
		break;
	case IR_OP_ARG:
		if (in->imm)
			fprintf(out, "v%d = argument %lld", in->d, imm);
		else
			fprintf(out, "v%d = ctx", in->d);
		break;
	case IR_OP_EXIT: fprintf(out, "return %lld", imm); break;
	}
}

void ir_dump(const struct ir *ir, FILE *out)
{
	size_t i;

	for (i = 0; i < ir->v.n; i++) {
		const struct ir_insn *in = &ir->v.v[i];

		if (in->op == IR_OP_LABEL) {
			fprintf(out, "L%d:\n", in->lab);
			continue;
		}
		if (in->op == IR_OP_COMMENT) {
			fprintf(out, "\t; %s\n", in->text);
			continue;
		}
		fputc('\t', out);
		dump_insn(in, out);
		if (in->text)
			fprintf(out, "\t; %s", in->text);
		fputc('\n', out);
	}
	for (i = 0; i < ir->funcs.n; i++) {
		fprintf(out, "function %s:\n", ir->funcs.v[i]->name);
		ir_dump(&ir->funcs.v[i]->ir, out);
	}
	if (ir->error)
		fprintf(out, "error: %s\n", ir->error_text);
}
