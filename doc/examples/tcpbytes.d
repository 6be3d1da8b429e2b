#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes that TCP sends, without headers, by the addresses and ports of both ends, and the sizes of the
 * segments.
 *
 *	tcpbytes.d			until Ctrl-C
 */
#pragma D option quiet

tcp:::send
{
	this->bytes = args[2]->ip_plength - args[4]->tcp_offset;
	@segments[args[2]->ip_saddr, args[4]->tcp_sport, args[2]->ip_daddr, args[4]->tcp_dport] = count();
	@bytes[args[2]->ip_saddr, args[4]->tcp_sport, args[2]->ip_daddr, args[4]->tcp_dport] = sum(this->bytes);
	@sizes = quantize(this->bytes);
}

END
{
	printf("%24s %6s   %24s %6s %9s %12s\n", "FROM", "PORT", "TO", "PORT", "SEGMENTS", "BYTES");
	printa("%24s %6d   %24s %6d %@9d %@12d\n", @segments, @bytes);
	printf("\nBytes in a segment:\n");
	printa(@sizes);
}
