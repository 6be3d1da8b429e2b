/* SPDX-License-Identifier: BSD-2-Clause */
/* copyin(): user memory into the scratch of a frame. */
#include "rt.h"

#define COPYIN_FAULT 0
#define COPYIN_NOSCRATCH 1
#define COPYIN_MAX (64ull * 4096)

/*
 * Copies blocks of a fixed size while they fit; the rest is for the next smaller size. The
 * verifier cannot know that a position plus a size stays inside the frame, but it can for each
 * block. One function for each size, so that their loops are checked one after the other, not
 * one inside the other.
 */
static __always_inline u64 blocks_copy(u64 frame, u64 pos, u64 addr, u64 left, u32 block, u32 times)
{
	char *f = frame_get(frame);
	u32 i;

	if (!f || conf.frame_size < block)
		return 1;
	NOUNROLL
	for (i = 0; i < times && left >= block; i++) {
		FENCE(pos);
		if (pos > conf.frame_size - (u64)block)
			return 1;
		if (bpf_probe_read_user(f + pos, block, (void *)addr))
			return 1;
		pos += block;
		addr += block;
		left -= block;
	}
	return 0;
}

ROUTINE u64 rt_copyin_4096(u64 frame, u64 pos, u64 addr, u64 left)
{
	return blocks_copy(frame, pos, addr, left, 4096, COPYIN_MAX / 4096);
}

ROUTINE u64 rt_copyin_512(u64 frame, u64 pos, u64 addr, u64 left)
{
	return blocks_copy(frame, pos, addr, left, 512, 7);
}

ROUTINE u64 rt_copyin_64(u64 frame, u64 pos, u64 addr, u64 left)
{
	return blocks_copy(frame, pos, addr, left, 64, 7);
}

ROUTINE u64 rt_copyin_8(u64 frame, u64 pos, u64 addr, u64 left)
{
	return blocks_copy(frame, pos, addr, left, 8, 7);
}

ROUTINE u64 rt_copyin_1(u64 frame, u64 pos, u64 addr, u64 left)
{
	return blocks_copy(frame, pos, addr, left, 1, 7);
}

static __always_inline u64 all_copy(u64 frame, u64 pos, u64 addr, u64 size)
{
	u64 left = size;

#define STEP(block)                                                                        \
	if (left >= (block)) {                                                             \
		if (rt_copyin_##block(frame, pos + size - left, addr + size - left, left)) \
			return 1;                                                          \
		left %= (block);                                                           \
	}
	STEP(4096);
	STEP(512);
	STEP(64);
	STEP(8);
	STEP(1);
#undef STEP
	return 0;
}

/* Gives the offset in the frame, COPYIN_FAULT (fault_value is the address) or COPYIN_NOSCRATCH. */
ROUTINE u64 rt_copyin(u64 frame, u64 addr, u64 size)
{
	struct abi_frame *f = (struct abi_frame *)frame_get(frame);
	u64 pos;

	if (!f)
		return COPYIN_NOSCRATCH;
	pos = f->scratch_pos;
	if (size > COPYIN_MAX || pos > conf.frame_size || size > conf.frame_size - pos)
		return COPYIN_NOSCRATCH;
	f->scratch_pos = pos + ((size + 7) & ~7ull);
	if (all_copy(frame, pos, addr, size)) {
		f->fault_value = addr;
		return COPYIN_FAULT;
	}
	return pos;
}
