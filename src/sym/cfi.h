/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How to find the callers of a file's code: .eh_frame, brought into rows for programs in probe context
 * (abi/abi.h, "unwinding").
 *
 * A row holds from its place in the file on, up to the next row. Only what a caller is found by is kept:
 * the frame's address (CFA), where the return address is, and the frame pointer. Code whose frame's
 * address hangs on other registers than the stack and the frame pointer has rows without a rule.
 */
#ifndef SYM_CFI_H
#define SYM_CFI_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct cfi {
	VEC(uint64_t) rows; /* ABI_UNWIND_ROW, ascending */
};

/* fd stays the caller's. 0, also if the file tells nothing; -ENOEXEC if it is no ELF file of this machine. */
int cfi_read(struct cfi *out, int fd);
/* The same of an image in memory. */
int cfi_read_memory(struct cfi *out, const void *image, size_t size);
void cfi_free(struct cfi *c);

#endif
