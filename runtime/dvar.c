/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dynamic variables: thread-local variables and associative arrays, in one hash map of the
 * kernel.
 *
 * Stores always go through the map's update, never through a pointer found before: an element
 * may be deleted and given to another key at any time, by another CPU or by a nested firing.
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
	u64 nwords = (u32)nwords_var, i;
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

static __always_inline u64 key_delete(const struct abi_dvar_key *k)
{
	int ret = bpf_map_delete_elem(dvars, k);

	return result_count(ret == -ENOENT ? 0 : ret);
}

ROUTINE u64 rt_dvar_load(u64 frame, u64 key, u64 nwords_var)
{
	const char *f = frame_get(frame);
	struct abi_dvar_key k;
	u64 *value;

	if (!f)
		return 0;
	key_make(&k, f, frame, key, nwords_var);
	value = bpf_map_lookup_elem(dvars, &k);
	return value ? *value : 0;
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
		return key_delete(&k);
	kept = *(u64 *)f;
	*(volatile u64 *)f = value;
	ret = bpf_map_update_elem(dvars, &k, f, BPF_ANY);
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
	struct abi_dvar_key k;
	char *value;

	if (!f)
		return 0;
	key_make(&k, f, frame, key, nwords_var);
	value = bpf_map_lookup_elem(dvars, &k);
	size = (u32)size;
	FENCE(size);
	if (size > conf.dvar_size)
		size = conf.dvar_size;
	FENCE(dst);
	if (dst > conf.frame_size - (u64)conf.dvar_size)
		return 0;
	if (value) {
		bpf_probe_read_kernel(f + dst, size, value);
		return 1;
	}
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
		return key_delete(&k);
	return result_count(bpf_map_update_elem(dvars, &k, f + src, BPF_ANY));
}
