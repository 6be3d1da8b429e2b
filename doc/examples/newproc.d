#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of processes: created by whom, what they then run, how they end.
 *
 *	newproc.d			the whole system, until Ctrl-C
 *	newproc.d -c 'COMMAND'		a command and what it starts
 */
#pragma D option quiet
#pragma D option temporal
#pragma D option switchrate=10hz

proc:::create
/$target == 0 || pid == $target || progenyof($target)/
{
	printf("%d %s creates %d\n", pid, execname, args[0]->pr_pid);
}

proc:::exec-success
/$target == 0 || pid == $target || progenyof($target)/
{
	printf("%d runs %s\n", pid, curpsinfo->pr_psargs);
}

proc:::exit
/$target == 0 || pid == $target || progenyof($target)/
{
	printf("%d %s %s\n", pid, execname,
	    args[0] == 1 ? "exits" : args[0] == 2 ? "is killed" : "is killed, with a core dump");
}
