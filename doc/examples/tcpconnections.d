#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP connections as they are made: to whom from here, from whom to here, and those that were refused.
 *
 *	tcpconnections.d		until Ctrl-C
 */
#pragma D option quiet
#pragma D option switchrate=10hz

BEGIN
{
	printf("%-9s %24s %6s   %24s %6s\n", "EVENT", "HERE", "PORT", "THERE", "PORT");
}

tcp:::connect-established
{
	printf("%-9s %24s %6d   %24s %6d\n", "connected", args[3]->tcps_laddr, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport);
}

tcp:::accept-established
{
	printf("%-9s %24s %6d   %24s %6d\n", "accepted", args[3]->tcps_laddr, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport);
}

tcp:::connect-refused
{
	printf("%-9s %24s %6d   %24s %6d\n", "refused", args[3]->tcps_laddr, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport);
}
