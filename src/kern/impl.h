/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of this folder share. */
#ifndef KERN_IMPL_H
#define KERN_IMPL_H

#include <stddef.h>

/* bpf(2): its result, or -errno. attr may be longer than this build's union bpf_attr, for newer
 * commands. */
int kern_bpf(int cmd, void *attr, size_t size);

#endif
