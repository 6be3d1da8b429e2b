#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long threads that could run wait for a processor, in ns: from being put into the queue to the
 * switch to them.
 *
 *	runqlat.d			until Ctrl-C
 */
#pragma D option quiet
#pragma D option dynvarsize=4m

sched:::enqueue
{
	queued[args[0]->pr_lwpid] = timestamp;
}

sched:::off-cpu
/queued[args[0]->pr_lwpid]/
{
	@wait[args[1]->pr_fname] = quantize(timestamp - queued[args[0]->pr_lwpid]);
	queued[args[0]->pr_lwpid] = 0;
}
