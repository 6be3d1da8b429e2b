/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops over at most CHUNK words of a frame. Callers with more call them once for every CHUNK. */
#include "rt.h"

ROUTINE u64 rt_words_hash(u64 frame, u64 off, u64 n, u64 state)
{
	const char *f = frame_get(frame);
	const u64 *w;
	u64 i;

	if (!f)
		return state;
	NOUNROLL
	for (i = 0; i < CHUNK && i < n; i++) {
		w = word_at(f, off + i * 8, conf.frame_size);
		if (!w)
			break;
		state = hash_word(state, *w);
	}
	return state;
}

/* Index of the first word in which the two differ, or CHUNK. */
ROUTINE u64 rt_words_differ(u64 frame, u64 a, u64 b, u64 n)
{
	const char *f = frame_get(frame);
	const u64 *wa, *wb;
	u64 i;

	if (!f)
		return CHUNK;
	NOUNROLL
	for (i = 0; i < CHUNK && i < n; i++) {
		wa = word_at(f, a + i * 8, conf.frame_size);
		if (!wa)
			break;
		wb = word_at(f, b + i * 8, conf.frame_size);
		if (!wb)
			break;
		if (*wa != *wb)
			return i;
	}
	return CHUNK;
}

/*
 * Appends n words (low 32 bits of n_shift) to bytes that end inside the word at `pos`, `shift`
 * (high 32) bits from its start; what is there already stays. Writes nothing at `end` or
 * behind.
 */
ROUTINE u64 rt_words_append(u64 frame, u64 pos, u64 src, u64 n_shift, u64 end)
{
	u64 n = (u32)n_shift, shift = n_shift >> 32 & 63, carry = 0, i;
	char *f = frame_get(frame);
	u64 *from, *to, word;

	if (!f || !(to = word_at(f, pos, conf.frame_size)))
		return 0;
	if (shift)
		carry = *to & ((1ull << shift) - 1);
	NOUNROLL
	for (i = 0; i < CHUNK && i < n; i++) {
		if (pos >= end)
			return 0;
		from = word_at(f, src, conf.frame_size);
		if (!from)
			return 0;
		to = word_at(f, pos, conf.frame_size);
		if (!to)
			return 0;
		word = *from;
		*to = carry | word << shift;
		/* In two steps: there is no shift by 64. */
		carry = word >> 1 >> (63 - shift);
		pos += 8;
		src += 8;
	}
	to = word_at(f, pos, conf.frame_size);
	if (pos < end && to)
		*to = carry;
	return 0;
}

ROUTINE u64 rt_words_zero(u64 frame, u64 off, u64 n)
{
	char *f = frame_get(frame);
	u64 *w;
	u64 i;

	if (!f)
		return 0;
	NOUNROLL
	for (i = 0; i < CHUNK && i < n; i++) {
		w = word_at(f, off + i * 8, conf.frame_size);
		if (!w)
			break;
		*w = 0;
	}
	return 0;
}

/* Clears `bytes` bytes, a multiple of 8, at `off`. */
ROUTINE u64 rt_zero(u64 frame, u64 off, u64 bytes)
{
	u64 n = bytes / 8;
	u64 i;

	NOUNROLL
	FOR_CHUNKS(i, n, conf.frame_size / 8)
	rt_words_zero(frame, off + i * 8, n - i);
	return 0;
}
