/* SPDX-License-Identifier: BSD-2-Clause */
/* copyin(): user memory into the scratch of a frame. */
#include "rt.h"

#define COPYIN_FAULT 0
#define COPYIN_NOSCRATCH 1

/*
 * Copies blocks of a fixed size while they fit, then smaller ones: the verifier cannot know that position
 * plus size stays inside the frame, but it can for each block.
 */
static __always_inline long blocks_copy(char *f, u64 *pos, u64 *addr, u64 *left, u32 block,
					u32 times)
{
	u32 i;

	NOUNROLL
	for (i = 0; i < times; i++) {
		u64 at = *pos;

		if (*left < block)
			break;
		FENCE(at);
		if (at > conf.frame_size - block)
			return -1;
		if (bpf_probe_read_user(f + at, block, (void *)*addr))
			return -1;
		*pos += block;
		*addr += block;
		*left -= block;
	}
	return 0;
}

/* Gives the offset in the frame, COPYIN_FAULT (fault_value is the address) or COPYIN_NOSCRATCH. */
ROUTINE u64 rt_copyin(u64 frame, u64 addr, u64 size)
{
	char *f = frame_get(frame);
	struct abi_frame *fr = (struct abi_frame *)f;
	u64 start, pos, left = size, from = addr;

	if (!f)
		return COPYIN_NOSCRATCH;
	start = pos = fr->scratch_pos;
	if (size > conf.frame_size || pos > conf.frame_size - size)
		return COPYIN_NOSCRATCH;
	fr->scratch_pos = pos + ((size + 7) & ~7ull);
	if ((conf.frame_size >= 4096 && blocks_copy(f, &pos, &from, &left, 4096, 64)) ||
	    (conf.frame_size >= 512 && blocks_copy(f, &pos, &from, &left, 512, 8)) ||
	    blocks_copy(f, &pos, &from, &left, 64, 8) ||
	    blocks_copy(f, &pos, &from, &left, 8, 8) ||
	    blocks_copy(f, &pos, &from, &left, 1, 8)) {
		fr->fault_value = addr;
		return COPYIN_FAULT;
	}
	return start;
}
