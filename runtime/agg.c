/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keyed aggregations: finds or creates the entry of a key in a half of the aggregation buffer
 * (abi/abi.h).
 *
 * The caller has entered the half and leaves it when it has updated the value, so nobody clears
 * the half meanwhile. Others on this CPU may nest: a head is changed by cmpxchg only, after the
 * entry is complete. Two that create the same key at once make two entries; the consumer adds
 * them up.
 *
 * rt_agg() is the short path: short key, entry exists, near the head of its chain. Everything
 * else is done by rt_agg_slow().
 */
#include "rt.h"

#define CHAIN_MAX 512 /* entries of one bucket */
#define CHAIN_STEP 16
#define ENTRY_HEADER sizeof(struct abi_aggent)
#define ENTRY_TRIES 8

static __always_inline u64 hash_seed(u64 shape, u64 nwords)
{
	return (shape << 16 ^ nwords) * HASH_K;
}

static __always_inline u32 hash_fold(u64 h)
{
	return h ^ h >> 29;
}

/* Heads lie inside the half: agg_buckets is a power of two. */
static __always_inline u32 *head_at(char *half, u32 hash)
{
	u64 bucket = hash & (conf.agg_buckets - 1);

	FENCE(bucket);
	return (u32 *)(half + conf.agg_heads + bucket * 4);
}

/* Is the header of the entry the one of our key? */
static __always_inline bool entry_is(const struct abi_aggent *e, u32 hash, u64 shape_nwords)
{
	return e->hash == hash && *(const u64 *)&e->shape == shape_nwords;
}

/*
 * Compares n words of a key with those of an entry at `off` of the half; at most CHUNK are
 * looked at.
 */
ROUTINE u64 rt_agg_differ(u64 frame, u64 key, u64 elem, u64 off, u64 n)
{
	const char *f = frame_get(frame), *half = elem_get(aggs, elem);
	const u64 *a, *b;
	u64 i;

	if (!f || !half)
		return 1;
	NOUNROLL
	for (i = 0; i < CHUNK && i < n; i++) {
		a = word_at(f, key + i * 8, conf.frame_size);
		if (!a)
			return 1;
		b = word_at(half, off + i * 8, conf.aggsize);
		if (!b || *a != *b)
			return 1;
	}
	return 0;
}

/* Copies n words of a key, at most CHUNK. */
ROUTINE u64 rt_agg_copy(u64 frame, u64 key, u64 elem, u64 off, u64 n)
{
	char *f = frame_get(frame), *half = elem_get(aggs, elem);
	u64 *from, *to;
	u64 i;

	if (!f || !half)
		return 1;
	NOUNROLL
	for (i = 0; i < CHUNK && i < n; i++) {
		from = word_at(f, key + i * 8, conf.frame_size);
		if (!from)
			return 1;
		to = word_at(half, off + i * 8, conf.aggsize);
		if (!to)
			return 1;
		*to = *from;
	}
	return 0;
}

ROUTINE u64 rt_agg_equal(u64 frame, u64 key, u64 elem, u64 off, u64 n)
{
	u64 i;

	NOUNROLL
	FOR_CHUNKS(i, n, conf.frame_size / 8)
	if (rt_agg_differ(frame, key + i * 8, elem, off + i * 8, n - i))
		return 0;
	return 1;
}

/* Takes `size` bytes behind the entries there are: their offset, 0 if there is no room. */
static __always_inline u64 entry_reserve(char *half, u64 size)
{
	struct abi_agghalf *h = (struct abi_agghalf *)half;
	u64 used, i;

	if (size > conf.aggsize)
		return 0;
	NOUNROLL
	for (i = 0; i < ENTRY_TRIES; i++) {
		used = h->used;
		if (used > conf.aggsize || conf.agg_start + used + size > conf.aggsize)
			return 0;
		if (__sync_val_compare_and_swap(&h->used, used, used + size) == used)
			return conf.agg_start + used;
	}
	return 0;
}

/* The entry is not seen before it is complete: the cmpxchg on the head comes after all stores. */
static __always_inline bool entry_publish(char *half, u64 off, u32 hash)
{
	u32 *head = head_at(half, hash);
	u32 old, i;

	NOUNROLL
	for (i = 0; i < ENTRY_TRIES; i++) {
		old = *(volatile u32 *)head;
		FENCE(off);
		if (off > conf.aggsize - ENTRY_HEADER)
			return false;
		((struct abi_aggent *)(half + off))->next = old;
		if (__sync_val_compare_and_swap(head, old, (u32)off) == old)
			return true;
	}
	return false;
}

/*
 * Makes the entry. header: shape | nwords << 32; words_hash: words of the value | hash << 32.
 * Gives its offset, 0 when there is no room.
 */
ROUTINE u64 rt_agg_create(u64 frame, u64 key, u64 header, u64 words_hash, u64 elem)
{
	char *half = elem_get(aggs, elem);
	u64 nwords = header >> 32, off, i;
	struct abi_aggent *e;

	if (!half)
		return 0;
	off = entry_reserve(half, ENTRY_HEADER + 8 * (nwords + (u32)words_hash));
	FENCE(off);
	if (!off || off > conf.aggsize - ENTRY_HEADER)
		return 0;
	e = (struct abi_aggent *)(half + off);
	e->hash = words_hash >> 32;
	*(u64 *)&e->shape = header;
	NOUNROLL
	FOR_CHUNKS(i, nwords, conf.frame_size / 8)
	rt_agg_copy(frame, key + i * 8, elem, off + ENTRY_HEADER + i * 8, nwords - i);
	return entry_publish(half, off, words_hash >> 32) ? off : 0;
}

#define WALK_FOUND (1ull << 32)

/*
 * Follows a chain from `off` for CHAIN_STEP entries. Gives the entry's offset | WALK_FOUND, the
 * offset to go on from, or 0 at the end. header: shape | nwords << 32; elem_hash: elem | hash
 * << 32.
 */
ROUTINE u64 rt_agg_walk(u64 frame, u64 key, u64 header, u64 elem_hash, u64 off)
{
	char *half = elem_get(aggs, (u32)elem_hash);
	const struct abi_aggent *e;
	u64 i;

	if (!half)
		return 0;
	NOUNROLL
	for (i = 0; i < CHAIN_STEP; i++) {
		/* Computed anew in each turn: stack is dearer than time here. */
		FENCE(header);
		FENCE(elem_hash);
		FENCE(off);
		if (!off || off > conf.aggsize - ENTRY_HEADER)
			return 0;
		e = (const struct abi_aggent *)(half + off);
		if (entry_is(e, elem_hash >> 32, header) &&
		    rt_agg_equal(frame, key, (u32)elem_hash, off + ENTRY_HEADER, header >> 32))
			return off | WALK_FOUND;
		FENCE(off);
		if (off > conf.aggsize - ENTRY_HEADER)
			return 0;
		off = *(u32 *)(half + off);
	}
	return off;
}

/*
 * Gives the entry's offset | WALK_FOUND, 0 if there is none, else the chain is too long to tell. Part of its caller: calls may
 * be 8 deep, and those of the program are not ours.
 */
static __always_inline u64 agg_find(u64 frame, u64 key, u64 header, u64 elem_hash)
{
	char *half = elem_get(aggs, (u32)elem_hash);
	u64 off, i;

	if (!half)
		return 0;
	off = *head_at(half, elem_hash >> 32);
	NOUNROLL
	for (i = 0; i < CHAIN_MAX && off; i += CHAIN_STEP) {
		off = rt_agg_walk(frame, key, header, elem_hash, off);
		if (off & WALK_FOUND)
			break;
	}
	return off;
}

/* Any key. Gives the offset of the value in the half, 0 when the update is dropped (counted). */
ROUTINE u64 rt_agg_slow(u64 frame, u64 key, u64 nwords, u64 shape_words, u64 elem)
{
	u64 header = (u32)shape_words | nwords << 32, hash, off;

	if (nwords > conf.frame_size / 8)
		goto drop;
	hash = rt_key_hash(frame, key, nwords, hash_seed((u32)shape_words, nwords));
	hash = (u64)hash_fold(hash) << 32;
	off = agg_find(frame, key, header, (u32)elem | hash);
	/* Not found after CHAIN_MAX entries: the buffer is too small for its keys. */
	if (!off)
		off = rt_agg_create(frame, key, header, shape_words >> 32 | hash, elem);
	else if (!(off & WALK_FOUND))
		goto drop;
	if (off)
		return (u32)off + ENTRY_HEADER + 8 * (header >> 32);
drop:
	drop_count(ABI_DROP_AGGREGATION);
	return 0;
}

ROUTINE u64 rt_agg(u64 frame, u64 key, u64 nwords, u64 shape_words, u64 elem)
{
	u32 index = frame; /* one place in the stack for both */
	char *f = bpf_map_lookup_elem(frames, &index), *half;
	u64 seed = hash_seed((u32)shape_words, nwords);
	u64 header = (u32)shape_words | nwords << 32;
	u64 off, i;
	u32 hash;

	index = elem;
	half = bpf_map_lookup_elem(aggs, &index);
	if (!f || !half || nwords > KEY_INLINE)
		goto slow;
	FENCE(key);
	if (key > conf.frame_size - 8ull * KEY_INLINE)
		goto slow;
	hash = hash_fold(key_hash_inline((u64 *)(f + key), nwords, seed));
	/*
	 * The verifier comes here once for every nwords. From here on only `header` is used, of
	 * which it knows nothing, so that it goes on once.
	 */
	FENCE(header);
	off = *head_at(half, hash);
	NOUNROLL
	for (i = 0; i < CHAIN_STEP; i++) {
		const struct abi_aggent *e;

		FENCE(off);
		/* Near the end of the half there is no room to compare KEY_INLINE words. */
		if (!off || off > conf.aggsize - ENTRY_HEADER - 8ull * KEY_INLINE)
			goto slow;
		e = (const struct abi_aggent *)(half + off);
		if (entry_is(e, hash, header))
			goto found;
		off = e->next;
	}
	goto slow;
found:
	if (key_equal_inline((u64 *)(f + key), ((struct abi_aggent *)(half + off))->key,
			     header >> 32))
		return off + ENTRY_HEADER + 8 * (header >> 32);
slow:
	return rt_agg_slow(frame, key, header >> 32, shape_words, elem);
}
