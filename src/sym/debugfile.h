/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the symbols of a stripped file are: in a debug file of its own, or packed in itself. */
#ifndef SYM_DEBUGFILE_H
#define SYM_DEBUGFILE_H

#include <libelf.h>
#include <stdbool.h>

#include "base/str.h"

/*
 * Calls use for each debug file that belongs to this one, by build id or .gnu_debuglink, until it says true; gives
 * whether it did. path: of the file, for .gnu_debuglink; root: put in front of the folders of debug files, "" for our own.
 */
bool debugfile_find(Elf *elf, const char *path, const char *root,
		    bool (*use)(void *arg, int fd, Elf *debug), void *arg);
/* The mini debug information (.gnu_debugdata), unpacked: an ELF file. False: it has none; image is to be freed anyway. */
bool debugfile_mini(Elf *elf, struct str *image);

#endif
