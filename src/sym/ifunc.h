/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that choose an implementation when the program starts (STT_GNU_IFUNC: strlen, memcpy and others of libc):
 * what has been chosen in a process.
 */
#ifndef SYM_IFUNC_H
#define SYM_IFUNC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sym/images.h"

/*
 * The implementation that `fn` of image `of` has in the process, as an address of that image as linked. The relocated words
 * of all images are looked through. False: none that is known, as nobody calls it, or not relocated yet.
 */
bool ifunc_resolve(pid_t pid, const struct elf_images *im, size_t of, const struct elf_func *fn,
		   uint64_t *addr);

#endif
