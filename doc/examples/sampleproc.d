#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who is on the processors, by 101 samples a second of each: the share of every process, the idle
 * thread (process 0) among them.
 *
 *	sampleproc.d			until Ctrl-C
 */
#pragma D option quiet

profile-101
{
	@samples[pid, execname] = count();
	@all = count();
}

END
{
	printf("%7s %-16s %9s\n", "PID", "COMMAND", "SAMPLES");
	printa("%7d %-16s %@9d\n", @samples);
	printa("        TOTAL            %@9d\n", @all);
}
