#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first system calls of a program, without a gap, and then no more.
 *
 *	firstcalls.d -c 'COMMAND'
 *
 * Tracing ends by itself when the buffer of one CPU is full: what comes is what was first, while a
 * buffer that is switched could have lost some of it. A record has 32 bytes here.
 */
#pragma D option quiet
#pragma D option bufpolicy=fill
#pragma D option bufsize=64k
#pragma D option statusrate=50ms

syscall:::entry
/pid == $target/
{
	printf("%s(%d, %d, %d)\n", probefunc, arg0, arg1, arg2);
}
