/* SPDX-License-Identifier: BSD-2-Clause */
/* The caller of a user function that has set up no frame: x86-64. */
#include "rt.h"

#define FRAME_WORDS 16 /* what such a function may have put on the stack */

/* Does a call end right before addr? The 8 bytes before it are b[0] to b[7]. */
static __always_inline bool follows_call(u64 addr)
{
	unsigned char b[8];

	if (bpf_probe_read_user(b, sizeof(b), (void *)(addr - 8)))
		return false;
	/* call rel32 */
	if (b[3] == 0xe8)
		return true;
	/* call r/m: opcode ff /2, with every length of an operand */
	return (b[6] == 0xff && (b[7] & 0x38) == 0x10) || (b[5] == 0xff && (b[6] & 0x38) == 0x10) ||
	       (b[4] == 0xff && (b[5] & 0x38) == 0x10) || (b[2] == 0xff && (b[3] & 0x38) == 0x10) ||
	       (b[1] == 0xff && (b[2] & 0x38) == 0x10);
}

/*
 * The first return address on the stack, from its top up to the frame of bp, which belongs to the
 * caller if the function has none. 0: there is none.
 */
ROUTINE u64 rt_user_caller(u64 sp, u64 bp)
{
	u64 word, i;

	NOUNROLL
	for (i = 0; i < FRAME_WORDS; i++) {
		if (sp == bp || bpf_probe_read_user(&word, sizeof(word), (void *)sp))
			return 0;
		if (word > 0xfff && word >> 47 == 0 && follows_call(word))
			return word;
		sp += 8;
	}
	return 0;
}
