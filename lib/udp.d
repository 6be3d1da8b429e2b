/* SPDX-License-Identifier: BSD-2-Clause */
/* UDP. */
typedef struct udpinfo {
	uint16_t udp_sport;
	uint16_t udp_dport;
	uint16_t udp_length;
	uint16_t udp_checksum;
	struct udphdr *udp_hdr;
} udpinfo_t;

translator udpinfo_t < struct udphdr *U > {
	udp_sport = U == NULL ? 0 : ntohs(U->source);
	udp_dport = U == NULL ? 0 : ntohs(U->dest);
	udp_length = U == NULL ? 0 : ntohs(U->len);
	udp_checksum = U == NULL ? 0 : ntohs(U->check);
	udp_hdr = U;
};

inline struct udphdr *_skb_udp[struct sk_buff *S] = (struct udphdr *)(S->head + S->transport_header);

translator udpinfo_t < struct sk_buff *S > {
	udp_sport = xlate <udpinfo_t *> (_skb_udp[S])->udp_sport;
	udp_dport = xlate <udpinfo_t *> (_skb_udp[S])->udp_dport;
	udp_length = xlate <udpinfo_t *> (_skb_udp[S])->udp_length;
	udp_checksum = xlate <udpinfo_t *> (_skb_udp[S])->udp_checksum;
	udp_hdr = xlate <udpinfo_t *> (_skb_udp[S])->udp_hdr;
};

typedef struct udpsinfo {
	uintptr_t udps_addr;
	uint16_t udps_lport;
	uint16_t udps_rport;
	string udps_laddr;
	string udps_raddr;
} udpsinfo_t;

translator udpsinfo_t < struct sock *S > {
	udps_addr = (uintptr_t)S;
	udps_lport = S == NULL ? 0 : S->__sk_common.skc_num;
	udps_rport = S == NULL ? 0 : ntohs(S->__sk_common.skc_dport);
	udps_laddr = S == NULL ? "" : _sock_laddr[S];
	udps_raddr = S == NULL ? "" : _sock_raddr[S];
};
