/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Register allocation.
 *
 * Jumps go forward only, so one pass forward finds what can be reached, one pass backward what
 * has an effect, and the life of a virtual register is the span from its first definition to
 * its last use. The scan then goes through the instructions once and gives each span a register
 * that is free for all of it.
 *
 * A span that begins where another ends may take over its register: bpf.c reads all operands of
 * an instruction before it writes the result, or copes.
 *
 * The scan is done twice at most. The first time there is no scratch register, as nothing is in
 * memory. When a span finds no register, the second scan keeps R0, R4 and R5 free of values,
 * for operands in memory.
 */
#include "codegen/bpf_impl.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

struct span {
	int start, end; /* instructions; start -1: never defined */
	int ndefs, nuses;
	int want;      /* register that saves a move, or -1 */
	bool crossing; /* a call lies inside */
	bool r0;       /* R0 keeps it */
};

struct scan {
	struct ir *ir;
	struct regs *out;
	struct span *s;
	int *calls;		/* number of calls before instruction i */
	int *clobbers;		/* number of instructions that change R0 before instruction i */
	vreg owner[BPF_REG_10]; /* who has the register now, or VREG_NONE */
};

static bool insn_is_call(const struct ir_insn *in)
{
	return in->op == IR_OP_CALL || in->op == IR_OP_KCALL || in->op == IR_OP_CALLRT;
}

static int insn_uses(const struct ir_insn *in, vreg uses[6])
{
	int i, n = 0;

	if (insn_is_call(in)) {
		for (i = 0; i < in->nargs; i++)
			uses[n++] = in->args[i];
		return n;
	}
	if (in->a != VREG_NONE)
		uses[n++] = in->a;
	if (in->b != VREG_NONE)
		uses[n++] = in->b;
	if (in->c != VREG_NONE)
		uses[n++] = in->c;
	return n;
}

static bool insn_reads_d(const struct ir_insn *in)
{
	switch (in->op) {
	case IR_OP_ALU:
	case IR_OP_ALUI:
	case IR_OP_NEG:
	case IR_OP_EXT:
	case IR_OP_BSWAP: return true;
	default: return false;
	}
}

/* Only its result matters. A load has no effect: the verifier has shown that it cannot fail. */
static bool insn_is_pure(const struct ir_insn *in)
{
	switch (in->op) {
	case IR_OP_IMM:
	case IR_OP_MOV:
	case IR_OP_LOAD:
	case IR_OP_MAPFD:
	case IR_OP_MAPVAL:
	case IR_OP_STACK:
	case IR_OP_ARG: return true;
	default: return insn_reads_d(in);
	}
}

static bool insn_is_jump(const struct ir_insn *in)
{
	return in->op == IR_OP_JMP || in->op == IR_OP_JCC || in->op == IR_OP_JCCI;
}

static bool insn_is_const(const struct ir_insn *in)
{
	return in->op == IR_OP_IMM || in->op == IR_OP_MAPFD || in->op == IR_OP_MAPVAL ||
	       in->op == IR_OP_STACK;
}

static bool insn_has_base(const struct ir_insn *in)
{
	switch (in->op) {
	case IR_OP_LOAD:
	case IR_OP_STORE:
	case IR_OP_STOREI:
	case IR_OP_ATOMIC:
	case IR_OP_FETCH:
	case IR_OP_XCHG:
	case IR_OP_CMPXCHG: return true;
	default: return false;
	}
}

/*
 * Is v, an address in the stack, nothing but the base of the load or store? Then it needs no
 * register.
 */
static bool use_is_stack_base(const struct ir_insn *in, vreg v, bool stack)
{
	return stack && insn_has_base(in) && in->a == v && in->b != v && in->c != v;
}

/* ---- control flow ---- */

static bool label_is_valid(const struct ir *ir, label l)
{
	return l >= 0 && l < ir->nlabels;
}

/* Finds the places of labels; a jump to a jump goes where that one goes. */
static int jumps_thread(struct ir *ir, int *placed)
{
	label *alias = arena_alloc(ir->arena, ir->nlabels * sizeof(*alias) + 1);
	label next = -1; /* the label the next instruction jumps to without condition */
	int i;

	for (i = 0; i < ir->nlabels; i++)
		placed[i] = -1;
	for (i = (int)ir->v.n - 1; i >= 0; i--) {
		struct ir_insn *in = &ir->v.v[i];

		if (in->op == IR_OP_COMMENT)
			continue;
		if (in->op == IR_OP_LABEL) {
			if (!label_is_valid(ir, in->lab) || placed[in->lab] >= 0)
				return bpf_error(ir, -EINVAL, "label %d is placed twice", in->lab);
			placed[in->lab] = i;
			alias[in->lab] = next >= 0 ? next : in->lab;
			continue;
		}
		if (insn_is_jump(in)) {
			if (!label_is_valid(ir, in->lab) || placed[in->lab] < 0)
				return bpf_error(ir, -EINVAL, "no label %d behind its jump",
						 in->lab);
			in->lab = alias[in->lab];
		}
		next = in->op == IR_OP_JMP ? in->lab : -1;
	}
	return 0;
}

/* The kernel refuses code that cannot be reached. */
static int unreachable_skip(struct ir *ir, bool *skip)
{
	bool *reached = arena_alloc(ir->arena, ir->nlabels + 1);
	bool here = true;
	size_t i;

	for (i = 0; i < ir->v.n; i++) {
		const struct ir_insn *in = &ir->v.v[i];

		if (in->op == IR_OP_LABEL && reached[in->lab])
			here = true;
		skip[i] = !here;
		if (!here)
			continue;
		if (insn_is_jump(in))
			reached[in->lab] = true;
		if (in->op == IR_OP_JMP || in->op == IR_OP_EXIT)
			here = false;
	}
	return here ? bpf_error(ir, -EINVAL, "the program has no end") : 0;
}

/*
 * From the end to the start: what gives no value that is used, and jumps to the next
 * instruction.
 */
static void useless_skip(struct ir *ir, bool *skip, const int *placed, const struct place *v)
{
	int *seen = arena_alloc(ir->arena, ir->nvregs * sizeof(*seen) + 1);
	int next = (int)ir->v.n; /* index of the next instruction that is emitted */
	int i, n;

	for (i = (int)ir->v.n - 1; i >= 0; i--) {
		const struct ir_insn *in = &ir->v.v[i];
		vreg uses[6];

		if (skip[i] || in->op == IR_OP_LABEL || in->op == IR_OP_COMMENT)
			continue;
		if ((insn_is_jump(in) && placed[in->lab] < next) ||
		    (insn_is_pure(in) && !seen[in->d]) || (in->op == IR_OP_MOV && in->d == in->a)) {
			skip[i] = true;
			continue;
		}
		next = i;
		n = insn_uses(in, uses);
		while (n--)
			if (!use_is_stack_base(in, uses[n], v[uses[n]].stack))
				seen[uses[n]]++;
	}
}

/* ---- lives ---- */

/*
 * Registers with one definition, as a place in the stack: as a base of loads and stores they
 * cost nothing.
 */
static void stack_addresses_mark(struct ir *ir, struct place *v)
{
	int *ndefs = arena_alloc(ir->arena, ir->nvregs * sizeof(*ndefs) + 1);
	size_t i;

	for (i = 0; i < ir->v.n; i++)
		if (ir->v.v[i].d != VREG_NONE)
			ndefs[ir->v.v[i].d]++;
	for (i = 0; i < ir->v.n; i++) {
		const struct ir_insn *in = &ir->v.v[i];

		if (in->op != IR_OP_STACK || ndefs[in->d] != 1)
			continue;
		v[in->d].stack = true;
		v[in->d].def = i;
	}
}

static int vregs_check(struct ir *ir)
{
	size_t i;
	int n;

	for (i = 0; i < ir->v.n; i++) {
		const struct ir_insn *in = &ir->v.v[i];
		vreg uses[6];

		n = insn_uses(in, uses);
		while (n--)
			if (uses[n] < 0 || uses[n] >= ir->nvregs)
				return bpf_error(ir, -EINVAL, "instruction %zu: no register", i);
		if (in->d < VREG_NONE || in->d >= ir->nvregs ||
		    (in->d == VREG_NONE && (insn_is_pure(in) || in->op == IR_OP_FETCH ||
					    in->op == IR_OP_XCHG || in->op == IR_OP_CMPXCHG)))
			return bpf_error(ir, -EINVAL, "instruction %zu: no result", i);
	}
	return 0;
}

static int spans_find(struct scan *sc)
{
	struct ir *ir = sc->ir;
	bool first = true;
	size_t i;
	int n;

	for (n = 0; n < ir->nvregs; n++)
		sc->s[n] = (struct span){ .start = -1, .end = -1, .want = -1 };
	for (i = 0; i < ir->v.n; i++) {
		const struct ir_insn *in = &ir->v.v[i];
		vreg uses[6];

		sc->calls[i + 1] = sc->calls[i];
		sc->clobbers[i + 1] = sc->clobbers[i];
		if (sc->out->skip[i] || in->op == IR_OP_LABEL || in->op == IR_OP_COMMENT)
			continue;
		if (in->op == IR_OP_ARG && !first)
			return bpf_error(ir, -EINVAL, "an argument is taken too late");
		first = in->op == IR_OP_ARG;
		sc->calls[i + 1] += insn_is_call(in);
		sc->clobbers[i + 1] += insn_is_call(in) || in->op == IR_OP_FETCH ||
				       in->op == IR_OP_XCHG || in->op == IR_OP_CMPXCHG;
		n = insn_uses(in, uses);
		while (n--) {
			struct span *s = &sc->s[uses[n]];

			if (use_is_stack_base(in, uses[n], sc->out->v[uses[n]].stack))
				continue;
			if (s->start < 0)
				return bpf_error(ir, -EINVAL, "v%d is used before it is set",
						 uses[n]);
			s->end = i;
			/* What is compared may be an offset, whose bounds a register keeps best. */
			s->nuses += in->op == IR_OP_JCC || in->op == IR_OP_JCCI ? 4 : 1;
		}
		if (in->d == VREG_NONE)
			continue;
		if (sc->s[in->d].start < 0) {
			if (insn_reads_d(in))
				return bpf_error(ir, -EINVAL, "v%d is used before it is set",
						 in->d);
			sc->s[in->d].start = i;
			sc->out->v[in->d].def = i;
		}
		sc->s[in->d].end = i;
		sc->s[in->d].ndefs++;
	}
	return 0;
}

/* Where the last use would like to find the value: an argument's register. */
static int span_want(const struct scan *sc, vreg v)
{
	const struct ir_insn *last = &sc->ir->v.v[sc->s[v].end];
	int i, want = -1;

	if (!insn_is_call(last))
		return -1;
	for (i = 0; i < last->nargs; i++)
		if (last->args[i] == v)
			want = want < 0 ? BPF_REG_1 + i : -1;
	return want;
}

static bool span_fits_r0(const struct scan *sc, vreg v)
{
	const struct span *s = &sc->s[v];
	const struct ir_insn *first = &sc->ir->v.v[s->start], *last = &sc->ir->v.v[s->end];

	/*
	 * A result that shares a register with the base is made in R0: then the base must not
	 * be there.
	 */
	if (first->op == IR_OP_FETCH || first->op == IR_OP_XCHG)
		return false;
	if (s->end == s->start)
		return true;
	if (sc->clobbers[s->end] != sc->clobbers[s->start + 1])
		return false;
	/* R0 takes b before a and c are read. */
	if (last->op == IR_OP_CMPXCHG)
		return last->a != v && last->c != v && last->d != v;
	return !(insn_is_call(last) && last->d == v);
}

static void spans_classify(struct scan *sc)
{
	vreg v;

	for (v = 0; v < sc->ir->nvregs; v++) {
		struct span *s = &sc->s[v];

		sc->out->v[v].used = s->nuses > 0 || s->ndefs > 1;
		if (s->start < 0)
			continue;
		s->crossing = s->end > s->start && sc->calls[s->end] != sc->calls[s->start + 1];
		s->r0 = span_fits_r0(sc, v);
		s->want = span_want(sc, v);
	}
}

/* ---- the scan ---- */

static bool reg_fits(const struct scan *sc, const struct span *s, int reg)
{
	if (reg >= BPF_REG_6)
		return reg <= BPF_REG_9;
	if (s->crossing)
		return false;
	if (sc->out->spills)
		return reg >= BPF_REG_1 && reg <= BPF_REG_3;
	return reg > BPF_REG_0 || s->r0;
}

static bool reg_is_free(const struct scan *sc, int reg)
{
	return sc->owner[reg] == VREG_NONE;
}

static bool reg_take(struct scan *sc, vreg v, int reg)
{
	if (reg < 0 || !reg_fits(sc, &sc->s[v], reg) || !reg_is_free(sc, reg))
		return false;
	sc->owner[reg] = v;
	sc->out->v[v].reg = reg;
	return true;
}

/*
 * If v ends its life in a move to a register that lives across calls, then v may live there at
 * once.
 */
static bool moves_to_crossing(const struct scan *sc, vreg v)
{
	const struct ir_insn *last = &sc->ir->v.v[sc->s[v].end];

	return last->op == IR_OP_MOV && last->a == v && sc->s[last->d].start == sc->s[v].end &&
	       sc->s[last->d].crossing;
}

static bool take_any(struct scan *sc, vreg v, int from, int to)
{
	int reg;

	for (reg = from; reg <= to; reg++)
		if (reg_take(sc, v, reg))
			return true;
	return false;
}

static bool take_preferred(struct scan *sc, vreg v, const struct ir_insn *in)
{
	switch (in->op) {
	case IR_OP_MOV:
		if (reg_take(sc, v, sc->out->v[in->a].reg))
			return true;
		break;
	case IR_OP_ARG: /* taken in order: none is in the way of those that follow */
		if (reg_take(sc, v, BPF_REG_1 + (int)in->imm))
			return true;
		break;
	case IR_OP_CALL:
	case IR_OP_KCALL:
	case IR_OP_CALLRT:
	case IR_OP_CMPXCHG:
		if (!moves_to_crossing(sc, v) && reg_take(sc, v, BPF_REG_0))
			return true;
		break;
	case IR_OP_FETCH:
	case IR_OP_XCHG:
		if (reg_take(sc, v, sc->out->v[in->b].reg))
			return true;
		break;
	default: break;
	}
	if (reg_take(sc, v, sc->s[v].want))
		return true;
	return moves_to_crossing(sc, v) && take_any(sc, v, BPF_REG_6, BPF_REG_9);
}

static bool can_remat(const struct scan *sc, vreg v)
{
	return sc->s[v].ndefs == 1 && insn_is_const(&sc->ir->v.v[sc->s[v].start]);
}

/* Uses per length: what is seldom used and lives long goes to memory first. */
static double spill_cost(const struct scan *sc, vreg v)
{
	const struct span *s = &sc->s[v];
	double cost = (double)(s->nuses + s->ndefs) / (s->end - s->start + 1);

	return can_remat(sc, v) ? cost / 4 : cost;
}

static void spill(struct scan *sc, vreg v)
{
	struct place *p = &sc->out->v[v];

	p->reg = -1;
	p->remat = can_remat(sc, v);
}

/* Sends the cheapest of v and those whose register would do for v to memory. */
static void spill_one_for(struct scan *sc, vreg v)
{
	double best = spill_cost(sc, v);
	int reg, victim = -1;

	for (reg = BPF_REG_0; reg <= BPF_REG_9; reg++) {
		double cost;

		if (!reg_fits(sc, &sc->s[v], reg) || reg_is_free(sc, reg))
			continue;
		cost = spill_cost(sc, sc->owner[reg]);
		if (cost < best) {
			best = cost;
			victim = reg;
		}
	}
	if (victim < 0) {
		spill(sc, v);
		return;
	}
	spill(sc, sc->owner[victim]);
	sc->owner[victim] = VREG_NONE;
	reg_take(sc, v, victim);
}

static void expire(struct scan *sc, int now)
{
	int reg;

	for (reg = BPF_REG_0; reg <= BPF_REG_9; reg++)
		if (sc->owner[reg] != VREG_NONE && sc->s[sc->owner[reg]].end <= now)
			sc->owner[reg] = VREG_NONE;
}

/* False: registers are short, and nothing may be in memory yet. */
static bool scan_insns(struct scan *sc)
{
	int i, reg;

	for (reg = 0; reg < BPF_REG_10; reg++)
		sc->owner[reg] = VREG_NONE;
	for (i = 0; i < (int)sc->ir->v.n; i++) {
		const struct ir_insn *in = &sc->ir->v.v[i];
		vreg v = in->d;

		if (sc->out->skip[i] || v == VREG_NONE || sc->s[v].start != i)
			continue;
		if (!sc->out->v[v].used && insn_is_call(in))
			continue;
		expire(sc, i);
		if (take_preferred(sc, v, in) || take_any(sc, v, BPF_REG_1, BPF_REG_5) ||
		    take_any(sc, v, BPF_REG_0, BPF_REG_0) || take_any(sc, v, BPF_REG_6, BPF_REG_9))
			continue;
		if (!sc->out->spills)
			return false;
		spill_one_for(sc, v);
	}
	return true;
}

/* Stack slots for what is in memory; in order of definition, so that slots serve again. */
static int slots_assign(struct scan *sc)
{
	int until[BPF_SPILL_MAX / 8]; /* instruction from which the slot is free */
	int i, slot, nslots = 0;

	for (i = 0; i < (int)sc->ir->v.n; i++) {
		vreg v = sc->ir->v.v[i].d;

		if (sc->out->skip[i] || v == VREG_NONE || sc->s[v].start != i)
			continue;
		if (!sc->out->v[v].used || sc->out->v[v].reg >= 0 || sc->out->v[v].remat)
			continue;
		for (slot = 0; slot < nslots && until[slot] > i; slot++)
			;
		if (slot == (int)ARRAY_SIZE(until))
			return bpf_error(sc->ir, -ENOSPC, "too many values at once");
		if (slot == nslots)
			nslots++;
		until[slot] = sc->s[v].end;
		sc->out->v[v].slot = -(sc->ir->stack_used + 8 * (slot + 1));
	}
	return 0;
}

static void places_reset(struct scan *sc)
{
	vreg v;

	for (v = 0; v < sc->ir->nvregs; v++) {
		sc->out->v[v].reg = -1;
		sc->out->v[v].remat = false;
	}
}

int regs_assign(struct ir *ir, struct regs *out)
{
	struct arena *a = ir->arena;
	int *placed = arena_alloc(a, ir->nlabels * sizeof(*placed) + 1);
	struct scan sc = { .ir = ir, .out = out };
	int ret;

	if (ir->error)
		return ir->error;
	memset(out, 0, sizeof(*out));
	out->skip = arena_alloc(a, ir->v.n + 1);
	out->v = arena_alloc(a, (ir->nvregs + 1) * sizeof(*out->v));
	sc.s = arena_alloc(a, (ir->nvregs + 1) * sizeof(*sc.s));
	sc.calls = arena_alloc(a, (ir->v.n + 1) * sizeof(*sc.calls));
	sc.clobbers = arena_alloc(a, (ir->v.n + 1) * sizeof(*sc.clobbers));
	ret = vregs_check(ir);
	if (!ret)
		ret = jumps_thread(ir, placed);
	if (!ret)
		ret = unreachable_skip(ir, out->skip);
	if (ret)
		return ret;
	stack_addresses_mark(ir, out->v);
	useless_skip(ir, out->skip, placed, out->v);
	ret = spans_find(&sc);
	if (ret)
		return ret;
	spans_classify(&sc);
	places_reset(&sc);
	if (!scan_insns(&sc)) {
		out->spills = true;
		places_reset(&sc);
		scan_insns(&sc);
	}
	return slots_assign(&sc);
}

void regs_dump(const struct ir *ir, FILE *out)
{
	for (vreg v = 0; v < ir->nvregs; v++) {
		const struct place *p = &ir->regs->v[v];

		if (!p->used)
			continue;
		fprintf(out, "\tv%d\t", v);
		if (p->reg >= 0)
			fprintf(out, "r%d\n", p->reg);
		else if (p->stack)
			fprintf(out, "an address in the stack\n");
		else if (p->remat)
			fprintf(out, "made anew at each use\n");
		else
			fprintf(out, "[r10 %+d]\n", p->slot);
	}
	for (size_t i = 0; i < ir->funcs.n; i++) {
		fprintf(out, "function %s:\n", ir->funcs.v[i]->name);
		regs_dump(&ir->funcs.v[i]->ir, out);
	}
}
