#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of the kernel that run most, by samples of the program counter; the idle thread is left
 * out. The last line is the hottest.
 *
 *	hotkernel.d			until Ctrl-C
 */
#pragma D option quiet

profile-1001
/pid && arg0/
{
	@samples[func(arg0)] = count();
	@all = count();
}

END
{
	printf("%-60s %9s\n", "FUNCTION", "SAMPLES");
	printa("%-60a %@9d\n", @samples);
	printa("TOTAL                                                        %@9d\n", @all);
}
