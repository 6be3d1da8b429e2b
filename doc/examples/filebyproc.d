#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which programs open which files, and how often.
 *
 *	filebyproc.d			until Ctrl-C
 */
#pragma D option quiet

syscall::openat:entry
{
	self->file = arg1;
}

syscall::openat:return
/self->file && errno == 0/
{
	@opened[execname, copyinstr(self->file)] = count();
}

syscall::openat:return
{
	self->file = 0;
}

END
{
	printa("%-16s %-60s %@9d\n", @opened);
}
