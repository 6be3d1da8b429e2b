#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each CPU does, by samples: nothing, the kernel, or programs. In % of its samples.
 *
 *	cpuload.d			until Ctrl-C
 */
#pragma D option quiet
#pragma D option aggsortkey

profile-1001
{
	@samples[cpu] = count();
	@idle[cpu] = sum(curthread->pid == 0 ? 1 : 0);
	@kernel[cpu] = sum(curthread->pid && arg0 ? 1 : 0);
	@user[cpu] = sum(curthread->pid && arg1 ? 1 : 0);
}

END
{
	printf("%4s %9s %9s %9s %9s\n", "CPU", "SAMPLES", "IDLE", "KERNEL", "USER");
	printa("%4d %@9d %@9d %@9d %@9d\n", @samples, @idle, @kernel, @user);
}
