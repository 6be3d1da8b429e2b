#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page faults by program: memory that is used for the first time, or was taken away.
 *
 *	faults.d			until Ctrl-C
 */
#pragma D option quiet

vminfo:::as_fault
{
	@faults[pid, execname] = sum(arg0);
}

END
{
	printf("%7s %-16s %9s\n", "PID", "COMMAND", "FAULTS");
	printa("%7d %-16s %@9d\n", @faults);
}
