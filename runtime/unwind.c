/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User stacks by what .eh_frame says: x86-64. Tables and their form are in abi/abi.h, "unwinding".
 *
 * A stack begins at the registers that the kernel saved when it was entered. For each frame the mapping
 * that its pc is in is looked up in the process's memory map, its file in our table, its rule in the rows
 * of the file. The kernel's tree of mappings is read without its lock, as the kernel itself does: nodes
 * live until programs like ours have ended. All that is read may be wrong all the same; a wrong pc leads
 * to no code, and the stack ends.
 */
#include "rt.h"

#define PAGE_SHIFT 12
#define VM_EXEC 4
#define USER_CS 0x33
#define TREE_DEPTH 8
#define LEAF 2 /* types of nodes below are leaves */
#define NODE_ARANGE 3
#define RETURNS 64 /* pending returns that are looked through */

/* struct pt_regs, in words */
enum { R_BP = 4, R_IP = 16, R_CS = 17, R_SP = 19, R_WORDS = 21 };

/* Of a signal's frame, from the stack pointer of the function that returns from it. */
enum { SIG_BP = 120, SIG_SP = 160, SIG_IP = 168 };

static __always_inline struct abi_unwind *unwind_get(u64 frame, u64 off)
{
	char *f = frame_get(frame);

	if (!f)
		return NULL;
	FENCE(f);
	FENCE(off);
	if (conf.frame_size < sizeof(struct abi_unwind) ||
	    off > conf.frame_size - sizeof(struct abi_unwind))
		return NULL;
	return (struct abi_unwind *)(f + off);
}

static __always_inline u64 unwind_pc(const struct abi_unwind *u)
{
	return u->exact ? u->ip : u->ip - 1;
}

/* ---- which file is at an address ---- */

/* What a node of the kernel's maple tree has at an index. */
ROUTINE u64 rt_unwind_slot(u64 frame, u64 off, u64 node, u64 index)
{
	struct abi_unwind *u = unwind_get(frame, off);
	u64 pivots = (node >> 3 & 15) == NODE_ARANGE ? 9 : 15, i, k;

	if (!u || bpf_probe_read_kernel(u->node, sizeof(u->node), (void *)(node & ~255ull)))
		return 0;
	/*
	 * Pivots are the last index of each slot; 0: this slot is the last. What is counted is in memory, so
	 * that the verifier does not tell every count from every other.
	 */
	u->work[0] = 0;
	NOUNROLL
	for (k = 0; k < 15; k++) {
		u64 pivot = u->node[1 + k] - 1;

		if (k < pivots && pivot < index - 1 && *(volatile u64 *)&u->work[0] == k)
			*(volatile u64 *)&u->work[0] = k + 1;
	}
	i = 1 + pivots + *(volatile u64 *)&u->work[0];
	FENCE(i);
	return i < 32 ? u->node[i] : 0;
}

/* The structure of the kernel's for the mapping at an address. */
static __always_inline u64 mapping_at(u64 frame, u64 off, u64 mm, u64 addr)
{
	u64 node = kernel_word(mm + conf.unwind.tree), type, i;

	if ((node & 3) != 2)
		return 0;
	NOUNROLL
	for (i = 0; i < TREE_DEPTH; i++) {
		type = node >> 3 & 15;
		if (!type || type > NODE_ARANGE)
			return 0;
		node = rt_unwind_slot(frame, off, node, addr);
		if (type < LEAF)
			return node;
	}
	return 0;
}

/* The rows of a file; one that is not known is asked for. */
ROUTINE u64 rt_unwind_file(u64 frame, u64 off, u64 dev, u64 ino)
{
	struct abi_unwind *u = unwind_get(frame, off);
	struct abi_unwind_ask ask;
	u64 hash = ABI_UNWIND_HASH((u32)dev, ino), i;

	if (!u)
		return 0;
	NOUNROLL
	for (i = 0; i < ABI_UNWIND_TRIES; i++) {
		struct abi_unwind_file *f =
			(void *)elem_get(unwfiles, hash + i & (ABI_UNWIND_FILES - 1));

		if (!f)
			return 0;
		if (f->state != ABI_UNWIND_READY)
			break;
		if (f->ino == ino && f->dev == (u32)dev) {
			u->first = f->first;
			u->count = f->count;
			return 0;
		}
	}
	u->unread = 1;
	ask.start = u->start;
	ask.ino = ino;
	ask.dev = dev;
	ask.pid = current_process();
	bpf_ringbuf_output(unwasks, &ask, sizeof(ask), 0);
	return 0;
}

/* What ip is in. 0: no code, 1: code, 2: code of no file. */
ROUTINE u64 rt_unwind_map(u64 frame, u64 off)
{
	struct abi_unwind *u = unwind_get(frame, off);
	u64 mm = kernel_word(bpf_get_current_task() + conf.unwind.mm), vma, file, inode, base;

	if (!u || !mm)
		return 0;
	u->first = u->count = u->unread = 0;
	vma = mapping_at(frame, off, mm, unwind_pc(u));
	if (!vma || bpf_probe_read_kernel(&u->start, 16, (void *)(vma + conf.unwind.start)) ||
	    unwind_pc(u) - u->start >= u->end - u->start ||
	    !(kernel_word(vma + conf.unwind.flags) & VM_EXEC)) {
		u->end = u->start;
		return 0;
	}
	base = u->start;
	u->base = base;
	file = kernel_word(vma + conf.unwind.file);
	if (!file) {
		if (kernel_word(mm + conf.unwind.vdso) != base) {
			u->unread = 1;
			return 2;
		}
		rt_unwind_file(frame, off, 0, ABI_UNWIND_VDSO);
		return 1;
	}
	u->base = base - (kernel_word(vma + conf.unwind.pgoff) << PAGE_SHIFT);
	inode = kernel_word(file + conf.unwind.inode);
	rt_unwind_file(frame, off,
		       (u32)kernel_word(kernel_word(inode + conf.unwind.sb) + conf.unwind.dev),
		       kernel_word(inode + conf.unwind.ino));
	return 1;
}

/* ---- returns that the kernel intercepts ---- */

/*
 * Return probes put the address of the kernel's own page in the place of the return address, which the
 * kernel keeps in a list by that place. True: ip is the one that was there.
 */
ROUTINE u64 rt_unwind_returns(u64 frame, u64 off)
{
	struct abi_unwind *u = unwind_get(frame, off);
	u64 task = bpf_get_current_task(), area, i, ret;

	if (!u || !conf.unwind.xol)
		return 0;
	area = kernel_word(kernel_word(task + conf.unwind.mm) + conf.unwind.xol);
	if (!area || kernel_word(area + conf.unwind.xol_addr) != u->ip)
		return 0;
	ret = u->ret ?: kernel_word(kernel_word(task + conf.unwind.utask) + conf.unwind.ret);
	NOUNROLL
	for (i = 0; i < RETURNS && ret; i++) {
		u64 stack = kernel_word(ret + conf.unwind.ret_stack), next;

		next = kernel_word(ret + conf.unwind.ret_next);
		if (stack == u->sp - 8) {
			u->ip = kernel_word(ret + conf.unwind.ret_addr);
			/* Several at one place have the same address. */
			u->ret = next;
			return 1;
		}
		ret = next;
	}
	return 0;
}

/* ---- one frame ---- */

/* The rule at a place of a file: that of the last row that is not behind it. */
ROUTINE u64 rt_unwind_rule(u64 first, u64 count, u64 place)
{
	u64 *row, i;

	NOUNROLL
	for (i = 0; i < 32 && count > 1; i++) {
		u64 half = count / 2;

		row = (u64 *)elem_get(unwrows, first + half);
		if (!row)
			return 0;
		if (*row >> 32 <= place) {
			first += half;
			count -= half;
		} else {
			count = half;
		}
	}
	row = (u64 *)elem_get(unwrows, first);
	return row && count && *row >> 32 <= place ? (u32)*row : 0;
}

static __always_inline bool user_word(u64 addr, u64 *w)
{
	return !bpf_probe_read_user(w, sizeof(*w), (void *)addr);
}

static __always_inline bool signal_step(struct abi_unwind *u)
{
	u64 ip, sp = u->sp, bp;

	if (!user_word(sp + SIG_IP, &ip) || !user_word(sp + SIG_BP, &bp) ||
	    !user_word(sp + SIG_SP, &sp))
		return false;
	u->ip = ip;
	u->sp = sp;
	u->bp = bp;
	u->exact = 1;
	return ip != 0;
}

/* The frame's address, 0: not known. */
static __always_inline u64 cfa_find(const struct abi_unwind *u, u32 rule)
{
	u64 kind = ABI_UNWIND_KIND(rule), off = ABI_UNWIND_OFF(rule), at = u->sp, w = 0;

	if (kind == ABI_UNWIND_PLT)
		return at + ((unwind_pc(u) & 15) * 8 >= off ? 16 : 8);
	if (kind == ABI_UNWIND_BP || kind == ABI_UNWIND_BP_DEREF)
		at = u->bp;
	at += off;
	if (kind == ABI_UNWIND_SP || kind == ABI_UNWIND_BP)
		return at;
	if (!user_word(at, &w))
		return 0;
	return kind == ABI_UNWIND_SP_DEREF ? w + 8 : w;
}

/* To the caller. 0: there is none. */
ROUTINE u64 rt_unwind_step(u64 frame, u64 off)
{
	struct abi_unwind *u = unwind_get(frame, off);
	u64 pc, cfa, bp, ra, how;
	u32 rule;

	if (!u)
		return 0;
	pc = unwind_pc(u);
	rule = u->count ? rt_unwind_rule(u->first, u->count, pc - u->base) : 0;
	if (ABI_UNWIND_KIND(rule) == ABI_UNWIND_END) {
		u->guess = 0;
		return 0;
	}
	if (ABI_UNWIND_KIND(rule) == ABI_UNWIND_SIGNAL) {
		if (!signal_step(u))
			return 0;
	} else {
		/*
		 * Code that nothing is known of is taken to have a frame pointer; where a stack begins, not before
		 * rt_unwind_unread() asks for it.
		 */
		if (!ABI_UNWIND_KIND(rule)) {
			if (u->n < 2 && !u->guess)
				return 0;
			/* A frame pointer of 0 means that nobody called, in a function that has set one up. */
			if (u->unread)
				u->guess = u->n < 2 || u->bp != 0;
			rule = ABI_UNWIND_RULE(ABI_UNWIND_BP, 2, 2);
		}
		cfa = cfa_find(u, rule);
		/* Stacks grow downwards; only the first function may have nothing of its own on it. */
		if (cfa & 7 || cfa < u->sp + 8 || !user_word(cfa - 8, &ra) || !ra)
			return 0;
		how = ABI_UNWIND_BP_OF(rule);
		bp = u->bp;
		if (how == ABI_UNWIND_BP_LOST)
			bp = 0;
		else if (how && !user_word(how == ABI_UNWIND_BP_OWN ? bp : cfa - how * 8, &bp))
			return 0;
		u->ip = ra;
		u->sp = cfa;
		u->bp = bp;
		u->exact = 0;
	}
	return 1;
}

/* ---- a stack ---- */

static __always_inline bool regs_read(struct abi_unwind *u)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const void *regs = (const void *)bpf_task_pt_regs(task);

	if (bpf_probe_read_kernel(u->node, R_WORDS * 8, regs) || u->node[R_CS] != USER_CS)
		return false;
	u->ip = u->node[R_IP];
	u->sp = u->node[R_SP];
	u->bp = u->node[R_BP];
	u->exact = 1;
	u->n = u->ret = u->guess = 0;
	u->start = u->end = 0;
	return true;
}

/* Goes on by CHUNK frames at most. True: it may go on still. */
ROUTINE u64 rt_unwind_some(u64 frame, u64 off, u64 max)
{
	struct abi_unwind *u = unwind_get(frame, off);
	char *f = frame_get(frame);
	u64 i, n, *pc;

	if (!u || !f)
		return 0;
	NOUNROLL
	for (i = 0; i < CHUNK; i++) {
		u64 go = unwind_pc(u) - u->start < u->end - u->start;

		if (!go)
			go = rt_unwind_map(frame, off);
		if (go != 1 && rt_unwind_returns(frame, off))
			go = rt_unwind_map(frame, off);
		n = u->n;
		if (!go || n >= max)
			return 0;
		pc = word_at(f, off + sizeof(*u) + n * 8, conf.frame_size);
		if (!pc)
			return 0;
		*pc = u->ip;
		u->n = n + 1;
		if (!rt_unwind_step(frame, off))
			return 0;
	}
	return 1;
}

/* Clears CHUNK words at most of what no pc was put into. */
ROUTINE u64 rt_unwind_clear(u64 frame, u64 at, u64 end)
{
	char *f = frame_get(frame);
	u64 i, *pc;

	if (!f)
		return 0;
	NOUNROLL
	for (i = 0; i < CHUNK && at < end; i++, at += 8) {
		pc = word_at(f, at, conf.frame_size);
		if (!pc)
			break;
		*pc = 0;
	}
	return 0;
}

/*
 * Goes on to the end of the stack. Gives how many pcs there are, the rest is 0. mark: where it ends because of a
 * guess, there is a mark behind, which counts.
 */
static __always_inline u64 rest(u64 frame, u64 off, u64 max, u64 mark)
{
	struct abi_unwind *u = unwind_get(frame, off);
	char *f = frame_get(frame);
	u64 i, n, *pc, at = off + sizeof(*u), end = at + max * 8;

	if (!u || !f)
		return 0;
	FOR_CHUNKS(i, max, conf.unwind.frames)
	if (!rt_unwind_some(frame, off, max))
		break;
	/* One pc alone: nothing is known of where it is, or nobody called it, which the kernel finds, too. */
	n = u->n;
	if (n < 2 && max > 1 && !u->guess)
		return 0;
	if (mark && u->guess && n < max) {
		pc = word_at(f, at + n * 8, conf.frame_size);
		if (pc)
			*pc = ABI_STACK_GOES_ON;
		n++;
	}
	at += n * 8;
	FOR_CHUNKS(i, max, conf.unwind.frames)
	{
		rt_unwind_clear(frame, at, end);
		at += CHUNK * 8;
	}
	return n;
}

/*
 * The user's stack of now, at most `max` pcs behind the struct abi_unwind at `off`; 0: the function where it begins is
 * in no table.
 */
ROUTINE u64 rt_unwind(u64 frame, u64 off, u64 max, u64 mark)
{
	struct abi_unwind *u = unwind_get(frame, off);

	return u && regs_read(u) ? rest(frame, off, max, mark) : 0;
}

#define FRAME_WORDS 16 /* in which rt_user_caller() looks */

/*
 * What rt_unwind() gave 0 for: the same, if it begins in code of a file that has not been read, or of none. caller: what
 * the first function is known to return to, if it has no frame yet, else 0.
 */
ROUTINE u64 rt_unwind_unread(u64 frame, u64 off, u64 max, u64 mark, u64 caller)
{
	struct abi_unwind *u = unwind_get(frame, off);
	u64 i, word;

	if (!u || u->n != 1 || !u->unread)
		return 0;
	u->guess = 1;
	if (caller) {
		NOUNROLL
		for (i = 0; i < FRAME_WORDS; i++) {
			if (!user_word(u->sp, &word))
				return 0;
			u->sp += 8;
			if (word == caller)
				break;
		}
		u->ip = caller;
		u->exact = 0;
	} else if (!rt_unwind_step(frame, off)) {
		u->start = u->end = 0;
		u->ip = 0;
	}
	return rest(frame, off, max, mark);
}
