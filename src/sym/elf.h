/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Function symbols of an ELF file: .symtab; or, where it was stripped, the .symtab of a separate
 * debug file (by build-id or .gnu_debuglink), .gnu_debugdata and .dynsym. Everything is copied
 * into memory when it is opened, so that the file may change or vanish afterwards.
 */
#ifndef SYM_ELF_H
#define SYM_ELF_H

#include <stddef.h>
#include <stdint.h>

struct elfsyms;

struct elfsym {
	const char *name; /* as it stands in the file; lives as long as the table */
	uint64_t addr, size;
};

/*
 * fd stays the caller's. path: of the file, for .gnu_debuglink; root: put in front of the folders
 * of debug files, "" for our own. 0 or negative errno: -ENOEXEC if it is no ELF file. A file
 * without symbols is no error.
 */
int elfsyms_open(struct elfsyms **out, int fd, const char *path, const char *root);
/* The same of an image in memory, without separate files. The image is not needed afterwards. */
int elfsyms_open_memory(struct elfsyms **out, const void *image, size_t size);
void elfsyms_destroy(struct elfsyms *e); /* accepts NULL */

/* The function around an address of the file: 0 or -ENOENT. */
int elfsyms_find(const struct elfsyms *e, uint64_t addr, struct elfsym *out);
/* The address of the byte at this offset of the file; the offset itself if no segment holds it. */
uint64_t elfsyms_address(const struct elfsyms *e, uint64_t offset);
size_t elfsyms_count(const struct elfsyms *e);

#endif
