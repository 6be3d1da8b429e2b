/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs on functions of the kernel: many by one link where the kernel has that, else one perf event each.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

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
	struct perf_event_attr attr;
	int type = kern_perf_pmu_type("kprobe");
	long fd;

	if (type < 0)
		return type == -ENOENT ? -EOPNOTSUPP : type;
	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = type;
	attr.config = is_return;
	/* No name: an address, which tells functions of one name apart. */
	attr.config2 = addr;
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	return kern_perf_link(prog_fd, fd, cookie);
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
	union bpf_attr a;
	int r;

	memset(&info, 0, sizeof(info));
	memset(&a, 0, sizeof(a));
	a.info.bpf_fd = link_fd;
	a.info.info_len = sizeof(info);
	a.info.info = PTR(&info);
	r = kern_bpf(BPF_OBJ_GET_INFO_BY_FD, &a, offsetof(union bpf_attr, info) + sizeof(a.info));
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
