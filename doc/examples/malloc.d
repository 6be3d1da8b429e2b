#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a program asks malloc() for: a distribution of the sizes, and the callers that asked for the most,
 * with the bytes in all. The last is the largest.
 *
 *	malloc.d -c 'COMMAND'
 *	malloc.d -p PID			until Ctrl-C or its end
 */
#pragma D option quiet

pid$target:libc.so.6:malloc:entry
{
	@sizes = quantize(arg0);
	@bytes[usym(ucaller)] = sum(arg0);
}

END
{
	printf("Sizes:\n");
	printa(@sizes);
	printf("Bytes by caller:\n");
	trunc(@bytes, 20);
	printa("%-60A %@12d\n", @bytes);
}
