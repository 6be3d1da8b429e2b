/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of this folder share. */
#ifndef KERN_IMPL_H
#define KERN_IMPL_H

#include <stddef.h>

/* bpf(2): its result, or -errno. attr may be longer than this build's union bpf_attr, for newer
 * commands. */
int kern_bpf(int cmd, void *attr, size_t size);
/* A whole file of unknown size, NUL-terminated, to be freed; dir_fd as for openat(2). *len may be
 * NULL. */
int kern_read_file(int dir_fd, const char *path, char **text, size_t *len);

#endif
