#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files as they are opened, with the descriptor or the error that came back.
 *
 *	opensnoop.d			the whole system, until Ctrl-C
 *	opensnoop.d -c 'COMMAND'	until the command ends
 *
 * The name is read when the call returns: before, the page that it is on may not be in memory yet.
 */
#pragma D option quiet
#pragma D option switchrate=10hz

BEGIN
{
	printf("%7s %7s %-16s %4s %4s %s\n", "UID", "PID", "COMMAND", "FD", "ERR", "FILE");
}

syscall::open:entry, syscall::creat:entry
{
	self->file = arg0;
}

syscall::openat:entry, syscall::openat2:entry
{
	self->file = arg1;
}

syscall::open:return, syscall::creat:return, syscall::openat:return, syscall::openat2:return
/self->file/
{
	printf("%7d %7d %-16s %4d %4d %s\n", uid, pid, execname, (int)arg0, errno,
	    copyinstr(self->file));
	self->file = 0;
}
