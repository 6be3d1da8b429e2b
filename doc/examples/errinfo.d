#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls that failed, by program and error. Many failures are normal, as when a program looks for
 * a file in one directory after another.
 *
 *	errinfo.d			until Ctrl-C
 */
#pragma D option quiet

syscall:::return
/errno != 0/
{
	@failed[execname, probefunc, errno] = count();
}

END
{
	printf("%-16s %-20s %5s %9s\n", "COMMAND", "CALL", "ERROR", "COUNT");
	printa("%-16s %-20s %5d %@9d\n", @failed);
}
