#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes read and written, by program and file: which files are in use. What has no name (a pipe, a socket)
 * is "<unknown>".
 *
 *	rwbyfile.d			until Ctrl-C
 */
#pragma D option quiet

syscall::read:entry, syscall::pread64:entry, syscall::write:entry, syscall::pwrite64:entry
{
	self->file = fds[arg0].fi_name;
	self->known = 1;
}

syscall::read:return, syscall::pread64:return
/self->known && arg0 > 0/
{
	@bytes[execname, "R", self->file] = sum(arg0);
}

syscall::write:return, syscall::pwrite64:return
/self->known && arg0 > 0/
{
	@bytes[execname, "W", self->file] = sum(arg0);
}

syscall::read:return, syscall::pread64:return, syscall::write:return, syscall::pwrite64:return
{
	self->known = 0;
	self->file = 0;
}

END
{
	printa("%-16s %s %-50s %@12d\n", @bytes);
}
