/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of kevent.def, and what the conditions and arguments in it are made of. */
#ifndef PROVIDER_KEVENT_H
#define PROVIDER_KEVENT_H

#include "provider/tracepoint.h"

#define TPS_MAX 2
#define NRS_MAX 12
#define ARGS_MAX 6

struct kevent;
typedef void kevent_cond(struct cg *cg, vreg ctx, const struct kevent *k, label out);
typedef vreg kevent_arg(struct cg *cg, vreg ctx);

struct kevent {
	const char *prov, *name;
	const char *tracepoint[TPS_MAX];
	kevent_cond *cond;
	/* Numbers of system calls, for conditions that ask for them. 0 ends the list; read is named by NR_READ. */
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

#endif
