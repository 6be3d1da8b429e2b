#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals: who sends which to whom, how often. The sender is who ran at that moment; for signals of
 * timers and of the kernel that may be anybody.
 *
 *	sigdist.d			until Ctrl-C
 */
#pragma D option quiet

proc:::signal-send
{
	@sent[execname, args[1]->pr_fname, args[2]] = count();
}

END
{
	printf("%-16s %-16s %6s %9s\n", "SENDER", "RECEIVER", "SIGNAL", "COUNT");
	printa("%-16s %-16s %6d %@9d\n", @sent);
}
