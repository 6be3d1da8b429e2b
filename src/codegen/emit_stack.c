/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks and addresses: stack(), ustack(), sym() ... as actions and as keys; caller, ucaller and
 * the depths.
 *
 * The kernel unwinds, straight into the record or tuple. What it gives begins with us:
 *
 *   raw tracepoints  the program, bpf_trace_runN, sometimes two functions named after the
 *                    tracepoint, then the function in which the probe is. How many there are
 *                    depends on who else traces it, so they are looked for among the first
 *                    frames, by address.
 *   timers           the way from the interrupt to us. The provider tells the pc that was
 *                    interrupted.
 *   trampolines      the program and the trampoline.
 *   others           nothing: the unwinding begins at the registers of the probe.
 *
 * User stacks are followed by tables where they know the code (runtime/unwind.c). The kernel follows
 * them by frame pointers only. In a function that has not set up its
 * frame, or has none (system calls of libc), it skips the caller; providers that can tell it give
 * it by a hook, and it is put into second place.
 */
#include <stddef.h>

#include "codegen/cg_impl.h"
#include "kern/kern.h"

#define USER_STACK 256 /* BPF_F_USER_STACK; the bits below are the frames to skip */
#define SKIP_ALL 255
#define OWN_FRAMES 4	    /* ours and those of the tracepoint, at most */
#define INTERRUPT_FRAMES 16 /* from a timer's interrupt to us, at most */

/* ---- what is recorded ---- */

/*
 * Frames to record and to show. One more than shown is recorded where nobody has asked for so many:
 * it tells that the stack goes on. The kernel has a limit of its own.
 */
static void frames_set(const struct cg_clause *cl, const struct node *n, struct addr *a)
{
	const struct lang_options *o = &cl->env->ses->opt;
	const struct node_list *args = &n->u.call.args;
	uint32_t max = kern_perf_max_stack();
	bool bounded = false;
	uint64_t want = a->func == FN_stack    ? o->stackframes
			: a->func == FN_ustack ? o->ustackframes
					       : o->jstackframes;

	if (args->n) /* checked: a constant above 0 */
		want = args->v[0]->u.integer.value;
	if (o->maxframes && want > o->maxframes) {
		want = o->maxframes;
		bounded = true;
	}
	a->slots = (uint32_t)MIN(want, max);
	a->frames = a->slots;
	if (args->n && want <= max && !bounded)
		return;
	if (want < max)
		a->slots++;
	else
		a->frames--;
}

bool addr_describe(const struct cg_clause *cl, const struct node *n, struct addr *a)
{
	if (n->kind != NODE_CALL || !n->u.call.func || !(n->u.call.func->flags & FUNC_ADDRESS))
		return false;
	*a = (struct addr){ .func = n->u.call.func->id };
	switch (a->func) {
	case FN_stack:
		a->kind = FIELD_STACK;
		frames_set(cl, n, a);
		a->words = a->slots;
		break;
	case FN_ustack:
	case FN_jstack:
		a->kind = FIELD_USTACK;
		frames_set(cl, n, a);
		a->words = 1 + a->slots;
		break;
	case FN_sym:
	case FN_func:
	case FN_mod:
		a->kind = FIELD_SYM;
		a->words = 1;
		break;
	default: a->kind = FIELD_USYM; a->words = 2;
	}
	return true;
}

/* ---- the kernel's stack ---- */

static vreg get_stack(struct cg *cg, vreg to, uint32_t frames, vreg flags)
{
	struct ir *ir = cg->ir;

	return ir_call(ir, BPF_FUNC_get_stack, 4, cg->ctx, to, ir_imm(ir, 8 * frames), flags);
}

/* A frame temporary that holds the first frames, nothing skipped. */
static uint32_t first_frames(struct cg *cg, uint32_t frames, uint64_t flags)
{
	uint32_t off = frame_temp(cg, 8 * frames);
	vreg p = cg_ptr_add(cg, cg->frame, off);

	get_stack(cg, p, frames, ir_imm(cg->ir, (int64_t)flags));
	return off;
}

/* The probe is where the timer's interrupt found the kernel; pc 0: it did not find the kernel. */
static vreg skip_to_pc(struct cg *cg, vreg pc)
{
	struct ir *ir = cg->ir;
	label done = ir_label(ir);
	vreg skip = ir_imm(ir, SKIP_ALL);

	ir_jcci(ir, IR_EQ, pc, 0, done);
	uint32_t off = first_frames(cg, INTERRUPT_FRAMES, (uint64_t)cg->calls);
	for (uint32_t i = 1; i < INTERRUPT_FRAMES; i++) {
		ir_imm_to(ir, skip, cg->calls + (int)i);
		ir_jcc(ir, IR_EQ, frame_load(cg, 8, off + 8 * i), pc, done);
	}
	ir_imm_to(ir, skip, SKIP_ALL);
	ir_place(ir, done);
	return skip;
}

struct range {
	uint64_t start, end;
};

/* Makes the range wider by a function of the kernel. */
static void range_add(struct cg *cg, struct range *r, const char *name)
{
	const struct cg_env *e = cg->env;
	uint64_t start, end;

	if (!e->ksym || e->ksym(e->ksym_arg, name, &start, &end))
		return;
	r->start = r->end ? MIN(r->start, start) : start;
	r->end = MAX(r->end, end);
}

/*
 * Functions of the kernel that may stand between a raw tracepoint and its program. bpf_trace_run1
 * to bpf_trace_run12 are made by one macro: they stand together, in whatever order.
 */
static size_t tracepoint_ranges(struct cg *cg, struct range r[3])
{
	static const char *const wraps[] = { "__bpf_trace_%s", "__traceiter_%s" };
	char name[128];
	size_t n = 0;

	r[0] = r[1] = r[2] = (struct range){ 0 };
	for (int i = 1; i <= 12; i++) {
		snprintf(name, sizeof(name), "bpf_trace_run%d", i);
		range_add(cg, &r[0], name);
	}
	n += r[0].end > 0 && r[0].end - r[0].start < 1u << 20;
	for (size_t i = 0; i < ARRAY_SIZE(wraps) && cg->g->tracepoint; i++) {
		snprintf(name, sizeof(name), wraps[i], cg->g->tracepoint);
		r[n] = (struct range){ 0 };
		range_add(cg, &r[n], name);
		n += r[n].end > 0;
	}
	return n;
}

static vreg skip_tracepoint(struct cg *cg)
{
	struct ir *ir = cg->ir;
	struct range r[3];
	size_t n = cg->trial ? 3 : tracepoint_ranges(cg, r);
	int own = 1 + cg->calls; /* the program and its functions */
	label done = ir_label(ir);

	if (cg->trial)
		first_frames(cg, OWN_FRAMES, 0);
	if (cg->trial || cg->g->activity != ABI_ACTIVE) /* BEGIN and END are called by us */
		return ir_imm(ir, own);
	if (!n)
		return ir_imm(ir, own + 1);
	uint32_t off = first_frames(cg, OWN_FRAMES, (uint64_t)cg->calls);
	vreg skip = ir_imm(ir, own);
	for (uint32_t i = 1; i < OWN_FRAMES; i++) {
		label next = ir_label(ir);
		vreg pc = frame_load(cg, 8, off + 8 * i);

		for (size_t k = 0; k < n; k++) {
			vreg d = ir_mov(ir, pc);
			vreg start = ir_imm(ir, (int64_t)r[k].start);

			ir_alu(ir, IR_SUB, d, start);
			ir_jcci(ir, IR_ULT, d, (int64_t)(r[k].end - r[k].start), next);
		}
		ir_jmp(ir, done);
		ir_place(ir, next);
		ir_imm_to(ir, skip, own + (int)i);
	}
	ir_place(ir, done);
	return skip;
}

/* How many frames stand before that of the probe. */
static vreg kernel_skip(struct cg *cg)
{
	const struct cg_probe_ops *ops = cg->g->ops;

	ir_comment(cg->ir, "where the kernel's stack begins");
	if (cg->trial)
		frame_temp(cg, 8 * INTERRUPT_FRAMES);
	if (!cg->trial && ops->kernel_pc)
		return skip_to_pc(cg, ops->kernel_pc(cg, cg->ctx, cg->g->data));
	if (!cg->trial && ops->own_frames)
		return ir_imm(cg->ir, ops->own_frames);
	if (cg->trial || ops->prog_type == BPF_PROG_TYPE_RAW_TRACEPOINT ||
	    ops->prog_type == BPF_PROG_TYPE_TRACING)
		return skip_tracepoint(cg);
	return ir_imm(cg->ir, 0);
}

/*
 * Gives the bytes that were stored; what is left of the room is cleared. Negative: there is no
 * stack.
 */
static vreg kernel_stack(struct cg *cg, vreg to, uint32_t frames)
{
	return get_stack(cg, to, frames, kernel_skip(cg));
}

/* ---- the user's stack ---- */

/* The caller that the kernel skips, 0 if none is known. */
static vreg hidden_caller(struct cg *cg)
{
	if (cg->trial || !cg->g->ops->user_caller)
		return VREG_NONE;
	ir_comment(cg->ir, "the caller that frame pointers do not show");
	return cg->g->ops->user_caller(cg, cg->ctx, cg->g->data);
}

static vreg kernel_user_stack(struct cg *cg, vreg to, uint32_t frames, vreg caller)
{
	struct ir *ir = cg->ir;
	label done = ir_label(ir), own = ir_label(ir);
	vreg rc = get_stack(cg, cg_ptr_add(cg, to, 0), frames, ir_imm(ir, USER_STACK));

	if (caller == VREG_NONE)
		return rc;
	ir_jcci(ir, IR_EQ, caller, 0, done);
	ir_jcci(ir, IR_SLT, rc, 8, done);
	ir_jcci(ir, IR_EQ, rc, 8, own);
	ir_jcc(ir, IR_EQ, ir_load(ir, 8, to, 8), caller, done);
	ir_place(ir, own);
	ir_store(ir, 8, to, 8, caller);
	ir_imm_to(ir, rc, 16);
	if (frames > 2) {
		vreg more = get_stack(cg, cg_ptr_add(cg, to, 16), frames - 2,
				      ir_imm(ir, USER_STACK | 1));

		ir_jcci(ir, IR_SLT, more, 0, done);
		ir_alu(ir, IR_ADD, rc, more);
	}
	ir_place(ir, done);
	return rc;
}

/*
 * By our tables: the way to `done` with the bytes that were stored in rc. Where the stack begins in code
 * that they will never know, it goes on behind: the kernel is asked. Gives the caller that it would not show.
 */
static vreg unwound(struct cg *cg, vreg to, uint32_t frames, bool marked, vreg rc, label done)
{
	struct ir *ir = cg->ir;
	label found = ir_label(ir), not_known = ir_label(ir);
	uint32_t mark = frame_mark(cg);
	uint32_t off = frame_temp(cg, (uint32_t)sizeof(struct abi_unwind) + 8 * frames);

	ir_comment(ir, "the user's stack, by tables");
	ir_mov_to(ir, rc,
		  ir_callrt(ir, "rt_unwind", 4, frame_index(cg), ir_imm(ir, off),
			    ir_imm(ir, frames), ir_imm(ir, marked)));
	ir_jcci(ir, IR_NE, rc, 0, found);
	vreg caller = frames > 1 ? hidden_caller(cg) : VREG_NONE;
	ir_mov_to(ir, rc,
		  ir_callrt(ir, "rt_unwind_unread", 5, frame_index(cg), ir_imm(ir, off),
			    ir_imm(ir, frames), ir_imm(ir, marked),
			    caller == VREG_NONE ? ir_imm(ir, 0) : caller));
	ir_jcci(ir, IR_EQ, rc, 0, not_known);
	ir_place(ir, found);
	ir_call(ir, BPF_FUNC_probe_read_kernel, 3, cg_ptr_add(cg, to, 0), ir_imm(ir, 8 * frames),
		cg_ptr_add(cg, cg->frame, off + sizeof(struct abi_unwind)));
	ir_alui(ir, IR_SHL, rc, 3);
	ir_jmp(ir, done);
	ir_place(ir, not_known);
	frame_release(cg, mark);
	return caller;
}

/* marked: STACK_GOES_ON stands behind it where it was cut by code that nothing is known of. */
static vreg user_stack(struct cg *cg, vreg to, uint32_t frames, bool marked)
{
	struct ir *ir = cg->ir;
	label done = ir_label(ir);
	vreg rc = ir_imm(ir, 0), caller;

	cg->env->uses_unwind = true;
	if (cg->env->unwinds)
		caller = unwound(cg, to, frames, marked, rc, done);
	else
		caller = frames > 1 ? hidden_caller(cg) : VREG_NONE;
	ir_mov_to(ir, rc, kernel_user_stack(cg, to, frames, caller));
	ir_place(ir, done);
	return rc;
}

/*
 * The word that tells the process and, if it has executed more than one program, which of them:
 * the number of its exec in the upper half (sym/track.h).
 */
vreg process_word(struct cg *cg)
{
	struct ir *ir = cg->ir;
	vreg v = cg_pid_tgid(cg);
	int at = kern_btf_member_offset("task_struct", "self_exec_id");

	ir_alui(ir, IR_SHR, v, 32);
	if (at < 0)
		return v;
	vreg task = ir_call(ir, BPF_FUNC_get_current_task, 0);
	int slot = cg_probe_stack(cg);
	ir_storei(ir, 8, ir_stack(ir, slot), 0, 0);
	ir_alui(ir, IR_ADD, task, at);
	ir_call(ir, BPF_FUNC_probe_read_kernel, 3, ir_stack(ir, slot), ir_imm(ir, 4), task);
	vreg execs = ir_load(ir, 4, ir_stack(ir, slot), 0);
	ir_alui(ir, IR_SHL, execs, 32);
	ir_alu(ir, IR_OR, v, execs);
	return v;
}

/* ---- actions and keys ---- */

/*
 * Words in use of a stack that stands behind `before` words and has `slots` of them. rc: bytes,
 * or negative.
 */
static vreg words_used(struct cg *cg, vreg rc, uint32_t before, uint32_t slots)
{
	struct ir *ir = cg->ir;
	label some = ir_label(ir), fits = ir_label(ir);
	vreg n = ir_mov(ir, rc);

	ir_jcci(ir, IR_SGE, n, 0, some);
	ir_imm_to(ir, n, 0);
	ir_place(ir, some);
	ir_alui(ir, IR_SHR, n, 3);
	ir_jcci(ir, IR_ULE, n, slots, fits);
	ir_imm_to(ir, n, slots);
	ir_place(ir, fits);
	ir_alui(ir, IR_ADD, n, before);
	return n;
}

vreg addr_emit(struct cg *cg, const struct node *n, const struct addr *a, vreg base, uint32_t off)
{
	struct ir *ir = cg->ir;
	vreg v;

	switch (a->kind) {
	case FIELD_STACK:
		return words_used(cg, kernel_stack(cg, cg_ptr_add(cg, base, off), a->slots), 0,
				  a->slots);
	case FIELD_USTACK:
		v = process_word(cg);
		base = cg_ptr_add(cg, base, off);
		ir_store(ir, 8, base, 0, v);
		ir_alui(ir, IR_ADD, base, 8);
		return words_used(cg, user_stack(cg, base, a->slots, true), 1, a->slots);
	case FIELD_USYM:
		v = expr_value(cg, n->u.call.args.v[0]);
		base = cg_ptr_add(cg, base, off);
		ir_store(ir, 8, base, 8, v);
		ir_store(ir, 8, base, 0, process_word(cg));
		return ir_imm(ir, 2);
	default:
		v = expr_value(cg, n->u.call.args.v[0]);
		base = cg_ptr_add(cg, base, off);
		ir_store(ir, 8, base, 0, v);
		return ir_imm(ir, 1);
	}
}

void addr_action(struct cg *cg, const struct stmt *s, const struct action *a)
{
	const struct field *f = &a->fields[0];
	uint32_t off;
	struct addr addr;
	vreg base;

	addr_describe(cg->cur.cl, s->expr, &addr);
	base = rec_place(cg, f, &off);
	rec_cut(cg, f, addr_emit(cg, s->expr, &addr, base, off));
}

/* ---- variables ---- */

vreg caller_value(struct cg *cg, bool user)
{
	uint32_t mark = frame_mark(cg), off = frame_temp(cg, 16);
	vreg p = cg_ptr_add(cg, cg->frame, off);

	if (user)
		user_stack(cg, p, 2, false);
	else
		kernel_stack(cg, p, 2);
	vreg v = frame_load(cg, 8, off + 8);
	frame_release(cg, mark);
	return v;
}

vreg stack_depth(struct cg *cg, bool user)
{
	uint32_t mark = frame_mark(cg), max = kern_perf_max_stack();
	uint32_t bound = cg->env->ses->opt.maxframes;

	if (bound && bound < max)
		max = bound;
	vreg p = cg_ptr_add(cg, cg->frame, frame_temp(cg, 8 * max));
	vreg rc = user ? user_stack(cg, p, max, false) : kernel_stack(cg, p, max);
	vreg n = words_used(cg, rc, 0, max);

	frame_release(cg, mark);
	return n;
}
