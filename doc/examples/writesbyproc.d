#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sizes of writes, as a distribution for each program: a program that writes byte by byte shows.
 *
 *	writesbyproc.d			until Ctrl-C
 */
#pragma D option quiet

sysinfo:::writech
{
	@bytes[execname] = quantize(arg0);
}
