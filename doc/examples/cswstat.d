#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes from thread to thread, once a second: all of them, those forced on a thread that wanted to
 * go on, and how many times a thread was moved to another CPU.
 *
 *	cswstat.d			until Ctrl-C
 */
#pragma D option quiet
#pragma D option aggsortkey

BEGIN
{
	printf("%-20s %12s %12s %12s\n", "TIME", "SWITCHES", "FORCED", "MIGRATIONS");
}

sysinfo:::pswitch
{
	@all = sum(arg0);
}

sysinfo:::inv_swtch
{
	@forced = sum(arg0);
}

sysinfo:::cpumigrate
{
	@moved = sum(arg0);
}

tick-1s, END
{
	printf("%-20Y", walltimestamp);
	printa(" %@12d %@12d %@12d\n", @all, @forced, @moved);
	clear(@all);
	clear(@forced);
	clear(@moved);
}
