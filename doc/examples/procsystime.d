#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where one process spends its time in the kernel: for each system call how often, how long in all,
 * how long on the processor, and the longest.
 *
 *	procsystime.d -p PID		until Ctrl-C or its end
 *	procsystime.d -c 'COMMAND'
 */
#pragma D option quiet

syscall:::entry
/pid == $target/
{
	self->at = timestamp;
	self->on = vtimestamp;
}

syscall:::return
/self->at/
{
	@calls[probefunc] = count();
	@elapsed[probefunc] = sum(timestamp - self->at);
	@on_cpu[probefunc] = sum(vtimestamp - self->on);
	@longest[probefunc] = max(timestamp - self->at);
	@all_calls = count();
	@all_elapsed = sum(timestamp - self->at);
	self->at = 0;
	self->on = 0;
}

END
{
	normalize(@elapsed, 1000);
	normalize(@on_cpu, 1000);
	normalize(@longest, 1000);
	normalize(@all_elapsed, 1000);
	printf("%-20s %9s %12s %12s %12s\n", "CALL", "COUNT", "ELAPSED us", "ON CPU us", "LONGEST us");
	setopt("aggsortpos", "1");
	printa("%-20s %@9d %@12d %@12d %@12d\n", @calls, @elapsed, @on_cpu, @longest);
	printa("TOTAL                %@9d %@12d\n", @all_calls, @all_elapsed);
}
