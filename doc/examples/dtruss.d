#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system calls of a process and of those that it starts, one line each, with result, error and time:
 * what strace shows, without stopping the process at each.
 *
 *	dtruss.d -c 'COMMAND'
 *	dtruss.d -p PID
 */
#pragma D option quiet
#pragma D option switchrate=10hz

BEGIN
{
	printf("%7s %9s  %s\n", "THREAD", "us", "CALL");
}

syscall:::entry
/pid == $target || progenyof($target)/
{
	self->at = timestamp;
	self->a0 = arg0;
	self->a1 = arg1;
	self->a2 = arg2;
}

/* Those whose first or second argument is a path: read now, when the kernel has used it. */
syscall::open:return, syscall::stat:return, syscall::lstat:return, syscall::access:return,
syscall::execve:return, syscall::unlink:return, syscall::chdir:return, syscall::readlink:return
/self->at && arg0 < 0/
{
	self->path = self->a0;
}

syscall::openat:return, syscall::newfstatat:return, syscall::unlinkat:return, syscall::faccessat2:return
/self->at/
{
	self->path = self->a1;
}

syscall:::return
/self->at && self->path/
{
	printf("%7d %9d  %s(\"%s\") = %d, errno %d\n", tid, (timestamp - self->at) / 1000, probefunc,
	    copyinstr(self->path), (int)arg0, errno);
}

syscall:::return
/self->at && !self->path/
{
	printf("%7d %9d  %s(0x%x, 0x%x, 0x%x) = %d, errno %d\n", tid, (timestamp - self->at) / 1000,
	    probefunc, self->a0, self->a1, self->a2, arg0, errno);
}

syscall:::return
/self->at/
{
	self->at = 0;
	self->path = 0;
	self->a0 = 0;
	self->a1 = 0;
	self->a2 = 0;
}
