/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stores through pointers: only D's own memory may be written. The caller compares the offset with
 * the area's size once more, for the verifier.
 */
#include "rt.h"

/* Offset in the frame of what lies at addr: variables, temporaries, taken scratch. 0: not there. */
ROUTINE u64 rt_own_frame(u64 frame, u64 addr, u64 size)
{
	char *f = frame_get(frame);
	u64 off, end;

	if (!f)
		return 0;
	off = addr - own_number(f, f);
	end = ((struct abi_frame *)f)->scratch_pos;
	if (off < sizeof(struct abi_frame) || end > conf.frame_size || off > end ||
	    size > end - off)
		return 0;
	return off;
}

/* Offset among the global variables, ~0: not there. */
ROUTINE u64 rt_own_global(u64 frame, u64 addr, u64 size)
{
	char *f = frame_get(frame);
	u64 off;

	if (!f)
		return ~0ull;
	off = addr - own_number(f, globals);
	if (off > conf.globals_size || size > conf.globals_size - off)
		return ~0ull;
	return off;
}
