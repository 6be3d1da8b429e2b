/* SPDX-License-Identifier: BSD-2-Clause */
/* Arithmetic that BPF lacks, and the buckets of distributions. */
#include "rt.h"

/* Signed division: BPF's own is unsigned. The caller has made sure that b is not 0. */
ROUTINE u64 rt_sdiv(u64 a, u64 b)
{
	u64 ua = (s64)a < 0 ? -a : a, ub = (s64)b < 0 ? -b : b;
	u64 q = ua / ub;

	return (s64)(a ^ b) < 0 ? -q : q;
}

/* The result has the sign of a. */
ROUTINE u64 rt_smod(u64 a, u64 b)
{
	u64 ua = (s64)a < 0 ? -a : a, ub = (s64)b < 0 ? -b : b;
	u64 r = ua % ub;

	return (s64)a < 0 ? -r : r;
}

/*
 * Number of bits of v up to its highest one; without branches, which the verifier would
 * multiply.
 */
static __always_inline u64 bit_length(u64 v)
{
	v |= v >> 1;
	v |= v >> 2;
	v |= v >> 4;
	v |= v >> 8;
	v |= v >> 16;
	v |= v >> 32;
	/* now all lower bits are set: count them */
	v -= v >> 1 & 0x5555555555555555ull;
	v = (v & 0x3333333333333333ull) + (v >> 2 & 0x3333333333333333ull);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return v * 0x0101010101010101ull >> 56;
}

/* 63 is the bucket of 0; 63 + k that of 2^(k-1) <= v < 2^k, 63 - k that of the negative ones. */
ROUTINE u64 rt_quantize(u64 value)
{
	u64 k;

	if (!value)
		return 63;
	k = bit_length((s64)value < 0 ? -value : value);
	if (k > 63)
		k = 63;
	return (s64)value < 0 ? 63 - k : 63 + k;
}

/*
 * base_limit: base in the low, limit in the high 32 bits, both signed. 0: below; levels + 1:
 * above.
 */
ROUTINE u64 rt_lquantize(u64 value, u64 base_limit, u64 step)
{
	s64 base = (s64)(base_limit << 32) >> 32, limit = (s64)base_limit >> 32;
	u64 levels, level;

	if ((s64)value < base || !step)
		return 0;
	levels = (u64)(limit - base) / step;
	level = (value - (u64)base) / step;
	return level < levels ? level + 1 : levels + 1;
}

/*
 * params: factor, low, high, steps, 16 bits each from the lowest. With n buckets a magnitude
 * (steps - steps / factor) and all = n * (high - low + 1): see abi/abi.h.
 */
ROUTINE u64 rt_llquantize(u64 value, u64 params)
{
	u64 factor = params & 0xffff, low = params >> 16 & 0xffff;
	u64 high = params >> 32 & 0xffff, steps = params >> 48;
	u64 v = (s64)value < 0 ? -value : value;
	u64 n, all, from = 1, width, index, m;

	if (!factor || !steps || high < low)
		return 0;
	n = steps - steps / factor;
	all = n * (high - low + 1);
	NOUNROLL
	for (m = 0; m < 64 && m < low; m++)
		from *= factor;
	if (v < from)
		return all + 1;
	NOUNROLL
	for (m = 0; m < 64 && m + low <= high; m++) {
		/* v - from first: the next power may be 2^64 */
		if (v / factor < from) {
			width = from * factor / steps;
			/* Parts narrower than 1 do not exist: whole numbers then. */
			index = width ? v / width - from / width : v - from;
			index += m * n;
			return (s64)value < 0 ? all - index : all + 2 + index;
		}
		from *= factor;
	}
	return (s64)value < 0 ? 0 : 2 * all + 2;
}
