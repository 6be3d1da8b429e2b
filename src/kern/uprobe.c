/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs on instructions of files: many by one link where the kernel has that, else one perf event each.
 * A link of many costs 11 ms however many they are; a perf event costs that for every one of them.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>

#include "kern/impl.h"
#include "kern/kern.h"

#define PTR(p) ((uint64_t)(uintptr_t)(p))
#define MULTI_RETURN 1u /* BPF_F_UPROBE_MULTI_RETURN */

int kern_uprobe_multi_link(int prog_fd, const char *path, int pid, bool is_return, const struct kern_uprobe *u,
			   uint32_t n)
{
	/* The start of union bpf_attr for BPF_LINK_CREATE of this kind; newer than the headers may be. */
	struct {
		uint32_t prog_fd, target_fd, attach_type, flags;
		uint64_t path, offsets, ref_ctr_offsets, cookies;
		uint32_t cnt, multi_flags, pid, pad;
	} a = {
		.prog_fd = prog_fd,
		.attach_type = KERN_UPROBE_MULTI,
		.path = PTR(path),
		.cnt = n,
		.multi_flags = is_return ? MULTI_RETURN : 0,
		.pid = pid > 0 ? pid : 0,
	};
	uint64_t *offsets = malloc(3 * sizeof(*offsets) * n);
	bool counted = false;
	int r;

	if (!offsets)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		offsets[i] = u[i].offset;
		offsets[n + i] = u[i].cookie;
		offsets[2 * n + i] = u[i].ref_ctr;
		counted |= u[i].ref_ctr != 0;
	}
	a.offsets = PTR(offsets);
	a.cookies = PTR(offsets + n);
	if (counted)
		a.ref_ctr_offsets = PTR(offsets + 2 * (size_t)n);
	r = kern_bpf(BPF_LINK_CREATE, &a, sizeof(a));
	free(offsets);
	return r;
}

int kern_uprobe_perf_link(int prog_fd, const char *path, bool is_return, const struct kern_uprobe *u)
{
	struct kern_perf_probe p = {
		/* Bit 0: a return probe; bits 32..63: the offset of the counter. */
		.config = (is_return ? 1 : 0) | u->ref_ctr << 32,
		.config1 = PTR(path),
		.config2 = u->offset,
	};

	return kern_perf_probe_link("uprobe", &p, prog_fd, u->cookie);
}
