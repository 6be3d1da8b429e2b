/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of networks as text. Each gives 0, or 1 if the address cannot be read. */
#include "str.h"

/* Of text.c: each gives the position behind what it has put. */
u64 rt_put(u64 frame, u64 dst, u64 pos, u64 c);
u64 rt_put_number(u64 frame, u64 dst, u64 pos, u64 v, u64 base);

#define INET4 4
#define INET6 16
#define GROUPS 8

static __always_inline void text_end(u64 frame, u64 dst, u64 pos)
{
	char *f = frame_get(frame);
	struct abi_str *to;

	if (f && (to = str_at(f, dst, conf.frame_size)))
		str_finish(to, pos);
}

/* v: as it lies in memory, the first byte lowest. */
ROUTINE u64 rt_put_inet4(u64 frame, u64 dst, u64 pos, u64 v)
{
	pos = rt_put_number(frame, dst, pos, v & 0xff, 10);
	pos = rt_put(frame, dst, pos, '.');
	pos = rt_put_number(frame, dst, pos, v >> 8 & 0xff, 10);
	pos = rt_put(frame, dst, pos, '.');
	pos = rt_put_number(frame, dst, pos, v >> 16 & 0xff, 10);
	pos = rt_put(frame, dst, pos, '.');
	return rt_put_number(frame, dst, pos, v >> 24 & 0xff, 10);
}

/* unused: rt_inet6() has another argument. */
ROUTINE u64 rt_inet4(u64 frame, u64 dst, u64 addr, u64 unused)
{
	unsigned char a[INET4];

	(void)unused;
	if (bpf_probe_read_kernel(a, sizeof(a), (void *)addr))
		return 1;
	text_end(frame, dst,
		 rt_put_inet4(frame, dst, 0, a[0] | a[1] << 8 | a[2] << 16 | (u64)a[3] << 24));
	return 0;
}

static __always_inline u64 group(const unsigned char *a, u32 i)
{
	return a[2 * i] << 8 | a[2 * i + 1];
}

/* Groups i to GROUPS, of which those from `zeros` on, n of them, are shortened. */
static __always_inline u64 put_groups(u64 frame, u64 dst, const unsigned char *a, u64 zeros, u64 n)
{
	u64 pos = 0, i;

	UNROLL
	for (i = 0; i < GROUPS; i++) {
		if (i - zeros < n) {
			if (i == zeros)
				pos = rt_put(frame, dst, pos, ':');
			if (i == GROUPS - 1)
				pos = rt_put(frame, dst, pos, ':');
			continue;
		}
		if (i)
			pos = rt_put(frame, dst, pos, ':');
		pos = rt_put_number(frame, dst, pos, group(a, i), 16);
	}
	return pos;
}

/*
 * The longest run of two zero groups or more is shortened, the first of several. An IPv4 address
 * behind zeros or ffff is put as one: with what stands before it if `full`.
 */
ROUTINE u64 rt_inet6(u64 frame, u64 dst, u64 addr, u64 full)
{
	char *f = frame_get(frame);
	u64 zero = 0, runs, longest = 0, at = 0, pos = 0, i, last;
	unsigned char a[INET6];

	if (!f || bpf_probe_read_kernel(a, sizeof(a), (void *)addr))
		return 1;
	UNROLL
	for (i = 0; i < GROUPS; i++)
		zero |= (group(a, i) - 1) >> 63 << i;
	/* Through memory: the verifier forgets how it came about. */
	((volatile struct abi_frame *)f)->work[0] = zero;
	zero = ((volatile struct abi_frame *)f)->work[0] & 0xff;
	/* Bit i of runs: a run of so many groups begins with group i. */
	runs = zero;
	UNROLL
	for (i = 1; i <= GROUPS; i++) {
		if (runs) {
			longest = i;
			at = runs;
		}
		runs &= zero >> i;
	}
	last = a[12] | a[13] << 8 | a[14] << 16 | (u64)a[15] << 24;
	if ((zero & 0x1f) == 0x1f && group(a, 5) == 0xffff) {
		if (full) {
			pos = rt_put(frame, dst, pos, ':');
			pos = rt_put(frame, dst, pos, ':');
			pos = rt_put_number(frame, dst, pos, 0xffff, 16);
			pos = rt_put(frame, dst, pos, ':');
		}
		pos = rt_put_inet4(frame, dst, pos, last);
	} else if ((zero & 0x7f) == 0x3f) {
		if (full) {
			pos = rt_put(frame, dst, pos, ':');
			pos = rt_put(frame, dst, pos, ':');
		}
		pos = rt_put_inet4(frame, dst, pos, last);
	} else {
		/* The number of the lowest bit, without a loop. */
		at &= -at;
		at = !!(at & 0xaa) + 2 * !!(at & 0xcc) + 4 * !!(at & 0xf0);
		pos = put_groups(frame, dst, a, at, longest > 1 ? longest : 0);
	}
	text_end(frame, dst, pos);
	return 0;
}

#define LINK_MAX 20

/* n bytes, at most LINK_MAX, as of a hardware address. */
ROUTINE u64 rt_link(u64 frame, u64 dst, u64 addr, u64 n)
{
	u64 pos = 0, i, c = 0;

	NOUNROLL
	for (i = 0; i < LINK_MAX && i < n; i++) {
		if (bpf_probe_read_kernel(&c, 1, (void *)(addr + i)))
			return 1;
		if (i)
			pos = rt_put(frame, dst, pos, ':');
		pos = rt_put_number(frame, dst, pos, c >> 4 & 0xf, 16);
		pos = rt_put_number(frame, dst, pos, c & 0xf, 16);
	}
	text_end(frame, dst, pos);
	return 0;
}
