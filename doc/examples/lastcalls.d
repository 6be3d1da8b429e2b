#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The flight recorder: what a process did last before it ended. Nothing is printed while it runs, and
 * however long that is, only the newest calls are kept, in a ring of 16 KB for each CPU. What the rings
 * have is put in the order of time, as the process may have been on several CPUs.
 *
 *	lastcalls.d -c 'COMMAND'
 *	lastcalls.d -p PID
 */
#pragma D option quiet
#pragma D option bufpolicy=ring
#pragma D option bufsize=16k
#pragma D option temporal

syscall:::entry
/pid == $target/
{
	printf("%Y.%09d  %d  %s(0x%x, 0x%x, 0x%x)\n", walltimestamp, walltimestamp % 1000000000, tid,
	    probefunc, arg0, arg1, arg2);
}
