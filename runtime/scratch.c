/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scratch: memory of alloca(), copyin() and the like, taken upwards in the frame until the end of
 * the clause. Its address is that of kernel memory like any other.
 */
#include "rt.h"

#define SCRATCH_FAULT 0
#define SCRATCH_NONE 1
#define SCRATCH_MAX (64ull * 4096)

/*
 * Copies blocks of a fixed size while they fit; the rest is for the next smaller size. The
 * verifier cannot know that a position plus a size stays inside the frame, but it can for each
 * block. One function for each size, so that their loops are checked one after the other, not
 * one inside the other.
 */
static __always_inline u64 blocks_copy(u64 frame, u64 pos, u64 addr, u64 left, u64 user, u32 block,
				       u32 times)
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
		if (user ? bpf_probe_read_user(f + pos, block, (void *)addr)
			 : bpf_probe_read_kernel(f + pos, block, (void *)addr))
			return 1;
		pos += block;
		addr += block;
		left -= block;
	}
	return 0;
}

ROUTINE u64 rt_copy_4096(u64 frame, u64 pos, u64 addr, u64 left, u64 user)
{
	return blocks_copy(frame, pos, addr, left, user, 4096, SCRATCH_MAX / 4096);
}

ROUTINE u64 rt_copy_512(u64 frame, u64 pos, u64 addr, u64 left, u64 user)
{
	return blocks_copy(frame, pos, addr, left, user, 512, 7);
}

ROUTINE u64 rt_copy_64(u64 frame, u64 pos, u64 addr, u64 left, u64 user)
{
	return blocks_copy(frame, pos, addr, left, user, 64, 7);
}

ROUTINE u64 rt_copy_8(u64 frame, u64 pos, u64 addr, u64 left, u64 user)
{
	return blocks_copy(frame, pos, addr, left, user, 8, 7);
}

ROUTINE u64 rt_copy_1(u64 frame, u64 pos, u64 addr, u64 left, u64 user)
{
	return blocks_copy(frame, pos, addr, left, user, 1, 7);
}

static __always_inline u64 all_copy(u64 frame, u64 pos, u64 addr, u64 size, u64 user)
{
	u64 left = size, done;

#define STEP(block)                                                                           \
	if (left >= (block)) {                                                                \
		done = size - left;                                                           \
		if (rt_copy_##block(frame, pos + done, addr + done, left, user))              \
			return 1;                                                             \
		left %= (block);                                                              \
	}
	STEP(4096);
	STEP(512);
	STEP(64);
	STEP(8);
	STEP(1);
#undef STEP
	return 0;
}

/* The offset of size bytes that were free, or SCRATCH_NONE. Scratch ends at `end`. */
static __always_inline u64 scratch_take(struct abi_frame *f, u64 size, u64 end)
{
	u64 pos = f->scratch_pos;

	end = min_u64(end, conf.frame_size);
	if (size > SCRATCH_MAX || pos > end || size > end - pos)
		return SCRATCH_NONE;
	f->scratch_pos = pos + ((size + 7) & ~7ull);
	return pos;
}

/* Gives the offset in the frame, SCRATCH_FAULT (fault_value is the address) or SCRATCH_NONE. */
ROUTINE u64 rt_copyin(u64 frame, u64 addr, u64 size, u64 end)
{
	struct abi_frame *f = (struct abi_frame *)frame_get(frame);
	u64 pos;

	if (!f)
		return SCRATCH_NONE;
	pos = scratch_take(f, size, end);
	if (pos == SCRATCH_NONE)
		return SCRATCH_NONE;
	if (all_copy(frame, pos, addr, size, 1)) {
		f->fault_value = addr;
		return SCRATCH_FAULT;
	}
	return pos;
}

/* Of words.c. */
u64 rt_zero(u64 frame, u64 off, u64 bytes);

/* Gives the offset in the frame of bytes that are 0, or SCRATCH_NONE. */
ROUTINE u64 rt_alloca(u64 frame, u64 size, u64 end)
{
	struct abi_frame *f = (struct abi_frame *)frame_get(frame);
	u64 pos;

	if (!f)
		return SCRATCH_NONE;
	pos = scratch_take(f, size, end);
	if (pos != SCRATCH_NONE)
		rt_zero(frame, pos, (size + 7) & ~7ull);
	return pos;
}

/*
 * The offset of what lies at addr in scratch, which begins at start; SCRATCH_FAULT: it is not
 * there; SCRATCH_NONE: size bytes are more than have been taken.
 */
ROUTINE u64 rt_scratch_place(u64 frame, u64 addr, u64 size, u64 start)
{
	char *f = frame_get(frame);
	u64 off, end;

	if (!f)
		return SCRATCH_FAULT;
	off = addr - own_number(f, f);
	end = ((struct abi_frame *)f)->scratch_pos;
	if (off < start || off > end || end > conf.frame_size)
		return SCRATCH_FAULT;
	return size > end - off ? SCRATCH_NONE : off;
}

/* size bytes at addr, of the kernel or of the current process, to an offset. 1: cannot be read. */
ROUTINE u64 rt_scratch_copy(u64 frame, u64 pos, u64 addr, u64 size, u64 user)
{
	if (size > SCRATCH_MAX)
		return 1;
	return all_copy(frame, pos, addr, size, user);
}
