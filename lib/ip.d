/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets, sockets, interfaces and the Internet Protocol. */
inline int AF_UNSPEC = 0;
inline int AF_UNIX = 1;
inline int AF_LOCAL = 1;
inline int AF_INET = 2;
inline int AF_INET6 = 10;
inline int AF_NETLINK = 16;
inline int AF_PACKET = 17;

inline int SOCK_STREAM = 1;
inline int SOCK_DGRAM = 2;
inline int SOCK_RAW = 3;

inline int ARPHRD_ETHER = 1;
inline int ARPHRD_INFINIBAND = 32;

inline int IPPROTO_IP = 0;
inline int IPPROTO_ICMP = 1;
inline int IPPROTO_IGMP = 2;
inline int IPPROTO_IPIP = 4;
inline int IPPROTO_TCP = 6;
inline int IPPROTO_EGP = 8;
inline int IPPROTO_PUP = 12;
inline int IPPROTO_UDP = 17;
inline int IPPROTO_IDP = 22;
inline int IPPROTO_TP = 29;
inline int IPPROTO_DCCP = 33;
inline int IPPROTO_IPV6 = 41;
inline int IPPROTO_ROUTING = 43;
inline int IPPROTO_FRAGMENT = 44;
inline int IPPROTO_RSVP = 46;
inline int IPPROTO_GRE = 47;
inline int IPPROTO_ESP = 50;
inline int IPPROTO_AH = 51;
inline int IPPROTO_ICMPV6 = 58;
inline int IPPROTO_NONE = 59;
inline int IPPROTO_DSTOPTS = 60;
inline int IPPROTO_OSPF = 89;
inline int IPPROTO_MTP = 92;
inline int IPPROTO_BEETPH = 94;
inline int IPPROTO_ENCAP = 98;
inline int IPPROTO_PIM = 103;
inline int IPPROTO_COMP = 108;
inline int IPPROTO_SCTP = 132;
inline int IPPROTO_UDPLITE = 136;
inline int IPPROTO_MPLS = 137;
inline int IPPROTO_RAW = 255;

typedef struct in6_addr in6_addr_t;

inline string _ip_protostr[uint8_t proto] =
    proto == IPPROTO_TCP ? "TCP" :
    proto == IPPROTO_UDP ? "UDP" :
    proto == IPPROTO_IP ? "IP" :
    proto == IPPROTO_ICMP ? "ICMP" :
    proto == IPPROTO_IGMP ? "IGMP" :
    proto == IPPROTO_EGP ? "EGP" :
    proto == IPPROTO_IPV6 ? "IPv6" :
    proto == IPPROTO_ROUTING ? "ROUTE" :
    proto == IPPROTO_ESP ? "ESP" :
    proto == IPPROTO_AH ? "AH" :
    proto == IPPROTO_ICMPV6 ? "ICMPv6" :
    proto == IPPROTO_OSPF ? "OSPF" :
    proto == IPPROTO_SCTP ? "SCTP" :
    proto == IPPROTO_RAW ? "RAW" :
    lltostr(proto);

typedef struct pktinfo {
	uintptr_t pkt_addr;
} pktinfo_t;

translator pktinfo_t < struct sk_buff *S > {
	pkt_addr = (uintptr_t)S;
};

typedef struct csinfo {
	uintptr_t cs_addr;
	uint64_t cs_cid;
	pid_t cs_pid;
	zoneid_t cs_zoneid;
} csinfo_t;

translator csinfo_t < struct sock *S > {
	cs_addr = (uintptr_t)S;
	cs_cid = (uint64_t)S;
	cs_pid = 0;
	cs_zoneid = 0;
};

translator csinfo_t < struct sk_buff *S > {
	cs_addr = (uintptr_t)S->sk;
	cs_cid = (uint64_t)S->sk;
	cs_pid = 0;
	cs_zoneid = 0;
};

typedef struct ifinfo {
	string if_name;
	int8_t if_local;
	uint64_t if_ipstack;
	uintptr_t if_addr;
} ifinfo_t;

translator ifinfo_t < struct net_device *N > {
	if_name = N == NULL ? "<null>" : stringof(N->name);
	if_local = N != NULL && (N->flags & 8) != 0; /* IFF_LOOPBACK */
	if_ipstack = N == NULL ? 0 : (uint64_t)N->nd_net.net;
	if_addr = (uintptr_t)N;
};

translator ifinfo_t < struct sk_buff *S > {
	if_name = xlate <ifinfo_t *> (S->dev)->if_name;
	if_local = xlate <ifinfo_t *> (S->dev)->if_local;
	if_ipstack = xlate <ifinfo_t *> (S->dev)->if_ipstack;
	if_addr = (uintptr_t)S->dev;
};

/* The network header of a packet, if it is of this version. What has just come in from a device begins with it. */
inline uint8_t *_skb_net[struct sk_buff *S] =
    S->network_header ? (uint8_t *)(S->head + S->network_header) : (uint8_t *)S->data;
inline struct iphdr *_skb_ip4[struct sk_buff *S] =
    *_skb_net[S] >> 4 == 4 ? (struct iphdr *)_skb_net[S] : NULL;
inline struct ipv6hdr *_skb_ip6[struct sk_buff *S] =
    *_skb_net[S] >> 4 == 6 ? (struct ipv6hdr *)_skb_net[S] : NULL;

typedef struct ipv4info {
	int8_t ipv4_ver;
	uint8_t ipv4_ihl;
	uint8_t ipv4_tos;
	uint16_t ipv4_length;
	uint16_t ipv4_ident;
	uint8_t ipv4_flags;
	uint16_t ipv4_offset;
	uint8_t ipv4_ttl;
	uint8_t ipv4_protocol;
	string ipv4_protostr;
	uint16_t ipv4_checksum;
	uint32_t ipv4_src;
	uint32_t ipv4_dst;
	string ipv4_saddr;
	string ipv4_daddr;
	struct iphdr *ipv4_hdr;
} ipv4info_t;

translator ipv4info_t < struct iphdr *I > {
	ipv4_ver = I == NULL ? 0 : *(uint8_t *)I >> 4;
	ipv4_ihl = I == NULL ? 0 : (*(uint8_t *)I & 15) << 2;
	ipv4_tos = I == NULL ? 0 : I->tos;
	ipv4_length = I == NULL ? 0 : ntohs(I->tot_len);
	ipv4_ident = I == NULL ? 0 : ntohs(I->id);
	ipv4_flags = I == NULL ? 0 : ntohs(I->frag_off) >> 13;
	ipv4_offset = I == NULL ? 0 : ntohs(I->frag_off) & 0x1fff;
	ipv4_ttl = I == NULL ? 0 : I->ttl;
	ipv4_protocol = I == NULL ? 0 : I->protocol;
	ipv4_protostr = I == NULL ? "<null>" : _ip_protostr[I->protocol];
	ipv4_checksum = I == NULL ? 0 : ntohs(I->check);
	ipv4_src = I == NULL ? 0 : I->saddr;
	ipv4_dst = I == NULL ? 0 : I->daddr;
	ipv4_saddr = I == NULL ? "<null>" : inet_ntoa(&I->saddr);
	ipv4_daddr = I == NULL ? "<null>" : inet_ntoa(&I->daddr);
	ipv4_hdr = I;
};

translator ipv4info_t < struct sk_buff *S > {
	ipv4_ver = xlate <ipv4info_t *> (_skb_ip4[S])->ipv4_ver;
	ipv4_ihl = xlate <ipv4info_t *> (_skb_ip4[S])->ipv4_ihl;
	ipv4_tos = xlate <ipv4info_t *> (_skb_ip4[S])->ipv4_tos;
	ipv4_length = xlate <ipv4info_t *> (_skb_ip4[S])->ipv4_length;
	ipv4_ident = xlate <ipv4info_t *> (_skb_ip4[S])->ipv4_ident;
	ipv4_flags = xlate <ipv4info_t *> (_skb_ip4[S])->ipv4_flags;
	ipv4_offset = xlate <ipv4info_t *> (_skb_ip4[S])->ipv4_offset;
	ipv4_ttl = xlate <ipv4info_t *> (_skb_ip4[S])->ipv4_ttl;
	ipv4_protocol = xlate <ipv4info_t *> (_skb_ip4[S])->ipv4_protocol;
	ipv4_protostr = xlate <ipv4info_t *> (_skb_ip4[S])->ipv4_protostr;
	ipv4_checksum = xlate <ipv4info_t *> (_skb_ip4[S])->ipv4_checksum;
	ipv4_src = xlate <ipv4info_t *> (_skb_ip4[S])->ipv4_src;
	ipv4_dst = xlate <ipv4info_t *> (_skb_ip4[S])->ipv4_dst;
	ipv4_saddr = xlate <ipv4info_t *> (_skb_ip4[S])->ipv4_saddr;
	ipv4_daddr = xlate <ipv4info_t *> (_skb_ip4[S])->ipv4_daddr;
	ipv4_hdr = xlate <ipv4info_t *> (_skb_ip4[S])->ipv4_hdr;
};

typedef struct ipv6info {
	uint8_t ipv6_ver;
	uint8_t ipv6_tclass;
	uint32_t ipv6_flow;
	uint16_t ipv6_plen;
	uint8_t ipv6_nexthdr;
	string ipv6_nextstr;
	uint8_t ipv6_hlim;
	struct in6_addr *ipv6_src;
	struct in6_addr *ipv6_dst;
	string ipv6_saddr;
	string ipv6_daddr;
	struct ipv6hdr *ipv6_hdr;
} ipv6info_t;

/* The first word: version, class and flow label. */
inline uint32_t _ip6_word[struct ipv6hdr *I] = ntohl(*(uint32_t *)I);

translator ipv6info_t < struct ipv6hdr *I > {
	ipv6_ver = I == NULL ? 0 : *(uint8_t *)I >> 4;
	ipv6_tclass = I == NULL ? 0 : _ip6_word[I] >> 20 & 0xff;
	ipv6_flow = I == NULL ? 0 : _ip6_word[I] & 0xfffff;
	ipv6_plen = I == NULL ? 0 : ntohs(I->payload_len);
	ipv6_nexthdr = I == NULL ? 0 : I->nexthdr;
	ipv6_nextstr = I == NULL ? "<null>" : _ip_protostr[I->nexthdr];
	ipv6_hlim = I == NULL ? 0 : I->hop_limit;
	ipv6_src = I == NULL ? NULL : &I->saddr;
	ipv6_dst = I == NULL ? NULL : &I->daddr;
	ipv6_saddr = I == NULL ? "<null>" : inet_ntoa6(&I->saddr);
	ipv6_daddr = I == NULL ? "<null>" : inet_ntoa6(&I->daddr);
	ipv6_hdr = I;
};

translator ipv6info_t < struct sk_buff *S > {
	ipv6_ver = xlate <ipv6info_t *> (_skb_ip6[S])->ipv6_ver;
	ipv6_tclass = xlate <ipv6info_t *> (_skb_ip6[S])->ipv6_tclass;
	ipv6_flow = xlate <ipv6info_t *> (_skb_ip6[S])->ipv6_flow;
	ipv6_plen = xlate <ipv6info_t *> (_skb_ip6[S])->ipv6_plen;
	ipv6_nexthdr = xlate <ipv6info_t *> (_skb_ip6[S])->ipv6_nexthdr;
	ipv6_nextstr = xlate <ipv6info_t *> (_skb_ip6[S])->ipv6_nextstr;
	ipv6_hlim = xlate <ipv6info_t *> (_skb_ip6[S])->ipv6_hlim;
	ipv6_src = xlate <ipv6info_t *> (_skb_ip6[S])->ipv6_src;
	ipv6_dst = xlate <ipv6info_t *> (_skb_ip6[S])->ipv6_dst;
	ipv6_saddr = xlate <ipv6info_t *> (_skb_ip6[S])->ipv6_saddr;
	ipv6_daddr = xlate <ipv6info_t *> (_skb_ip6[S])->ipv6_daddr;
	ipv6_hdr = xlate <ipv6info_t *> (_skb_ip6[S])->ipv6_hdr;
};

typedef struct ipinfo {
	uint8_t ip_ver;
	uint32_t ip_plength;
	string ip_saddr;
	string ip_daddr;
} ipinfo_t;

translator ipinfo_t < struct iphdr *I > {
	ip_ver = *(uint8_t *)I >> 4;
	ip_plength = ntohs(I->tot_len) - ((*(uint8_t *)I & 15) << 2);
	ip_saddr = inet_ntoa(&I->saddr);
	ip_daddr = inet_ntoa(&I->daddr);
};

translator ipinfo_t < struct ipv6hdr *I > {
	ip_ver = *(uint8_t *)I >> 4;
	ip_plength = ntohs(I->payload_len);
	ip_saddr = inet_ntoa6(&I->saddr);
	ip_daddr = inet_ntoa6(&I->daddr);
};

translator ipinfo_t < struct sk_buff *S > {
	ip_ver = *_skb_net[S] >> 4;
	ip_plength = *_skb_net[S] >> 4 == 4 ? xlate <ipinfo_t *> ((struct iphdr *)_skb_net[S])->ip_plength :
	    xlate <ipinfo_t *> ((struct ipv6hdr *)_skb_net[S])->ip_plength;
	ip_saddr = *_skb_net[S] >> 4 == 4 ? xlate <ipinfo_t *> ((struct iphdr *)_skb_net[S])->ip_saddr :
	    xlate <ipinfo_t *> ((struct ipv6hdr *)_skb_net[S])->ip_saddr;
	ip_daddr = *_skb_net[S] >> 4 == 4 ? xlate <ipinfo_t *> ((struct iphdr *)_skb_net[S])->ip_daddr :
	    xlate <ipinfo_t *> ((struct ipv6hdr *)_skb_net[S])->ip_daddr;
};

/* What will answer a packet that has come in. */
translator ipinfo_t < uint64_t R > {
	ip_ver = xlate <ipinfo_t *> ((struct sk_buff *)R)->ip_ver;
	ip_plength = 20;
	ip_saddr = xlate <ipinfo_t *> ((struct sk_buff *)R)->ip_daddr;
	ip_daddr = xlate <ipinfo_t *> ((struct sk_buff *)R)->ip_saddr;
};

/* Addresses of a connection as text; a socket of neither family has none. */
inline string _sock_laddr[struct sock *S] =
    S->__sk_common.skc_family == AF_INET ? inet_ntoa(&S->__sk_common.skc_rcv_saddr) :
    S->__sk_common.skc_family == AF_INET6 ? inet_ntoa6(&S->__sk_common.skc_v6_rcv_saddr) : "<unknown>";
inline string _sock_raddr[struct sock *S] =
    S->__sk_common.skc_family == AF_INET ? inet_ntoa(&S->__sk_common.skc_daddr) :
    S->__sk_common.skc_family == AF_INET6 ? inet_ntoa6(&S->__sk_common.skc_v6_daddr) : "<unknown>";

/* What this end sends: no packet is at hand. */
translator ipinfo_t < struct sock *S > {
	ip_ver = S->__sk_common.skc_family == AF_INET6 ? 6 : 4;
	ip_plength = 0;
	ip_saddr = _sock_laddr[S];
	ip_daddr = _sock_raddr[S];
};

typedef struct conninfo {
	string ci_local;
	string ci_remote;
	string ci_protocol;
} conninfo_t;

translator conninfo_t < struct sock *S > {
	ci_local = _sock_laddr[S];
	ci_remote = _sock_raddr[S];
	ci_protocol = S->__sk_common.skc_family == AF_INET ?
	    (S->sk_protocol == IPPROTO_TCP ? "tcp" : S->sk_protocol == IPPROTO_UDP ? "udp" : "ipv4") :
	    S->__sk_common.skc_family == AF_INET6 ?
	    (S->sk_protocol == IPPROTO_TCP ? "tcpv6" : S->sk_protocol == IPPROTO_UDP ? "udpv6" : "ipv6") :
	    "<unknown>";
};
