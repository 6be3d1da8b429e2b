#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ten system calls that are made most.
 *
 *	topsyscall.d			every 5 seconds, until Ctrl-C
 *	topsyscall.d SECONDS
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	every = $1 ? $1 : 5;
	seconds = 0;
}

syscall:::entry
{
	@calls[probefunc] = count();
}

tick-1s
{
	seconds++;
}

tick-1s
/seconds == every/
{
	seconds = 0;
	trunc(@calls, 10);
	printf("\n%Y\n", walltimestamp);
	printa("%-24s %@9d\n", @calls);
	trunc(@calls);
}

END
{
	trunc(@calls, 10);
	printf("\n");
	printa("%-24s %@9d\n", @calls);
}
