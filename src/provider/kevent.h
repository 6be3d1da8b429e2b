/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of kevent.def, and what the conditions and arguments in it are made of. */
#ifndef PROVIDER_KEVENT_H
#define PROVIDER_KEVENT_H

#include "provider/tracepoint.h"

#define TPS_MAX 2
#define NRS_MAX 12
#define ARGS_MAX 6

/* In the place of a tracepoint: the probe is a software counter of the kernel's (counter.h). */
#define SOFTWARE_EVENT "software event"

struct kevent;
typedef void kevent_cond(struct cg *cg, vreg ctx, const struct kevent *k, label out);
typedef vreg kevent_arg(struct cg *cg, vreg ctx);

struct kevent {
	const char *prov, *name;
	const char *tracepoint[TPS_MAX];
	kevent_cond *cond;
	/*
	 * Numbers of system calls, for conditions that ask for them. 0 ends the list; read is named by NR_READ. Of a
	 * SOFTWARE_EVENT: its number.
	 */
	short nr[NRS_MAX];
	kevent_arg *arg[ARGS_MAX];
	const char *type[ARGS_MAX + 1];
	struct probe_xarg xarg[ARGS_MAX + 1];
};

/* Arguments of the tracepoint as they are. */
#define RAW(n)                                              \
	static inline vreg raw##n(struct cg *cg, vreg ctx)  \
	{                                                   \
		return ir_load(cg_ir(cg), 8, ctx, 8 * (n)); \
	}
RAW(0)
RAW(1)
RAW(2)
RAW(3)
#undef RAW

/* ---- kevent_call.c: system calls ---- */

#define NR_READ (-1) /* the call of number 0 */
enum {
	NR_OPEN = 2,
	NR_SCHED_YIELD = 24,
	NR_SYMLINK = 88,
	NR_OPENAT = 257,
	NR_MKDIRAT = 258,
	NR_NEWFSTATAT = 262,
	NR_UNLINKAT = 263,
	NR_RENAMEAT = 264,
	NR_LINKAT = 265,
	NR_SYMLINKAT = 266,
	NR_READLINKAT = 267,
	NR_FACCESSAT = 269,
	NR_RENAMEAT2 = 316,
	NR_EXECVEAT = 322,
	NR_FACCESSAT2 = 439,
};

kevent_cond call_entry, call_failed, call_positive, call_succeeded, call_zero, call_zero_leader, call_stats_file,
	call_creates, call_removes_file, call_removes_dir, call_maps_file, call_locks_file;
kevent_arg call_path, call_marked_path, call_file, call_mapped_file, call_errno;

/* ---- kevent_vm.c: page faults, paging ---- */

kevent_cond vm_bio_read, vm_bio_write, vm_swaps_in, vm_swaps_out, vm_fault_protection, vm_fault_cow, vm_zeroed;
kevent_arg vm_bio_pages, vm_pages_of_order;
bool vm_have_swap(void);

/* ---- kevent_net.c: packets and sockets ---- */

kevent_cond net_is_ip, net_is_icmp, net_is_tcp, net_is_udp;
kevent_arg net_sock, net_sock_state, net_transport;
/* Of inet_sock_set_state. */
kevent_cond net_of_tcp, net_tcp_active, net_tcp_connected, net_tcp_passive, net_tcp_failed,
	net_tcp_reset, net_tcp_refused;
kevent_arg net_new_state;
/* Of tcp_send_reset, which has to tell of resets without a socket. */
kevent_cond net_refuses;
kevent_arg net_refused_transport;
bool net_have_refusals(void);
/* Of kfree_skb, which has to tell the reason. */
kevent_cond net_dropped; /* for the reason that belongs to the probe's name */
bool net_have_drop(const struct kevent *k);
/* Of icmp_send. */
kevent_cond net_icmp_unreachable, net_icmp_time_exceeded;

#endif
