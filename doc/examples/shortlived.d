#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes that live less than a second, which top never shows: how many of each program there were
 * and how long they lived in all.
 *
 *	shortlived.d			until Ctrl-C
 */
#pragma D option quiet

proc:::start
{
	self->born = timestamp;
}

proc:::exit
/self->born && timestamp - self->born < 1000000000/
{
	@many[ppid, execname] = count();
	@lived[ppid, execname] = sum(timestamp - self->born);
}

END
{
	normalize(@lived, 1000);
	printf("%7s %-16s %9s %12s\n", "PARENT", "COMMAND", "COUNT", "us IN ALL");
	printa("%7d %-16s %@9d %@12d\n", @many, @lived);
}
