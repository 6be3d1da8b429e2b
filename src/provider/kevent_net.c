/* SPDX-License-Identifier: BSD-2-Clause */
/* Conditions and arguments of events of the network (provider/kevent.h). */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "provider/kevent.h"

#define ETH_IP4 0x0008 /* as they stand in the packet */
#define ETH_IP6 0xdd86

void net_is_ip(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	struct ir *ir = cg_ir(cg);
	vreg proto = tracepoint_member(cg, raw0(cg, ctx), "sk_buff", "protocol", 2);
	label yes = ir_label(ir);

	(void)k;
	ir_jcci(ir, IR_EQ, proto, ETH_IP4, yes);
	ir_jcci(ir, IR_NE, proto, ETH_IP6, out);
	ir_place(ir, yes);
}

enum { PROTO_ICMP = 1, PROTO_TCP = 6, PROTO_UDP = 17 };

/* The network header of a packet; one that has just come in from a device has none marked: its data begin with it. */
static vreg network_header(struct cg *cg, vreg skb)
{
	struct ir *ir = cg_ir(cg);
	label done = ir_label(ir), unmarked = ir_label(ir);
	vreg off = tracepoint_member(cg, skb, "sk_buff", "network_header", 2);
	vreg at = ir_vreg(ir);

	ir_jcci(ir, IR_EQ, off, 0, unmarked);
	ir_mov_to(ir, at, tracepoint_member(cg, skb, "sk_buff", "head", 8));
	ir_alu(ir, IR_ADD, at, off);
	ir_jmp(ir, done);
	ir_place(ir, unmarked);
	ir_mov_to(ir, at, tracepoint_member(cg, skb, "sk_buff", "data", 8));
	ir_place(ir, done);
	return at;
}

/* Behind the network header. IPv6: extension headers are not followed. */
static vreg transport_header(struct cg *cg, vreg skb)
{
	struct ir *ir = cg_ir(cg);
	label done = ir_label(ir);
	vreg at = network_header(cg, skb);
	vreg first = tracepoint_read(cg, at, 0, 1);
	vreg len = ir_mov(ir, first);

	ir_alui(ir, IR_AND, len, 0xf);
	ir_alui(ir, IR_SHL, len, 2);
	ir_alui(ir, IR_SHR, first, 4);
	ir_jcci(ir, IR_EQ, first, 4, done);
	ir_imm_to(ir, len, 40);
	ir_place(ir, done);
	ir_alu(ir, IR_ADD, at, len);
	return at;
}

static void carries(struct cg *cg, vreg skb, int protocol, label out)
{
	struct ir *ir = cg_ir(cg);
	label six = ir_label(ir), done = ir_label(ir);
	vreg at = network_header(cg, skb);
	vreg first = tracepoint_read(cg, at, 0, 1);

	ir_alui(ir, IR_SHR, first, 4);
	ir_jcci(ir, IR_EQ, first, 6, six);
	ir_jcci(ir, IR_NE, tracepoint_read(cg, at, 9, 1), protocol, out);
	ir_jmp(ir, done);
	ir_place(ir, six);
	ir_jcci(ir, IR_NE, tracepoint_read(cg, at, 6, 1), protocol, out);
	ir_place(ir, done);
}

void net_is_tcp(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	net_is_ip(cg, ctx, k, out);
	carries(cg, raw0(cg, ctx), PROTO_TCP, out);
}

void net_is_udp(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	net_is_ip(cg, ctx, k, out);
	carries(cg, raw0(cg, ctx), PROTO_UDP, out);
}

static void is_ipv4(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	(void)k;
	ir_jcci(cg_ir(cg), IR_NE, tracepoint_member(cg, raw0(cg, ctx), "sk_buff", "protocol", 2),
		ETH_IP4, out);
}

void net_is_icmp(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	is_ipv4(cg, ctx, k, out);
	carries(cg, raw0(cg, ctx), PROTO_ICMP, out);
}

/* tcp_send_reset(socket, segment that is answered, reason); older kernels do not tell of those without a socket. */
bool net_have_refusals(void)
{
	struct kern_btf_args types;

	return !kern_btf_tracepoint_args("tcp_send_reset", &types) && types.n > 2;
}

#define TCP_FLAGS 13 /* offset in the header */

vreg net_refused_transport(struct cg *cg, vreg ctx)
{
	return transport_header(cg, raw1(cg, ctx));
}

void net_refuses(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	struct ir *ir = cg_ir(cg);

	(void)k;
	ir_jcci(ir, IR_NE, raw0(cg, ctx), 0, out);
	ir_jcci(ir, IR_EQ, raw1(cg, ctx), 0, out);
	vreg flags = tracepoint_read(cg, net_refused_transport(cg, ctx), TCP_FLAGS, 1);

	ir_alui(ir, IR_AND, flags, 0x12);
	ir_jcci(ir, IR_NE, flags, 0x02, out); /* SYN, not ACK */
}

vreg net_sock(struct cg *cg, vreg ctx)
{
	return tracepoint_member(cg, raw0(cg, ctx), "sk_buff", "sk", 8);
}

vreg net_transport(struct cg *cg, vreg ctx)
{
	return transport_header(cg, raw0(cg, ctx));
}

/*
 * A socket and a state in one number, for the translator in tcp.d: an event tells the state that the socket does not
 * have yet. Sockets lie at multiples of 64.
 */
vreg net_sock_state(struct cg *cg, vreg ctx)
{
	struct ir *ir = cg_ir(cg);
	label done = ir_label(ir);
	vreg sock = net_sock(cg, ctx);

	ir_jcci(ir, IR_EQ, sock, 0, done);
	ir_alu(ir, IR_OR, sock, tracepoint_member(cg, sock, "sock_common", "skc_state", 1));
	ir_place(ir, done);
	return sock;
}

enum {
	TCP_ESTABLISHED = 1,
	TCP_SYN_SENT = 2,
	TCP_SYN_RECV = 3,
	TCP_FIN_WAIT2 = 5,
	TCP_TIME_WAIT = 6,
	TCP_CLOSE = 7,
	TCP_CLOSE_WAIT = 8,
	TCP_CLOSING = 11
};

/*
 * inet_sock_set_state(socket, old, new). A socket whose connection goes on in time-wait is closed, for a smaller one takes
 * its place: that is the way from fin-wait-2 and closing if there was no error.
 */
vreg net_new_state(struct cg *cg, vreg ctx)
{
	struct ir *ir = cg_ir(cg);
	vreg v = raw0(cg, ctx), before = raw1(cg, ctx), state = raw2(cg, ctx);
	label done = ir_label(ir), perhaps = ir_label(ir);

	ir_alui(ir, IR_AND, state, 0x3f);
	ir_jcci(ir, IR_NE, state, TCP_CLOSE, done);
	ir_ext(ir, before, 4, false);
	ir_jcci(ir, IR_EQ, before, TCP_FIN_WAIT2, perhaps);
	ir_jcci(ir, IR_NE, before, TCP_CLOSING, done);
	ir_place(ir, perhaps);
	ir_jcci(ir, IR_NE, tracepoint_member(cg, v, "sock", "sk_err", 4), 0, done);
	ir_imm_to(ir, state, TCP_TIME_WAIT);
	ir_place(ir, done);
	ir_alu(ir, IR_OR, v, state);
	return v;
}

void net_of_tcp(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	(void)k;
	ir_jcci(cg_ir(cg), IR_NE, tracepoint_member(cg, raw0(cg, ctx), "sock", "sk_protocol", 2),
		PROTO_TCP, out);
}

/* inet_sock_set_state(sk, old, new) */
static void tcp_change(struct cg *cg, vreg ctx, int from, int to, label out)
{
	struct ir *ir = cg_ir(cg);
	vreg before = raw1(cg, ctx), after = raw2(cg, ctx);

	net_of_tcp(cg, ctx, NULL, out);
	ir_ext(ir, before, 4, false);
	ir_ext(ir, after, 4, false);
	ir_jcci(ir, IR_NE, before, from, out);
	ir_jcci(ir, IR_NE, after, to, out);
}

#define TCP_CHANGE(name, from, to)                                            \
	void name(struct cg *cg, vreg ctx, const struct kevent *k, label out) \
	{                                                                     \
		(void)k;                                                      \
		tcp_change(cg, ctx, from, to, out);                           \
	}
TCP_CHANGE(net_tcp_active, TCP_CLOSE, TCP_SYN_SENT)
TCP_CHANGE(net_tcp_connected, TCP_SYN_SENT, TCP_ESTABLISHED)
TCP_CHANGE(net_tcp_passive, TCP_SYN_RECV, TCP_ESTABLISHED)
TCP_CHANGE(net_tcp_failed, TCP_SYN_SENT, TCP_CLOSE)

/* The other side may have ended its half before. */
void net_tcp_reset(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	struct ir *ir = cg_ir(cg);
	label yes = ir_label(ir);
	vreg before = raw1(cg, ctx), after = raw2(cg, ctx);

	net_of_tcp(cg, ctx, k, out);
	ir_ext(ir, after, 4, false);
	ir_jcci(ir, IR_NE, after, TCP_CLOSE, out);
	ir_ext(ir, before, 4, false);
	ir_jcci(ir, IR_EQ, before, TCP_ESTABLISHED, yes);
	ir_jcci(ir, IR_NE, before, TCP_CLOSE_WAIT, out);
	ir_place(ir, yes);
}

void net_tcp_refused(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	net_tcp_failed(cg, ctx, k, out);
	ir_jcci(cg_ir(cg), IR_NE, tracepoint_member(cg, raw0(cg, ctx), "sock", "sk_err", 4),
		ECONNREFUSED, out);
}

/* kfree_skb(packet, place, reason): why packets are dropped. Reasons have other numbers in other kernels. */
static const struct drop {
	const char *name;
	const char *reason[2]; /* one of them; with SKB_DROP_REASON_ before it */
	kevent_cond *packet;
} drops[] = {
	{ "ipInHdrErrors", { "IP_INHDR", "IP_CSUM" }, is_ipv4 },
	{ "ipInCksumErrs", { "IP_CSUM" }, is_ipv4 },
	{ "ipInUnknownProtos", { "IP_NOPROTO" }, is_ipv4 },
	{ "tcpInErrs", { "TCP_CSUM" }, net_is_tcp },
	{ "udpInCksumErrs", { "UDP_CSUM" }, net_is_udp },
	{ "udpInOverflows", { "SOCKET_RCVBUFF" }, net_is_udp },
	{ "udpNoPorts", { "NO_SOCKET" }, net_is_udp },
};

static const struct drop *drop_of(const struct kevent *k)
{
	size_t i = 0;

	while (strcmp(drops[i].name, k->name))
		i++;
	return &drops[i];
}

static int64_t reason_number(const char *name)
{
	char full[64];

	snprintf(full, sizeof(full), "SKB_DROP_REASON_%s", name);
	return kern_btf_enumerator("skb_drop_reason", full);
}

bool net_have_drop(const struct kevent *k)
{
	const struct drop *d = drop_of(k);
	struct kern_btf_args types;
	bool have = !kern_btf_tracepoint_args("kfree_skb", &types) && types.n > 2;

	for (size_t i = 0; i < ARRAY_SIZE(d->reason); i++)
		have = have && (!d->reason[i] || reason_number(d->reason[i]) > 0);
	return have;
}

void net_dropped(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	const struct drop *d = drop_of(k);
	struct ir *ir = cg_ir(cg);
	label yes = ir_label(ir);
	vreg reason = raw2(cg, ctx);

	ir_ext(ir, reason, 4, false);
	for (size_t i = 0; i < ARRAY_SIZE(d->reason) && d->reason[i]; i++)
		ir_jcci(ir, IR_EQ, reason, reason_number(d->reason[i]), yes);
	ir_jmp(ir, out);
	ir_place(ir, yes);
	d->packet(cg, ctx, k, out);
}

enum { ICMP_UNREACHABLE = 3, ICMP_TIME_EXCEEDED = 11 };

/* icmp_send(packet that it is about, type, code) */
static void icmp_type(struct cg *cg, vreg ctx, int type, label out)
{
	vreg v = raw1(cg, ctx);

	ir_ext(cg_ir(cg), v, 4, false);
	ir_jcci(cg_ir(cg), IR_NE, v, type, out);
}

void net_icmp_unreachable(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	(void)k;
	icmp_type(cg, ctx, ICMP_UNREACHABLE, out);
}

void net_icmp_time_exceeded(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	(void)k;
	icmp_type(cg, ctx, ICMP_TIME_EXCEEDED, out);
}
