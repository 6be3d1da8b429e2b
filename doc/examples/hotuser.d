#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of one process that run most, by samples of its program counter: the last line is the
 * hottest.
 *
 *	hotuser.d -p PID		until Ctrl-C or its end
 *	hotuser.d -c 'COMMAND'
 */
#pragma D option quiet

profile-1001
/pid == $target && arg1/
{
	@samples[ufunc(arg1)] = count();
	@all = count();
}

END
{
	printf("%-60s %9s\n", "FUNCTION", "SAMPLES");
	printa("%-60A %@9d\n", @samples);
	printa("TOTAL                                                        %@9d\n", @all);
}
