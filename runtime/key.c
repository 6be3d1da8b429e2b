/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys: tuples of words in a frame, of aggregations and dynamic variables. */
#include "rt.h"

#define KEY_INLINE 8 /* so many words are looked at without a call */

/* Hash of all words; short keys are hashed inline to the same value (key_hash_inline()). */
ROUTINE u64 rt_key_hash(u64 frame, u64 key, u64 n, u64 seed)
{
	u64 i;

	NOUNROLL
	FOR_CHUNKS(i, n, conf.frame_size / 8)
	seed = rt_words_hash(frame, key + i * 8, n - i, seed);
	return seed;
}

/* key points to a place with at least KEY_INLINE words behind it. */
static __always_inline u64 key_hash_inline(const u64 *key, u64 n, u64 seed)
{
#define STEP(i)              \
	if (n <= (i))        \
		return seed; \
	seed = hash_word(seed, key[i])
	STEP(0);
	STEP(1);
	STEP(2);
	STEP(3);
	STEP(4);
	STEP(5);
	STEP(6);
	STEP(7);
#undef STEP
	return seed;
}

/* Both with at least KEY_INLINE words. */
static __always_inline bool key_equal_inline(const u64 *a, const u64 *b, u64 n)
{
#define STEP(i)              \
	if (n <= (i))        \
		return true; \
	if (a[i] != b[i])    \
	return false
	STEP(0);
	STEP(1);
	STEP(2);
	STEP(3);
	STEP(4);
	STEP(5);
	STEP(6);
	STEP(7);
#undef STEP
	return true;
}
