/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dynamic variables: thread-local variables and associative arrays, in one hash map of the
 * kernel.
 *
 * Stores always go through the map's update, never through a pointer found before: an element
 * may be deleted and given to another key at any time, by another CPU or by a nested firing.
 * For the same reason a load of what several threads share is made again when a store to that
 * key went on beside it (struct abi_dvar_turn): the value may have been that of another key,
 * and a key that is being replaced may not have been found.
 */
#include "rt.h"

#include <linux/errno.h>

/*
 * Reads the tuple into a key: the words themselves, or four hashes of them when there are too
 * many.
 */
static __always_inline void key_make(struct abi_dvar_key *k, const char *f, u64 frame, u64 key,
				     u64 nwords_var)
{
	u64 nwords = (u32)nwords_var & ~ABI_DVAR_SHARED, i;
	const u64 *w;

	__builtin_memset(k, 0, sizeof(*k));
	k->var = nwords_var >> 32;
	k->nwords = nwords;
	if (nwords > ABI_DVAR_WORDS) {
		UNROLL
		for (i = 0; i < 4; i++)
			k->w[i] = rt_key_hash(frame, key, nwords, (i + 1) * 0xd1b54a32d192ed03ull);
		return;
	}
#define STEP(i)                                       \
	if (nwords <= (i))                            \
		return;                               \
	w = word_at(f, key + (i)*8, conf.frame_size); \
	if (!w)                                       \
		return;                               \
	k->w[i] = *w
	STEP(0);
	STEP(1);
	STEP(2);
	STEP(3);
	STEP(4);
	STEP(5);
#undef STEP
}

/* int: older kernels leave the upper half of what the map's operations return unset. */
static __always_inline u64 result_count(int ret)
{
	if (!ret)
		return 0;
	drop_count(ret == -EBUSY || ret == -EDEADLK ? ABI_DROP_DYNBUSY : ABI_DROP_DYNAMIC);
	return 1;
}

/* NULL: the variable is that of one thread, nobody else stores to it. */
static __always_inline struct abi_dvar_turn *turn_of(const struct abi_dvar_key *k, u64 nwords_var)
{
	u64 h = (nwords_var >> 32) * HASH_K;

	if (!(nwords_var & ABI_DVAR_SHARED))
		return NULL;
	/* Odd factors: the upper bits of the sum depend on every word. */
	h += k->w[0] * 0xbf58476d1ce4e5b9ull + k->w[1] * 0x94d049bb133111ebull;
	h += k->w[2] * 0xd6e8feb86659fd93ull + k->w[3] * 0xff51afd7ed558ccdull;
	h += k->w[4] * 0xc4ceb9fe1a85ec53ull + k->w[5] * 0x8ebc6af09c88c6e3ull;
	h >>= 64 - ABI_DVAR_TURN_BITS;
	FENCE(h);
	if (h >= ABI_DVAR_TURNS)
		return NULL;
	return &state.dvar_turns[h];
}

static __always_inline void turn_begin(struct abi_dvar_turn *turn)
{
	if (turn)
		__sync_fetch_and_add(&turn->begun, 1);
}

static __always_inline void turn_end(struct abi_dvar_turn *turn)
{
	if (turn)
		__sync_fetch_and_add(&turn->done, 1);
}

static __always_inline u64 key_delete(const struct abi_dvar_key *k, u64 nwords_var)
{
	struct abi_dvar_turn *turn = turn_of(k, nwords_var);
	int ret;

	turn_begin(turn);
	ret = bpf_map_delete_elem(dvars, k);
	turn_end(turn);
	return result_count(ret == -ENOENT ? 0 : ret);
}

/* `value` points to conf.dvar_size bytes of a frame. */
static __always_inline int key_store(const struct abi_dvar_key *k, u64 nwords_var,
				     const void *value)
{
	struct abi_dvar_turn *turn = turn_of(k, nwords_var);
	int ret;

	turn_begin(turn);
	ret = bpf_map_update_elem(dvars, k, value, BPF_ANY);
	turn_end(turn);
	return ret;
}

/*
 * A load is made again while stores go on beside it, LOAD_TRIES times. A store that was begun
 * before and stands still for LOAD_STALLED loads is one that this firing interrupts, or whose CPU
 * does something else: it changes nothing meanwhile.
 */
#define LOAD_TRIES 64
#define LOAD_STALLED 8

static __always_inline u64 turn_now(const struct abi_dvar_turn *turn)
{
	return turn ? *(const volatile u64 *)turn : 0;
}

/*
 * Was load i, made after the turn was `before`, right? *since is kept from load to load: it is
 * no count, as every value of one is a path of its own for the verifier.
 */
static __always_inline bool load_right(const struct abi_dvar_turn *turn, u64 i, u64 before,
				       u64 *since)
{
	u32 begun = turn_now(turn);

	if (i % LOAD_STALLED == 0)
		*since = before;
	if ((u32)before != begun)
		return false;
	return begun == before >> 32 ||
	       (i % LOAD_STALLED == LOAD_STALLED - 1 && (u32)*since == begun);
}

ROUTINE u64 rt_dvar_load(u64 frame, u64 key, u64 nwords_var)
{
	const char *f = frame_get(frame);
	struct abi_dvar_turn *turn;
	struct abi_dvar_key k;
	u64 before, v, since = 0;
	volatile u64 *value;

	if (!f)
		return 0;
	key_make(&k, f, frame, key, nwords_var);
	turn = turn_of(&k, nwords_var);
	for (u64 i = 0; i < LOAD_TRIES; i++) {
		before = turn_now(turn);
		value = bpf_map_lookup_elem(dvars, &k);
		v = value ? *value : 0;
		if (load_right(turn, i, before, &since))
			return v;
	}
	drop_count(ABI_DROP_DYNBUSY);
	return 0;
}

/*
 * The map's update reads conf.dvar_size bytes. For a scalar they are those of the frame's
 * start, whose first word is the value for that moment: nobody but this firing sees the frame,
 * and nobody reads more than the first word of a scalar variable.
 */
ROUTINE u64 rt_dvar_store(u64 frame, u64 key, u64 nwords_var, u64 value)
{
	char *f = frame_get(frame);
	struct abi_dvar_key k;
	u64 kept;
	int ret;

	if (!f)
		return 1;
	key_make(&k, f, frame, key, nwords_var);
	if (!value)
		return key_delete(&k, nwords_var);
	kept = *(u64 *)f;
	*(volatile u64 *)f = value;
	ret = key_store(&k, nwords_var, f);
	*(volatile u64 *)f = kept;
	return result_count(ret);
}

/* Or-ed into a size: not a string, so its first word says nothing. */
#define DVAR_PLAIN (1ull << 32)

/*
 * Gives 1 and `size` bytes of the value; 0 and the NULL string (DVAR_PLAIN: zeroes) if there is
 * none.
 */
ROUTINE u64 rt_dvar_load_bytes(u64 frame, u64 key, u64 nwords_var, u64 dst, u64 size)
{
	char *f = frame_get(frame);
	bool plain = size & DVAR_PLAIN;
	struct abi_dvar_turn *turn;
	struct abi_dvar_key k;
	u64 before, since = 0;
	char *value;

	if (!f)
		return 0;
	key_make(&k, f, frame, key, nwords_var);
	turn = turn_of(&k, nwords_var);
	size = (u32)size;
	FENCE(size);
	if (size > conf.dvar_size)
		size = conf.dvar_size;
	FENCE(dst);
	if (dst > conf.frame_size - (u64)conf.dvar_size)
		return 0;
	for (u64 i = 0; i < LOAD_TRIES; i++) {
		before = turn_now(turn);
		value = bpf_map_lookup_elem(dvars, &k);
		if (value)
			bpf_probe_read_kernel(f + dst, size, value);
		if (load_right(turn, i, before, &since)) {
			if (value)
				return 1;
			goto none;
		}
	}
	drop_count(ABI_DROP_DYNBUSY);
none:
	if (plain)
		rt_zero(frame, dst, size + 7);
	else
		*(u64 *)(f + dst) = ABI_STR_NULL;
	return 0;
}

/*
 * A NULL string deletes. The update reads conf.dvar_size bytes, so the frame has as many behind
 * src.
 */
ROUTINE u64 rt_dvar_store_bytes(u64 frame, u64 key, u64 nwords_var, u64 src, u64 size)
{
	char *f = frame_get(frame);
	struct abi_dvar_key k;

	if (!f)
		return 1;
	key_make(&k, f, frame, key, nwords_var);
	FENCE(src);
	if (src > conf.frame_size - (u64)conf.dvar_size)
		return result_count(-E2BIG);
	if (!(size & DVAR_PLAIN) && *(u64 *)(f + src) == ABI_STR_NULL)
		return key_delete(&k, nwords_var);
	return result_count(key_store(&k, nwords_var, f + src));
}
