#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes of the user: who becomes whom, by which call, and whether it was permitted.
 *
 *	setuids.d			until Ctrl-C
 */
#pragma D option quiet
#pragma D option switchrate=10hz

BEGIN
{
	printf("%7s %7s %-12s %7s %4s %s\n", "PID", "UID", "CALL", "TO", "ERR", "COMMAND");
}

syscall::setuid:entry, syscall::setfsuid:entry
{
	self->to = (int)arg0;
	self->from = uid;
	self->call = 1;
}

syscall::setreuid:entry, syscall::setresuid:entry
{
	self->to = (int)arg1;
	self->from = uid;
	self->call = 1;
}

syscall::setuid:return, syscall::setfsuid:return, syscall::setreuid:return, syscall::setresuid:return
/self->call/
{
	printf("%7d %7d %-12s %7d %4d %s\n", pid, self->from, probefunc, self->to, errno, execname);
	self->to = 0;
	self->from = 0;
	self->call = 0;
}
