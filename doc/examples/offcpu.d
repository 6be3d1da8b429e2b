#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the threads of a process wait, by their stacks in the kernel, how often, and for how long until
 * somebody wakes them, in us.
 *
 *	offcpu.d -p PID			until Ctrl-C or its end
 *	offcpu.d -c 'COMMAND'
 */
#pragma D option quiet
#pragma D option dynvarsize=4m

sched:::sleep
/pid == $target/
{
	@waits[stack(12)] = count();
	asleep[tid] = timestamp;
}

sched:::wakeup
/asleep[args[0]->pr_lwpid]/
{
	@us = quantize((timestamp - asleep[args[0]->pr_lwpid]) / 1000);
	asleep[args[0]->pr_lwpid] = 0;
}

END
{
	printa("%k%@12d times\n\n", @waits);
	printa(@us);
}
