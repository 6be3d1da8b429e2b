#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long system calls take, as a distribution in ns for each call: whether a call is slow always or
 * now and then. With a command or process, of that alone.
 *
 *	syslatency.d			the whole system, until Ctrl-C
 *	syslatency.d -c 'COMMAND'
 */
#pragma D option quiet

syscall:::entry
/$target == 0 || pid == $target/
{
	self->at = timestamp;
}

syscall:::return
/self->at/
{
	@ns[probefunc] = quantize(timestamp - self->at);
	self->at = 0;
}
