/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of this folder share. */
#ifndef KERN_IMPL_H
#define KERN_IMPL_H

#include <linux/btf.h>
#include <stddef.h>
#include <stdint.h>

/* bpf(2): its result, or -errno. attr may be longer than this build's union bpf_attr, for newer
 * commands. */
int kern_bpf(int cmd, void *attr, size_t size);

/* What the kernel tells of a program, map or link, as much of it as size; the rest is 0. */
int kern_object_info(int fd, void *info, uint32_t size);

/* What a probe of the event source "kprobe" or "uprobe" is, in the words of its event. */
struct kern_perf_probe {
	uint64_t config, config1, config2;
};

/* A link of such an event, started, and a program; -EOPNOTSUPP without the source. */
int kern_perf_probe_link(const char *pmu, const struct kern_perf_probe *p, int prog_fd, uint64_t cookie);

/* Raw BTF, and where its parts are. */
struct btf_area {
	const char *data;
	size_t len;
	const char *types, *types_end, *strings, *strings_end;
};

/* Finds the parts; -EINVAL. Types are not checked. */
int btf_area_check(struct btf_area *a);
/* That of the kernel; 0 or -errno. */
int btf_vmlinux(const struct btf_area **a);
/* The type after t (NULL: the first one), or NULL at the end. */
const struct btf_type *btf_next(const struct btf_area *a, const struct btf_type *t);

#endif
