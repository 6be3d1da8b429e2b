/* SPDX-License-Identifier: BSD-2-Clause */
/* TCP. */
inline uint8_t TH_FIN = 0x01;
inline uint8_t TH_SYN = 0x02;
inline uint8_t TH_RST = 0x04;
inline uint8_t TH_PUSH = 0x08;
inline uint8_t TH_PSH = 0x08;
inline uint8_t TH_ACK = 0x10;
inline uint8_t TH_URG = 0x20;
inline uint8_t TH_ECE = 0x40;
inline uint8_t TH_CWR = 0x80;

inline int32_t TCP_STATE_IDLE = 0;
inline int32_t TCP_STATE_ESTABLISHED = 1;
inline int32_t TCP_STATE_SYN_SENT = 2;
inline int32_t TCP_STATE_SYN_RECEIVED = 3;
inline int32_t TCP_STATE_FIN_WAIT_1 = 4;
inline int32_t TCP_STATE_FIN_WAIT_2 = 5;
inline int32_t TCP_STATE_TIME_WAIT = 6;
inline int32_t TCP_STATE_CLOSED = 7;
inline int32_t TCP_STATE_CLOSE_WAIT = 8;
inline int32_t TCP_STATE_LAST_ACK = 9;
inline int32_t TCP_STATE_LISTEN = 10;
inline int32_t TCP_STATE_CLOSING = 11;

/* The kernel's number 12 is a request that has not become a socket yet. */
inline int32_t _tcp_state[int32_t state] = state == 12 ? TCP_STATE_SYN_RECEIVED : state;

typedef struct tcpinfo {
	uint16_t tcp_sport;
	uint16_t tcp_dport;
	uint32_t tcp_seq;
	uint32_t tcp_ack;
	uint8_t tcp_offset;
	uint8_t tcp_flags;
	uint16_t tcp_window;
	uint16_t tcp_checksum;
	uint16_t tcp_urgent;
	struct tcphdr *tcp_hdr;
} tcpinfo_t;

translator tcpinfo_t < struct tcphdr *T > {
	tcp_sport = T == NULL ? 0 : ntohs(T->source);
	tcp_dport = T == NULL ? 0 : ntohs(T->dest);
	tcp_seq = T == NULL ? 0 : ntohl(T->seq);
	tcp_ack = T == NULL ? 0 : ntohl(T->ack_seq);
	tcp_offset = T == NULL ? 0 : (((uint8_t *)T)[12] >> 4) << 2;
	tcp_flags = T == NULL ? 0 : ((uint8_t *)T)[13];
	tcp_window = T == NULL ? 0 : ntohs(T->window);
	tcp_checksum = T == NULL ? 0 : ntohs(T->check);
	tcp_urgent = T == NULL ? 0 : ntohs(T->urg_ptr);
	tcp_hdr = T;
};

inline struct tcphdr *_skb_tcp[struct sk_buff *S] = (struct tcphdr *)(S->head + S->transport_header);

/* What refuses the segment with this header. */
translator tcpinfo_t < uint64_t R > {
	tcp_sport = ntohs(((struct tcphdr *)R)->dest);
	tcp_dport = ntohs(((struct tcphdr *)R)->source);
	tcp_seq = 0;
	tcp_ack = ntohl(((struct tcphdr *)R)->seq) + 1;
	tcp_offset = 20;
	tcp_flags = TH_RST | TH_ACK;
	tcp_window = 0;
	tcp_checksum = 0;
	tcp_urgent = 0;
	tcp_hdr = NULL;
};

/* What this end sends: no packet is at hand. */
translator tcpinfo_t < struct sock *S > {
	tcp_sport = S->__sk_common.skc_num;
	tcp_dport = ntohs(S->__sk_common.skc_dport);
	tcp_seq = 0;
	tcp_ack = 0;
	tcp_offset = 0;
	tcp_flags = 0;
	tcp_window = 0;
	tcp_checksum = 0;
	tcp_urgent = 0;
	tcp_hdr = NULL;
};

translator tcpinfo_t < struct sk_buff *S > {
	tcp_sport = xlate <tcpinfo_t *> (_skb_tcp[S])->tcp_sport;
	tcp_dport = xlate <tcpinfo_t *> (_skb_tcp[S])->tcp_dport;
	tcp_seq = xlate <tcpinfo_t *> (_skb_tcp[S])->tcp_seq;
	tcp_ack = xlate <tcpinfo_t *> (_skb_tcp[S])->tcp_ack;
	tcp_offset = xlate <tcpinfo_t *> (_skb_tcp[S])->tcp_offset;
	tcp_flags = xlate <tcpinfo_t *> (_skb_tcp[S])->tcp_flags;
	tcp_window = xlate <tcpinfo_t *> (_skb_tcp[S])->tcp_window;
	tcp_checksum = xlate <tcpinfo_t *> (_skb_tcp[S])->tcp_checksum;
	tcp_urgent = xlate <tcpinfo_t *> (_skb_tcp[S])->tcp_urgent;
	tcp_hdr = xlate <tcpinfo_t *> (_skb_tcp[S])->tcp_hdr;
};

typedef struct tcpsinfo {
	uintptr_t tcps_addr;
	int tcps_local;
	uint16_t tcps_lport;
	uint16_t tcps_rport;
	string tcps_laddr;
	string tcps_raddr;
	int32_t tcps_state;
	uint32_t tcps_iss;
	uint32_t tcps_irs;
	uint32_t tcps_suna;
	uint32_t tcps_snxt;
	uint32_t tcps_rack;
	uint32_t tcps_rnxt;
	uint32_t tcps_swnd;
	int32_t tcps_snd_ws;
	uint32_t tcps_rwnd;
	int32_t tcps_rcv_ws;
	uint32_t tcps_cwnd;
	uint32_t tcps_cwnd_ssthresh;
	uint32_t tcps_sack_fack;
	uint32_t tcps_sack_snxt;
	uint32_t tcps_rto;
	uint32_t tcps_mss;
	int tcps_retransmit;
	uint32_t tcps_rtt;
	uint32_t tcps_rtt_sd;
	int tcps_active;
} tcpsinfo_t;

inline struct tcp_sock *_tcp_sock[struct sock *S] = (struct tcp_sock *)S;
inline struct inet_connection_sock *_icsk[struct sock *S] = (struct inet_connection_sock *)S;

translator tcpsinfo_t < struct sock *S > {
	tcps_addr = (uintptr_t)S;
	tcps_local = S->__sk_common.skc_family == AF_INET ? S->__sk_common.skc_daddr == S->__sk_common.skc_rcv_saddr :
	    S->__sk_common.skc_v6_daddr.in6_u.u6_addr32[3] == S->__sk_common.skc_v6_rcv_saddr.in6_u.u6_addr32[3] &&
	    S->__sk_common.skc_v6_daddr.in6_u.u6_addr32[2] == S->__sk_common.skc_v6_rcv_saddr.in6_u.u6_addr32[2];
	tcps_lport = S->__sk_common.skc_num;
	tcps_rport = ntohs(S->__sk_common.skc_dport);
	tcps_laddr = _sock_laddr[S];
	tcps_raddr = _sock_raddr[S];
	tcps_state = _tcp_state[S->__sk_common.skc_state];
	tcps_iss = 0; /* not kept */
	tcps_irs = 0;
	tcps_suna = _tcp_sock[S]->snd_una;
	tcps_snxt = _tcp_sock[S]->snd_nxt;
	tcps_rack = _tcp_sock[S]->rcv_wup;
	tcps_rnxt = _tcp_sock[S]->rcv_nxt;
	tcps_swnd = _tcp_sock[S]->snd_wnd;
	tcps_snd_ws = _tcp_sock[S]->rx_opt.snd_wscale;
	tcps_rwnd = _tcp_sock[S]->rcv_wnd;
	tcps_rcv_ws = _tcp_sock[S]->rx_opt.rcv_wscale;
	/* In bytes; the kernel counts segments. */
	tcps_cwnd = _tcp_sock[S]->snd_cwnd * _tcp_sock[S]->mss_cache;
	tcps_cwnd_ssthresh = _tcp_sock[S]->snd_ssthresh * _tcp_sock[S]->mss_cache;
	tcps_sack_fack = 0;
	tcps_sack_snxt = 0;
	/* In ms; the kernel counts timer ticks. */
	tcps_rto = _icsk[S]->icsk_rto * 1000 / _HZ;
	tcps_mss = _tcp_sock[S]->mss_cache;
	tcps_retransmit = _icsk[S]->icsk_retransmits;
	/* In us. */
	tcps_rtt = _tcp_sock[S]->srtt_us >> 3;
	tcps_rtt_sd = _tcp_sock[S]->mdev_us >> 2;
	tcps_active = 0;
};

/* A socket with the state that it is about to have in the low bits, which its address does not need. */
inline struct sock *_state_sock[uint64_t P] = (struct sock *)(P & ~0x3fULL);

translator tcpsinfo_t < uint64_t P > {
	tcps_addr = (uintptr_t)_state_sock[P];
	tcps_local = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_local;
	tcps_lport = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_lport;
	tcps_rport = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_rport;
	tcps_laddr = _state_sock[P] == NULL ? "" :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_laddr;
	tcps_raddr = _state_sock[P] == NULL ? "" :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_raddr;
	tcps_state = _tcp_state[P & 0x3f];
	tcps_iss = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_iss;
	tcps_irs = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_irs;
	tcps_suna = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_suna;
	tcps_snxt = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_snxt;
	tcps_rack = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_rack;
	tcps_rnxt = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_rnxt;
	tcps_swnd = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_swnd;
	tcps_snd_ws = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_snd_ws;
	tcps_rwnd = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_rwnd;
	tcps_rcv_ws = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_rcv_ws;
	tcps_cwnd = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_cwnd;
	tcps_cwnd_ssthresh = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_cwnd_ssthresh;
	tcps_sack_fack = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_sack_fack;
	tcps_sack_snxt = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_sack_snxt;
	tcps_rto = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_rto;
	tcps_mss = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_mss;
	tcps_retransmit = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_retransmit;
	tcps_rtt = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_rtt;
	tcps_rtt_sd = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_rtt_sd;
	tcps_active = _state_sock[P] == NULL ? 0 :
	    xlate <tcpsinfo_t *> (_state_sock[P])->tcps_active;
};

typedef struct tcplsinfo {
	int32_t tcps_state;
} tcplsinfo_t;

/* The state that a connection leaves. */
translator tcplsinfo_t < int state > {
	tcps_state = _tcp_state[state];
};
