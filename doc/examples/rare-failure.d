#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a program did before one of its calls failed, and nothing of what it did when none failed.
 *
 *	dtrace -q -s rare-failure.d -c 'PROGRAM'
 *
 * A piece of the program's work begins with getuid() and ends with fcntl(): put your own calls there.
 * Every piece is recorded in a speculation of its own. Most are thrown away in the kernel, where they
 * cost the reader of the trace nothing; what is committed is the path to a failure. A piece may go from
 * one CPU to another: then its speculation can be used again only a moment later, so there are more
 * of them than pieces under way.
 */
#pragma D option nspec=64
#pragma D option specsize=4k

syscall::getuid:entry
/pid == $target/
{
	self->spec = speculation();
}

syscall::getuid:entry, syscall::lseek:entry, syscall::getgid:entry, syscall::fcntl:entry
/self->spec/
{
	speculate(self->spec);
	printf("%s(%d, %d, %d)\n", probefunc, (int)arg0, (int)arg1, (int)arg2);
}

syscall::fcntl:return
/self->spec && errno != 0/
{
	speculate(self->spec);
	printf("%s: errno %d\n", probefunc, errno);
}

syscall::fcntl:return
/self->spec && errno != 0/
{
	commit(self->spec);
	self->spec = 0;
}

syscall::fcntl:return
/self->spec/
{
	discard(self->spec);
	self->spec = 0;
}
