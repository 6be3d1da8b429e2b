#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The priorities at which each program runs, by samples. 120 is that of a normal thread; from 100 (nice
 * -20) to 139 (nice 19), below 100 those of real-time threads. The idle thread is left out.
 *
 *	pridist.d			until Ctrl-C
 */
#pragma D option quiet

profile-1001
/curthread->pid/
{
	@priority[execname] = lquantize(curlwpsinfo->pr_pri, 0, 140, 1);
}
