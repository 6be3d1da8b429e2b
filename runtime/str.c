/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Strings: struct abi_str in frames, in global variables, in the string table, in records and
 * tuples. Every string's storage has conf.strmax bytes behind its length, so words of it may be
 * read and written as far as its length says without looking at bounds again.
 */
#include "str.h"

#define INLINE_WORDS 8 /* as many are copied one by one, more by the kernel's copy routine */

/* Copies the words that a string of length len occupies; both have room for conf.strmax bytes. */
static __always_inline void bytes_copy(char *to, const char *from, u64 nwords)
{
	u64 i, bytes;

	if (nwords <= INLINE_WORDS) {
		UNROLL
		for (i = 0; i < INLINE_WORDS; i++) {
			if (i * 8 + 8 > conf.strmax || i >= nwords)
				break;
			((u64 *)to)[i] = ((const u64 *)from)[i];
		}
		return;
	}
	bytes = nwords * 8;
	FENCE(bytes);
	if (bytes <= conf.strmax)
		bpf_probe_read_kernel(to, bytes, from);
}

static __always_inline void str_copy(struct abi_str *to, const struct abi_str *from)
{
	u64 len = from->len;

	to->len = len;
	if (len == ABI_STR_NULL)
		return;
	len = min_u64(len, conf.strsize - 1);
	to->len = len;
	bytes_copy(to->s, from->s, len / 8 + 1);
}

ROUTINE u64 rt_str_kernel(u64 frame, u64 dst, u64 addr, u64 max)
{
	char *f = frame_get(frame);
	struct abi_str *s;
	long n;

	if (!f || !(s = str_at(f, dst, conf.frame_size)))
		return 1;
	FENCE(max);
	if (max > conf.strsize)
		max = conf.strsize;
	n = bpf_probe_read_kernel_str(s->s, max, (void *)addr);
	str_finish(s, n > 0 ? n - 1 : 0);
	return n < 0;
}

ROUTINE u64 rt_str_user(u64 frame, u64 dst, u64 addr, u64 max)
{
	char *f = frame_get(frame);
	struct abi_str *s;
	long n;

	if (!f || !(s = str_at(f, dst, conf.frame_size)))
		return 1;
	FENCE(max);
	if (max > conf.strsize)
		max = conf.strsize;
	n = bpf_probe_read_user_str(s->s, max, (void *)addr);
	str_finish(s, n > 0 ? n - 1 : 0);
	return n < 0;
}

/* Number of bytes before the first zero byte of a word, 8 if there is none. */
static __always_inline u64 word_strlen(u64 w)
{
	u64 zero = (w - 0x0101010101010101ull) & ~w & 0x8080808080808080ull;
	u64 n = 0;

	if (!zero)
		return 8;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	zero = __builtin_bswap64(zero);
#endif
	if (!(u32)zero) {
		zero >>= 32;
		n += 4;
	}
	if (!(zero & 0xffff)) {
		zero >>= 16;
		n += 2;
	}
	return n + !(zero & 0xff);
}

#define COMM_BYTES 16

ROUTINE u64 rt_str_comm(u64 frame, u64 dst)
{
	char *f = frame_get(frame);
	struct abi_str *s;
	u64 comm[COMM_BYTES / 8] = { 0 };
	u64 len;

	if (!f || !(s = str_at(f, dst, conf.frame_size)))
		return 1;
	bpf_get_current_comm(comm, sizeof(comm));
	len = word_strlen(comm[0]);
	if (len == 8)
		len += word_strlen(comm[1]);
	*(u64 *)s->s = comm[0];
	if (conf.strmax >= COMM_BYTES)
		*(u64 *)(s->s + 8) = comm[1];
	str_finish(s, len);
	return 0;
}

ROUTINE u64 rt_str_table(u64 frame, u64 dst, u64 off)
{
	char *f = frame_get(frame);
	struct abi_str *s;
	const u64 *w;
	u64 len, i;

	if (!f || !(s = str_at(f, dst, conf.frame_size)))
		return 1;
	FENCE(off);
	if (off > conf.strtab_size - 8ull)
		return 1;
	len = min_u64(*(const u64 *)(strtab + off), conf.strsize - 1);
	if (len / 8 < INLINE_WORDS) {
		UNROLL
		for (i = 0; i < INLINE_WORDS; i++) {
			if (i * 8 + 8 > conf.strmax || i > len / 8)
				break;
			w = word_at(strtab, off + 8 + i * 8, conf.strtab_size);
			if (!w)
				break;
			((u64 *)s->s)[i] = *w;
		}
	} else {
		bpf_probe_read_kernel(s->s, len, strtab + off + 8);
	}
	str_finish(s, len);
	return 0;
}

ROUTINE u64 rt_str_copy(u64 frame, u64 dst, u64 src)
{
	char *f = frame_get(frame);
	struct abi_str *to, *from;

	if (!f || !(to = str_at(f, dst, conf.frame_size)) ||
	    !(from = str_at(f, src, conf.frame_size)))
		return 1;
	str_copy(to, from);
	return 0;
}

ROUTINE u64 rt_str_from_global(u64 frame, u64 dst, u64 off)
{
	char *f = frame_get(frame);
	struct abi_str *to, *from;

	if (!f || !(to = str_at(f, dst, conf.frame_size)) ||
	    !(from = str_at(globals, off, conf.globals_size)))
		return 1;
	str_copy(to, from);
	/* Another CPU may be writing it. */
	if (to->len != ABI_STR_NULL)
		str_finish(to, to->len);
	return 0;
}

ROUTINE u64 rt_str_to_global(u64 frame, u64 off, u64 src)
{
	char *f = frame_get(frame);
	struct abi_str *to, *from;

	if (!f || !(to = str_at(globals, off, conf.globals_size)) ||
	    !(from = str_at(f, src, conf.frame_size)))
		return 1;
	str_copy(to, from);
	return 0;
}

static __always_inline u64 big_endian(u64 w)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	return w;
}

/*
 * As strcmp(), in words: the bytes behind a string are zero up to the next word, so the first
 * word that differs decides, read as a big-endian number. NULL is less than any string.
 */
ROUTINE u64 rt_str_cmp(u64 frame, u64 a, u64 b)
{
	char *f = frame_get(frame);
	struct abi_str *sa, *sb;
	u64 n, i, k = 0, wa, wb;
	const u64 *pa, *pb;

	if (!f || !(sa = str_at(f, a, conf.frame_size)) || !(sb = str_at(f, b, conf.frame_size)))
		return 0;
	if (sa->len == ABI_STR_NULL || sb->len == ABI_STR_NULL)
		return (s64)(sb->len == ABI_STR_NULL) - (s64)(sa->len == ABI_STR_NULL);
	n = min_u64(min_u64(sa->len, sb->len), conf.strsize - 1) / 8 + 1;
	NOUNROLL
	FOR_CHUNKS(i, n, conf.strmax / 8)
	{
		k = rt_words_differ(frame, a + 8 + i * 8, b + 8 + i * 8, n - i);
		if (k < CHUNK)
			break;
	}
	if (i >= n)
		return 0;
	pa = word_at(f, a + 8 + (i + k) * 8, conf.frame_size);
	pb = word_at(f, b + 8 + (i + k) * 8, conf.frame_size);
	if (!pa || !pb)
		return 0;
	wa = big_endian(*pa);
	wb = big_endian(*pb);
	return wa < wb ? -1 : wa > wb;
}

/* dst may be a, but must not lie in b. */
ROUTINE u64 rt_str_join(u64 frame, u64 dst, u64 a, u64 b)
{
	char *f = frame_get(frame);
	struct abi_str *d, *sa, *sb;
	u64 la, lb, n, i, pos, end;

	if (!f || !(d = str_at(f, dst, conf.frame_size)) || !(sa = str_at(f, a, conf.frame_size)) ||
	    !(sb = str_at(f, b, conf.frame_size)))
		return 1;
	if (sa->len == ABI_STR_NULL || sb->len == ABI_STR_NULL)
		return 1;
	la = min_u64(sa->len, conf.strsize - 1);
	lb = min_u64(sb->len, conf.strsize - 1);
	bytes_copy(d->s, sa->s, la / 8 + 1);
	/* Read again: the verifier comes here once for each number of words, but then knows no more. */
	la = min_u64(*(volatile u64 *)&sa->len, conf.strsize - 1);
	n = lb / 8 + 1;
	pos = dst + 8 + (la & ~7ull);
	end = dst + STR_STORAGE;
	NOUNROLL
	FOR_CHUNKS(i, n, conf.strmax / 8)
	rt_words_append(frame, pos + i * 8, b + 8 + i * 8, (n - i) | (la & 7) << 35, end);
	str_finish(d, la + lb);
	return 0;
}

static __always_inline u64 tail_copy(char *to, const char *from, u64 at, u64 wanted, u32 size)
{
	FENCE(at);
	if (!wanted || at + size > conf.strsize - 1)
		return at;
	if (size == 4)
		*(u32 *)(to + at) = *(const u32 *)(from + at);
	else if (size == 2)
		*(uint16_t *)(to + at) = *(const uint16_t *)(from + at);
	else
		to[at] = from[at];
	return at + size;
}

/*
 * Copies the bytes of a string, without padding, to position pos of an area of `size` bytes. A
 * record has room for conf.strsize - 1 bytes from there on, or slack follows. Gives the length,
 * UINT32_MAX for NULL.
 */
static __always_inline u64 rec_str(u64 frame, u64 src, char *buf, u64 pos, u64 size)
{
	char *f = frame_get(frame), *to;
	struct abi_str *s;
	u64 len, i, tail;

	if (!f || !buf || !(s = str_at(f, src, conf.frame_size)))
		return 0xffffffff;
	if (s->len == ABI_STR_NULL)
		return 0xffffffff;
	FENCE(pos);
	if (size < conf.strsize - 1ull || pos > size - (conf.strsize - 1ull))
		return 0xffffffff;
	to = buf + pos;
	len = min_u64(s->len, conf.strsize - 1);
	if (len >= INLINE_WORDS * 8) {
		bpf_probe_read_kernel(to, len, s->s);
		return len;
	}
	UNROLL
	for (i = 0; i < INLINE_WORDS; i++) {
		if (i * 8 + 8 > conf.strsize - 1 || i >= len / 8)
			break;
		((u64 *)to)[i] = ((u64 *)s->s)[i];
	}
	/* Not a byte more: behind them may be another record. */
	tail = len & ~7ull;
	tail = tail_copy(to, s->s, tail, len & 4, 4);
	tail = tail_copy(to, s->s, tail, len & 2, 2);
	tail_copy(to, s->s, tail, len & 1, 1);
	return len;
}

/* To an element of map bufs. */
ROUTINE u64 rt_rec_str(u64 frame, u64 src, u64 elem, u64 pos)
{
	return rec_str(frame, src, elem_get(bufs, elem), pos, conf.bufmap);
}

/* To a part of a speculation. */
ROUTINE u64 rt_spec_str(u64 frame, u64 src, u64 part, u64 pos)
{
	return rec_str(frame, src, elem_get(specs, part), pos, conf.specsize);
}

/*
 * Appends the bytes of a string to a tuple: ROUND_UP(len, 8) of them, none for NULL. Gives the
 * new position.
 */
ROUTINE u64 rt_tuple_str(u64 frame, u64 pos, u64 src)
{
	char *f = frame_get(frame);
	struct abi_str *s;
	u64 n;

	if (!f || !(s = str_at(f, src, conf.frame_size)) || s->len == ABI_STR_NULL)
		return pos;
	n = (min_u64(s->len, conf.strsize - 1) + 7) / 8;
	FENCE(pos);
	if (pos > conf.frame_size - (u64)conf.strmax)
		return pos;
	bytes_copy(f + pos, s->s, n);
	return pos + n * 8;
}
