#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests to disks as they complete: who made them, where on the disk, how long they took. Delayed
 * writes are made by threads of the kernel.
 *
 *	iosnoop.d			until Ctrl-C
 */
#pragma D option quiet
#pragma D option switchrate=10hz

BEGIN
{
	printf("%-10s %1s %12s %8s %9s %7s %s\n", "DEVICE", "D", "BLOCK", "BYTES", "us", "PID",
	    "COMMAND");
}

io:::start
{
	started[arg0] = timestamp;
	by_pid[arg0] = pid;
	by_name[arg0] = execname;
	bytes[arg0] = args[0]->b_bcount;
}

io:::done
/started[arg0]/
{
	printf("%-10s %1s %12d %8d %9d %7d %s\n", args[1]->dev_statname,
	    args[0]->b_flags & B_READ ? "R" : "W", args[0]->b_blkno, bytes[arg0],
	    (timestamp - started[arg0]) / 1000, by_pid[arg0], by_name[arg0]);
	started[arg0] = 0;
	by_pid[arg0] = 0;
	by_name[arg0] = 0;
	bytes[arg0] = 0;
}
