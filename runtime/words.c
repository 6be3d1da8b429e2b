/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops over at most 64 words of a frame. Callers with more call them once for every 64. */
#include "rt.h"

ROUTINE u64 rt_words_hash(u64 frame, u64 off, u64 n, u64 state)
{
	const char *f = frame_get(frame);
	u64 i;

	if (!f)
		return state;
	NOUNROLL
	for (i = 0; i < CHUNK && i < n; i++)
		state = hash_word(state, word_get(f, off + i * 8, conf.frame_size));
	return state;
}

/* Index of the first word in which the two differ, or n. */
ROUTINE u64 rt_words_differ(u64 frame, u64 a, u64 b, u64 n)
{
	const char *f = frame_get(frame);
	u64 i;

	if (!f)
		return n;
	NOUNROLL
	for (i = 0; i < CHUNK && i < n; i++)
		if (word_get(f, a + i * 8, conf.frame_size) !=
		    word_get(f, b + i * 8, conf.frame_size))
			return i;
	return n;
}

/*
 * Appends n words (low 32 bits of n_shift) to bytes that end inside the word at `pos`, `shift` (high 32)
 * bits from its start; what is there already stays. Writes nothing at `end` or behind.
 */
ROUTINE u64 rt_words_append(u64 frame, u64 pos, u64 src, u64 n_shift, u64 end)
{
	u64 n = (u32)n_shift, shift = n_shift >> 32 & 63, carry, i;
	char *f = frame_get(frame);

	if (!f)
		return 0;
	carry = shift ? word_get(f, pos, conf.frame_size) & ((1ull << shift) - 1) : 0;
	end = min_u64(end, conf.frame_size);
	NOUNROLL
	for (i = 0; i < CHUNK && i < n; i++) {
		u64 w = word_get(f, src + i * 8, conf.frame_size);

		if (pos + 8 > end)
			return 0;
		word_put(f, pos, conf.frame_size, carry | w << shift);
		carry = shift ? w >> (64 - shift) : 0;
		pos += 8;
	}
	if (pos + 8 <= end)
		word_put(f, pos, conf.frame_size, carry);
	return 0;
}

/* Clears `bytes` bytes, a multiple of 8, at `off`. */
ROUTINE u64 rt_words_zero(u64 frame, u64 off, u64 n)
{
	char *f = frame_get(frame);
	u64 i;

	if (!f)
		return 0;
	NOUNROLL
	for (i = 0; i < CHUNK && i < n; i++)
		word_put(f, off + i * 8, conf.frame_size, 0);
	return 0;
}

ROUTINE u64 rt_zero(u64 frame, u64 off, u64 bytes)
{
	u64 n = bytes / 8;
	u64 i;

	n = min_u64(n, conf.frame_size / 8);
	NOUNROLL
	for (i = 0; i < n; i += CHUNK)
		rt_words_zero(frame, off + i * 8, n - i);
	return 0;
}
