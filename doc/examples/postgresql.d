#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What PostgreSQL does: for each statement how often and how long it ran, and how long it was planned; transactions;
 * reads of blocks that were found in the buffers or not; sorts; waits for locks.
 *
 *	./postgresql.d
 *
 * All servers are traced, those that start later too; -p PID, with postgresql$target in place of postgresql*, one of
 * their processes. Statements are those of the simple protocol, as psql sends them.
 */
#pragma D option quiet
#pragma D option zdefs
#pragma D option strsize=512

postgresql*:::query-start
{
	self->text = copyinstr(arg0);
	self->start = timestamp;
}

postgresql*:::query-plan-start
/self->start/
{
	self->plan = timestamp;
}

postgresql*:::query-plan-done
/self->plan/
{
	@plan[self->text] = sum((timestamp - self->plan) / 1000);
	self->plan = 0;
}

postgresql*:::query-done
/self->start/
{
	this->took = (timestamp - self->start) / 1000;
	@runs[self->text] = count();
	@time[self->text] = sum(this->took);
	@all["microseconds of a statement"] = quantize(this->took);
	self->start = 0;
	self->text = 0;
}

postgresql*:::transaction-commit,
postgresql*:::transaction-abort,
postgresql*:::deadlock-found,
postgresql*:::lock-wait-start,
postgresql*:::sort-start
{
	@n[probename] = count();
}

postgresql*:::buffer-read-done
{
	@n[arg7 ? "block found in the buffers" : "block read from the file"] = count();
}

END
{
	printf("%8s %10s %10s  %s\n", "RUNS", "RUN us", "PLAN us", "STATEMENT");
	printa("%@8d %@10d %@10d  %.100s\n", @runs, @time, @plan);
	printf("\n");
	printa("%-40s %@8d\n", @n);
	printa(@all);
}
