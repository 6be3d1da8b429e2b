#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes read and written by each process, files, pipes and sockets alike; who moves the most comes last.
 *
 *	rwtop.d				every 5 seconds, until Ctrl-C
 *	rwtop.d SECONDS
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option aggsortpos=2

BEGIN
{
	every = $1 ? $1 : 5;
	seconds = 0;
}

sysinfo:::readch
{
	@read[pid, execname] = sum(arg0);
	@both[pid, execname] = sum(arg0);
}

sysinfo:::writech
{
	@written[pid, execname] = sum(arg0);
	@both[pid, execname] = sum(arg0);
}

tick-1s
{
	seconds++;
}

tick-1s
/seconds == every/
{
	seconds = 0;
	printf("\n%Y\n%7s %-16s %12s %12s %12s\n", walltimestamp, "PID", "COMMAND", "READ", "WRITTEN", "BOTH");
	printa("%7d %-16s %@12d %@12d %@12d\n", @read, @written, @both);
	trunc(@read);
	trunc(@written);
	trunc(@both);
}

END
{
	printf("\n%7s %-16s %12s %12s %12s\n", "PID", "COMMAND", "READ", "WRITTEN", "BOTH");
	printa("%7d %-16s %@12d %@12d %@12d\n", @read, @written, @both);
}
