/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that a process executes code of. */
#ifndef SYM_IMAGES_H
#define SYM_IMAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"
#include "sym/funcs.h"

/* A file that a process executes code of. */
struct elf_image {
	struct elf_file *file; /* borrowed from the cache */
	uint64_t bias;	       /* added to addresses as linked */
	bool exe;
	char *name; /* basename as mapped */
};

struct elf_images {
	VEC(struct elf_image) v; /* the executable first */
};

/* Files are opened once and kept by device and inode; if noted, those alone that have static probes. */
struct elf_cache;
struct elf_cache *elf_cache_create(bool noted);
void elf_cache_destroy(struct elf_cache *c);

/* What the process maps with execute permission. 0 or negative errno (-ESRCH: no such process). */
int elf_images_read(struct elf_cache *c, pid_t pid, struct elf_images *out);
/* Adds at the end what has been mapped since. */
int elf_images_update(struct elf_cache *c, pid_t pid, struct elf_images *im);
void elf_images_free(struct elf_images *im);
/* Does a module pattern mean the file of this basename: a.out, libc.so.6, libc.so, libc, LM0`libc? */
bool elf_module_match(const char *basename, bool exe, const char *pattern);

#endif
