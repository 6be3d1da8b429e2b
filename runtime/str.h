/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings in a frame, as the routines that make them need them. See str.c. */
#ifndef RUNTIME_STR_H
#define RUNTIME_STR_H

#include "rt.h"

#define STR_STORAGE (8ull + conf.strmax)

static __always_inline struct abi_str *str_at(char *area, u64 off, u64 size)
{
	FENCE(off);
	if (off > size - STR_STORAGE)
		return NULL;
	return (struct abi_str *)(area + off);
}

/* Sets the length and clears the bytes behind it up to the next multiple of 8. */
static __always_inline void str_finish(struct abi_str *s, u64 len)
{
	u64 word, shift;

	len = min_u64(len, conf.strsize - 1);
	s->len = len;
	shift = (len & 7) * 8;
	word = len & ~7ull;
	FENCE(word);
	if (word > conf.strmax - 8ull)
		return;
	*(u64 *)(s->s + word) &= (1ull << shift) - 1;
}

/* The length of a string that is not NULL, never more than its storage. */
static __always_inline u64 str_length(const struct abi_str *s)
{
	u64 len = *(const volatile u64 *)&s->len;

	FENCE(len);
	return len == ABI_STR_NULL ? 0 : min_u64(len, conf.strsize - 1);
}

static __always_inline const unsigned char *byte_at(const char *area, u64 off, u64 size)
{
	FENCE(off);
	if (off > size - 1)
		return NULL;
	return (const unsigned char *)area + off;
}

/* n bytes from position `at` of another string; both are inside of it. */
static __always_inline void str_cut(struct abi_str *to, const struct abi_str *from, u64 at, u64 n)
{
	FENCE(n);
	FENCE(at);
	if (n <= conf.strmax && at <= conf.strmax)
		bpf_probe_read_kernel(to->s, n, from->s + at);
	str_finish(to, n);
}

/*
 * What a loop over characters, as the body of bpf_loop(), is about. All of it stays as it is during
 * the loop. What changes is in WORK(): the verifier knows nothing of it, so all turns look alike.
 */
struct scan {
	char *f;
	u64 s, n;     /* offset in the frame, and number, of the bytes looked at */
	u64 sub, m;   /* the bytes searched for */
	u64 back;     /* from the last byte to the first */
	u64 c, want;
};

#define WORK(f) (((volatile struct abi_frame *)(f))->work)

#define EACH(c) (0x0101010101010101ull * (c)) /* in every byte of a word */

#endif
