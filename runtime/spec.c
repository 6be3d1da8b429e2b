/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Speculation: the states (see abi/abi.h), records in speculative buffers, and the copy of a part of
 * a speculation, all of one CPU's records, into the principal buffer.
 *
 * `part` is the number of an element of map specs: slot * nspec + id - 1.
 */
#include "rt.h"

#define CAS_TRIES 8
#define COPY_MAX 4096 /* bytes of one copy; what the kernel's copy routine is asked for at once */
#define LOOP_MAX (1ull << 23) /* turns that bpf_loop() agrees to */

/* The second fence keeps the compiler from adding before it has compared. */
static __always_inline u64 *state_get(u64 i)
{
	FENCE(i);
	if (i >= conf.nspec)
		return NULL;
	FENCE(i);
	return (u64 *)(specst + i * 8);
}

static __always_inline u64 *part_get(u64 part)
{
	FENCE(part);
	if (part >= (u64)conf.nspec * conf.nslots)
		return NULL;
	FENCE(part);
	return (u64 *)(specst + conf.spec_parts + part * sizeof(struct abi_spec_part));
}

/*
 * Where `max` bytes of an area can be touched from `off` on, else NULL. The second fence makes what
 * was compared what is added, also where the compiler is short of registers.
 */
static __always_inline char *window(char *area, u64 off, u64 size, u64 max)
{
	FENCE(off);
	if (size < max || off > size - max)
		return NULL;
	FENCE(off);
	return area + off;
}

static __always_inline u64 cas(u64 *p, u64 old, u64 new)
{
	return __sync_val_compare_and_swap(p, old, new);
}

/* A turn for every record that len bytes of a part may have. step ends a loop behind the last one, where it does nothing. */
static __always_inline void each_record(u64 len, void *step, void *ctx)
{
	u64 n = len / sizeof(struct abi_rec), i;

	NOUNROLL
	for (i = 0; i <= conf.specsize / sizeof(struct abi_rec); i += LOOP_MAX)
		bpf_loop(min_u64(n, LOOP_MAX), step, ctx, 0);
}

/* ---- speculation() ------------------------------------------------------------------------- */

struct search {
	u64 id;
	bool busy;
};

static long search_step(u64 i, struct search *s)
{
	u64 *w = state_get(i), old;

	if (!w)
		return 1;
	old = *(volatile u64 *)w;
	if (old == ABI_SPEC_INACTIVE)
		old = cas(w, ABI_SPEC_INACTIVE, ABI_SPEC_ACTIVE);
	if (old == ABI_SPEC_INACTIVE) {
		s->id = i + 1;
		return 1;
	}
	if (ABI_SPEC_STATE(old) >= ABI_SPEC_COMMITTING)
		s->busy = true;
	return 0;
}

/* The id of a free speculation, which is active from now on; 0: none, counted. */
ROUTINE u64 rt_speculation(void)
{
	struct search s = { 0 };

	bpf_loop(conf.nspec, search_step, &s, 0);
	if (!s.id)
		drop_count(s.busy ? ABI_DROP_SPECBUSY : ABI_DROP_SPECUNAVAIL);
	return s.id;
}

/* ---- speculate() --------------------------------------------------------------------------- */

/* The caller is inside: from here on nobody takes the data of an active speculation away. */
static __always_inline bool become_active(u64 *state, u64 slot)
{
	u64 w = *(volatile u64 *)state, new, old;
	int i;

	NOUNROLL
	for (i = 0; i < CAS_TRIES; i++) {
		if (ABI_SPEC_STATE(w) == ABI_SPEC_ACTIVE)
			new = ABI_SPEC_ACTIVEONE | slot << 32;
		else if (ABI_SPEC_STATE(w) == ABI_SPEC_ACTIVEONE && ABI_SPEC_SLOT(w) != slot)
			new = ABI_SPEC_ACTIVEMANY;
		else
			return ABI_SPEC_STATE(w) == ABI_SPEC_ACTIVEONE ||
			       ABI_SPEC_STATE(w) == ABI_SPEC_ACTIVEMANY;
		old = cas(state, w, new);
		if (old == w)
			return true;
		w = old;
	}
	return false;
}

/*
 * Enters the speculation and reserves `need` bytes of this CPU's part: gives their offset, and
 * rt_spec_leave() is to be called. Negative: ABI_SPEC_*, and there is nothing to leave. need 0:
 * only the state changes, nothing is to be left.
 */
ROUTINE s64 rt_speculate(s64 id, u64 slot, u64 need)
{
	u64 i = (u64)id - 1, w, old, *state = state_get(i), *part;
	s64 ret = ABI_SPEC_NOROOM;
	int try;

	if (!state)
		return ABI_SPEC_NONE;
	part = part_get(slot * conf.nspec + i);
	if (!part)
		return ABI_SPEC_NONE;
	__sync_fetch_and_add(part, ABI_SPEC_ENTER);
	if (!become_active(state, slot)) {
		ret = ABI_SPEC_NONE;
	} else if (need == 0) {
		ret = 0;
	} else if (need <= conf.specsize) {
		w = *(volatile u64 *)part;
		NOUNROLL
		for (try = 0; try < CAS_TRIES; try++) {
			if ((u32)w > conf.specsize - need)
				break;
			old = cas(part, w, w + need);
			if (old == w)
				return (u32)w;
			w = old;
		}
	}
	if (ret == ABI_SPEC_NOROOM)
		drop_count(ABI_DROP_SPEC);
	__sync_fetch_and_add(part, -ABI_SPEC_ENTER);
	return ret;
}

/*
 * Gives back the last `unused` bytes of what ends at `end`, if nothing was reserved behind it
 * meanwhile. 1: done.
 */
ROUTINE u64 rt_spec_give_back(u64 part, u64 end, u64 unused)
{
	u64 *p = part_get(part), w, old;
	int try;

	if (!p)
		return 0;
	w = *(volatile u64 *)p;
	NOUNROLL
	for (try = 0; try < CAS_TRIES && (u32)w == end; try++) {
		old = cas(p, w, w - unused);
		if (old == w)
			return 1;
		w = old;
	}
	return 0;
}

/* All that this firing stored in the part can now be seen by those who find nobody inside. */
ROUTINE u64 rt_spec_leave(u64 part)
{
	u64 *p = part_get(part);

	if (p)
		__sync_fetch_and_add(p, -ABI_SPEC_ENTER);
	return 0;
}

/* The record at off becomes filler. */
ROUTINE u64 rt_spec_abandon(u64 part, u64 off)
{
	char *data = elem_get(specs, part);

	if (data)
		data = window(data, off, conf.specsize, sizeof(struct abi_rec));
	if (data)
		((struct abi_rec *)data)->epid = ABI_EPID_NONE;
	rt_spec_leave(part);
	return 0;
}

/* ---- commit() and discard() ---------------------------------------------------------------- */

/*
 * The end of COMMITTING. `taken` bytes of this CPU's part are gone; what else there is, or all with
 * `taken` 0, is the cleaner's.
 */
static __always_inline void finish(u64 *state, u64 *part, u64 slot, u64 taken, u32 rest)
{
	u64 w = *(volatile u64 *)state;
	u64 left = *(volatile u64 *)part;
	bool own = ABI_SPEC_BEFORE(w) == ABI_SPEC_ACTIVE ||
		   (ABI_SPEC_BEFORE(w) == ABI_SPEC_ACTIVEONE && ABI_SPEC_SLOT(w) == slot &&
		    (taken || !left));

	if (taken)
		__sync_fetch_and_add(part, -taken);
	cas(state, w, own ? ABI_SPEC_INACTIVE : rest);
}

/* Bytes that can be taken: none while a program that was interrupted is still at it. */
static __always_inline u64 takeable(u64 *part)
{
	u64 w = *(volatile u64 *)part;

	return w >> 32 ? 0 : w;
}

/*
 * Takes an active speculation away: the number of bytes of this CPU's part that the caller has to move or to
 * forget. Then the state is COMMITTING, nobody else touches them, and rt_spec_done() is to be called. 0: there is
 * nothing to do. rest: what the state becomes if the cleaner has to see to it.
 */
static __always_inline s64 take(s64 id, u64 slot, u32 rest)
{
	u64 i = (u64)id - 1, w, old, n, next = 0, *state = state_get(i), *part;
	int try;

	if (id == 0)
		return 0;
	if (!state)
		return ABI_SPEC_BADID;
	part = part_get(slot * conf.nspec + i);
	if (!part)
		return ABI_SPEC_BADID;
	w = *(volatile u64 *)state;
	NOUNROLL
	for (try = 0; try < CAS_TRIES; try++) {
		if (ABI_SPEC_STATE(w) < ABI_SPEC_ACTIVE || ABI_SPEC_STATE(w) > ABI_SPEC_ACTIVEMANY)
			return 0;
		next = (w & ~0xffull) | (w & 0xff) << 8 | ABI_SPEC_COMMITTING;
		/* There is no hurry to forget what is not all here. */
		if (rest == ABI_SPEC_DISCARDING &&
		    (ABI_SPEC_STATE(w) != ABI_SPEC_ACTIVEONE || ABI_SPEC_SLOT(w) != slot))
			next = ABI_SPEC_DISCARDING;
		old = cas(state, w, next);
		if (old == w)
			break;
		w = old;
	}
	if (try == CAS_TRIES || next == ABI_SPEC_DISCARDING)
		return 0;
	n = takeable(part);
	if (!n)
		finish(state, part, slot, 0, rest);
	return n;
}

ROUTINE s64 rt_commit(s64 id, u64 slot)
{
	return take(id, slot, ABI_SPEC_COMMITTINGMANY);
}

ROUTINE s64 rt_discard(s64 id, u64 slot)
{
	return take(id, slot, ABI_SPEC_DISCARDING);
}

/* Ends COMMITTING. taken 0: the bytes could not be moved now, the cleaner does it. */
ROUTINE u64 rt_spec_done(u64 id, u64 slot, u64 taken)
{
	u64 *state = state_get(id - 1), *part = part_get(slot * conf.nspec + id - 1);

	if (state && part)
		finish(state, part, slot, taken, ABI_SPEC_COMMITTINGMANY);
	return 0;
}

/* ---- copying -------------------------------------------------------------------------------- */

/*
 * What changes from turn to turn comes out of global functions: of that the verifier knows nothing, and sees
 * that one turn is like the other.
 */

/* The size of the record at `from`, 0: none. */
ROUTINE u64 rt_spec_size(u64 part, u64 from)
{
	char *data = elem_get(specs, part);

	if (data)
		data = window(data, from, conf.specsize, sizeof(struct abi_rec));
	return data ? ((struct abi_rec *)data)->size : 0;
}

struct copy {
	u64 part, from; /* in specs */
	u64 elem, to;	/* in bufs */
	u64 left;	/* bytes */
	u64 base;	/* records: where the block begins */
	u64 length;	/* of the block */
	u64 time;
};

/*
 * Up to max bytes with one copy; 0: they would come too near to the end of an area for the verifier
 * to agree, though not too near for the bytes.
 */
static __always_inline u64 copy_piece(char *src, u64 from, char *dst, u64 to, u64 n, u64 max)
{
	src = window(src, from, conf.specsize, max);
	dst = window(dst, to, conf.bufmap, max);
	if (!src || !dst)
		return 0;
	FENCE(n);
	if (n > max)
		n = max;
	FENCE(n);
	bpf_probe_read_kernel(dst, n, src);
	return n;
}

/* Copies some of n bytes, gives how many. */
ROUTINE u64 rt_spec_piece(u64 part, u64 from, u64 elem, u64 to, u64 n)
{
	char *src = elem_get(specs, part), *dst = elem_get(bufs, elem);
	u64 done;

	if (!src || !dst)
		return 0;
	done = copy_piece(src, from, dst, to, n, COPY_MAX);
	if (!done)
		done = copy_piece(src, from, dst, to, n, 256);
	if (!done)
		done = copy_piece(src, from, dst, to, n, 8);
	return done;
}

static long copy_step(u64 i, struct copy *c)
{
	u64 n = rt_spec_piece(c->part, c->from, c->elem, c->to, c->left);

	(void)i;
	c->from += n;
	c->to += n;
	c->left -= n;
	return !n || !c->left;
}

/* Near the end of an area the steps are small. */
static __always_inline void copy_run(struct copy *c)
{
	bpf_loop(c->left / COPY_MAX + COPY_MAX / 256 + 256 / 8 + 2, copy_step, c, 0);
}

/* All `n` bytes of a part from `from` on. */
ROUTINE u64 rt_spec_bytes(u64 part, u64 from, u64 elem, u64 to, u64 n)
{
	struct copy c = { .part = part, .from = from, .elem = elem, .to = to, .left = n };

	if (copy_step(0, &c) == 0)
		copy_run(&c);
	return 0;
}

ROUTINE u64 rt_spec_stamp(u64 elem, u64 at, u64 time)
{
	char *dst = elem_get(bufs, elem);

	if (dst)
		dst = window(dst, at, conf.bufmap, sizeof(struct abi_rec_time));
	if (dst)
		((struct abi_rec_time *)dst)->time = time;
	return 0;
}

/*
 * One record. Linear buffers have the oldest one first; a ring is written downwards, the oldest
 * record stands at the end of the block, and one that would begin behind the end of the ring begins
 * at its start.
 */
static long record_step(u64 i, struct copy *c)
{
	u64 size = rt_spec_size(c->part, c->from), at = c->base;

	(void)i;
	if (size < sizeof(struct abi_rec) || size > c->length)
		return 1;
	if (conf.ring_segment) {
		at += c->length - size;
		if (at >= conf.bufsize)
			at -= conf.bufsize;
	} else {
		c->base += size;
	}
	rt_spec_bytes(c->part, c->from, c->elem, at, size);
	if (conf.temporal)
		rt_spec_stamp(c->elem, at, c->time);
	c->from += size;
	c->length -= size;
	return !c->length;
}

/* All `len` bytes of a part to offset `to` of element elem of bufs, where they are reserved. */
ROUTINE u64 rt_spec_copy(u64 elem, u64 to, u64 part, u64 len, u64 time)
{
	struct copy c = { .part = part, .elem = elem, .base = to, .length = len, .time = time };

	if (conf.ring_segment || conf.temporal)
		each_record(len, record_step, &c);
	else
		rt_spec_bytes(part, 0, elem, to, len);
	return 0;
}

/* ---- accounting ----------------------------------------------------------------------------- */

struct tally {
	u64 part, from, len, cause;
};

/* Counts one record, gives its size. */
ROUTINE u64 rt_spec_tally(u64 part, u64 from, u64 cause)
{
	char *src = elem_get(specs, part), *cells;
	u64 epid;

	if (!conf.nspec)
		return 0;
	cells = elem_get(acct, part / conf.nspec);
	if (!src || !cells)
		return 0;
	src = window(src, from, conf.specsize, sizeof(struct abi_rec));
	if (!src)
		return 0;
	epid = ((struct abi_rec *)src)->epid;
	if (epid != ABI_EPID_NONE) {
		cells = window(cells, epid * sizeof(struct abi_acct),
			       conf.acct_epids * sizeof(struct abi_acct), sizeof(struct abi_acct));
		if (cells)
			__sync_fetch_and_add((u64 *)cells + (cause & 15), 1);
	}
	return ((struct abi_rec *)src)->size;
}

static long tally_step(u64 i, struct tally *t)
{
	u64 size;

	(void)i;
	if (t->from >= t->len)
		return 1;
	size = rt_spec_tally(t->part, t->from, t->cause);
	t->from += size;
	return !size;
}

/* Counts the records of a part for their EPIDs. */
ROUTINE u64 rt_spec_account(u64 part, u64 len, u64 cause)
{
	struct tally t = { .part = part, .len = len, .cause = cause };

	each_record(len, tally_step, &t);
	return 0;
}
