#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs as they are started, with their arguments: what a script or a build really runs.
 *
 *	execsnoop.d			until Ctrl-C
 */
#pragma D option quiet
#pragma D option switchrate=10hz
#pragma D option strsize=1k

BEGIN
{
	printf("%-24s %7s %7s %7s %s\n", "TIME", "UID", "PID", "PPID", "ARGUMENTS");
}

proc:::exec-success
{
	printf("%-24Y %7d %7d %7d %s\n", walltimestamp, uid, pid, ppid, curpsinfo->pr_psargs);
}
