/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dynamic variables: thread-local variables and associative arrays, in one hash map of the
 * kernel.
 *
 * Stores always go through the map's update, never through a pointer found before: an element
 * may be deleted and given to another key at any time, by another CPU or by a nested firing.
 * For the same reason a load is made again when a store to that key went on beside it (struct
 * abi_dvar_turn): the value may have been that of another key, and a key that is being replaced
 * may not have been found.
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

/*
 * Where stores to this key are counted: with those of some other keys, or, if it is a variable of
 * one thread, with those of all threads on this CPU.
 */
static __always_inline struct abi_dvar_turn *turn_of(const struct abi_dvar_key *k, u64 nwords_var)
{
	u64 h = (nwords_var >> 32) * HASH_K, cpu;

	if (!(nwords_var & ABI_DVAR_SHARED)) {
		cpu = bpf_get_smp_processor_id();
		FENCE(cpu);
		return &cpus[cpu < conf.ncpus ? cpu : 0].dvar_turn;
	}
	/* Odd factors: the upper bits of the sum depend on every word. */
	h += k->w[0] * 0xbf58476d1ce4e5b9ull + k->w[1] * 0x94d049bb133111ebull;
	h += k->w[2] * 0xd6e8feb86659fd93ull + k->w[3] * 0xff51afd7ed558ccdull;
	h += k->w[4] * 0xc4ceb9fe1a85ec53ull + k->w[5] * 0x8ebc6af09c88c6e3ull;
	h >>= 64 - ABI_DVAR_TURN_BITS;
	FENCE(h);
	return &state.dvar_turns[h & (ABI_DVAR_TURNS - 1)];
}

/*
 * Only firings that interrupt a load store to its thread's variable meanwhile, and these are over
 * when it goes on. Hence neither a locked instruction, nor a count of what is under way.
 */
static __always_inline void turn_begin(struct abi_dvar_turn *turn, u64 nwords_var)
{
	u64 n;

	if (nwords_var & ABI_DVAR_SHARED) {
		__sync_fetch_and_add(&turn->begun, 1);
		return;
	}
	n = (u32)(turn->begun + 1);
	*(volatile u64 *)turn = n | n << 32;
}

static __always_inline void turn_end(struct abi_dvar_turn *turn, u64 nwords_var)
{
	if (nwords_var & ABI_DVAR_SHARED)
		__sync_fetch_and_add(&turn->done, 1);
}

/* `value` points to conf.dvar_size bytes of a frame; NULL deletes. */
static __always_inline u64 key_store(const struct abi_dvar_key *k, u64 nwords_var,
				     const void *value)
{
	struct abi_dvar_turn *turn = turn_of(k, nwords_var);
	int ret;

	turn_begin(turn, nwords_var);
	ret = value ? bpf_map_update_elem(dvars, k, value, BPF_ANY) :
		      bpf_map_delete_elem(dvars, k);
	turn_end(turn, nwords_var);
	return result_count(ret == -ENOENT ? 0 : ret);
}

#define LOAD_TRIES 16 /* a load is made again as long as stores go on beside it */

static __always_inline u64 turn_now(const struct abi_dvar_turn *turn)
{
	return *(const volatile u64 *)turn;
}

/*
 * Was a load right, made after the turn was `before`? If no store was under way, and none has
 * begun. One that is under way and does not end may be one that this firing interrupts, or whose
 * CPU does something else; the element is still that of the key if it is found there again: one
 * store does not take it out and put it back.
 */
static __always_inline bool load_right(const struct abi_dvar_key *k,
				       const struct abi_dvar_turn *turn, u64 before,
				       const volatile void *value)
{
	if ((u32)before != before >> 32 && bpf_map_lookup_elem(dvars, k) != value)
		return false;
	return turn_now(turn) == before;
}

ROUTINE u64 rt_dvar_load(u64 frame, u64 key, u64 nwords_var)
{
	const char *f = frame_get(frame);
	struct abi_dvar_turn *turn;
	struct abi_dvar_key k;
	u64 before, found = 0;
	volatile u64 *value;

	if (!f)
		return 0;
	key_make(&k, f, frame, key, nwords_var);
	turn = turn_of(&k, nwords_var);
	for (u64 i = 0; i < LOAD_TRIES; i++) {
		before = turn_now(turn);
		value = bpf_map_lookup_elem(dvars, &k);
		if (value)
			found = *value;
		if (load_right(&k, turn, before, value))
			return value ? found : 0;
	}
	/* Many CPUs store to it without a pause: what was found last was read behind its look-up. */
	return found;
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
	u64 kept, ret;

	if (!f)
		return 1;
	key_make(&k, f, frame, key, nwords_var);
	if (!value)
		return key_store(&k, nwords_var, NULL);
	kept = *(u64 *)f;
	*(volatile u64 *)f = value;
	ret = key_store(&k, nwords_var, f);
	*(volatile u64 *)f = kept;
	return ret;
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
	u64 before;
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
		if (load_right(&k, turn, before, value)) {
			if (value)
				return 1;
			goto none;
		}
	}
	/* Many CPUs store to it without a pause: one element that stayed will do. */
	value = bpf_map_lookup_elem(dvars, &k);
	if (value) {
		bpf_probe_read_kernel(f + dst, size, value);
		if (bpf_map_lookup_elem(dvars, &k) == value)
			return 1;
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
		return key_store(&k, nwords_var, NULL);
	return key_store(&k, nwords_var, f + src);
}
