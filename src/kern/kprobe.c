/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs on functions of the kernel: many by one link where the kernel has that, else one perf event each.
 */
#include <errno.h>
#include <linux/bpf.h>

#include "kern/impl.h"
#include "kern/kern.h"

#define PTR(p) ((uint64_t)(uintptr_t)(p))
#define MULTI_RETURN 1u /* BPF_F_KPROBE_MULTI_RETURN */

int kern_kprobe_multi_link(int prog_fd, bool is_return, const uint64_t *addrs, const uint64_t *cookies, uint32_t n)
{
	/* The start of union bpf_attr for BPF_LINK_CREATE of this kind; newer than the headers may be. */
	struct {
		uint32_t prog_fd, target_fd, attach_type, flags;
		uint32_t multi_flags, cnt;
		uint64_t syms, addrs, cookies;
	} a = {
		.prog_fd = prog_fd,
		.attach_type = KERN_KPROBE_MULTI,
		.multi_flags = is_return ? MULTI_RETURN : 0,
		.cnt = n,
		.addrs = PTR(addrs),
		.cookies = PTR(cookies),
	};

	return kern_bpf(BPF_LINK_CREATE, &a, sizeof(a));
}

int kern_kprobe_perf_link(int prog_fd, bool is_return, uint64_t addr, uint64_t cookie)
{
	/* No name: an address, which tells functions of one name apart. */
	struct kern_perf_probe p = { .config = is_return, .config2 = addr };

	return kern_perf_probe_link("kprobe", &p, prog_fd, cookie);
}

/* What struct bpf_link_info begins with; newer than the headers may be. */
struct link_info {
	uint32_t type, id, prog_id, pad;
	union {
		struct {
			uint64_t addrs;
			uint32_t count, flags;
			uint64_t missed;
		} multi;
		struct {
			uint32_t type, pad;
			uint64_t name;
			uint32_t name_len, offset;
			uint64_t addr, missed;
		} perf;
	};
};

enum { LINK_PERF_EVENT = 7, LINK_KPROBE_MULTI = 8, EVENT_KPROBE = 3, EVENT_KRETPROBE = 4 };

int kern_kprobe_missed(int link_fd, uint64_t *missed)
{
	struct link_info info;
	int r = kern_object_info(link_fd, &info, sizeof(info));

	if (r < 0)
		return r;
	if (info.type == LINK_KPROBE_MULTI)
		*missed = info.multi.missed;
	else if (info.type == LINK_PERF_EVENT && (info.perf.type == EVENT_KPROBE || info.perf.type == EVENT_KRETPROBE))
		*missed = info.perf.missed;
	else
		return -EOPNOTSUPP;
	return 0;
}
