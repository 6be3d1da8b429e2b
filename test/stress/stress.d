/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What test/programs/stress is traced with. The fields of a line, which test/programs/stresscheck reads: the letter
 * of its clause, EPID, CPU, a number that grows by the load's or its counters' own count, and what the letter has.
 * Clauses without a line aggregate under a name, which is printed at the end: each is exact, whatever was dropped.
 */
#pragma D option quiet
#pragma D option accounting
#pragma D option nspec=8
#pragma D option specsize=4k
#pragma D option cleanrate=500hz
#pragma D option statusrate=10ms
#pragma D option aggrate=2ms

uint64_t gate, zero, many;
self uint64_t spec;

pid$target:stress:counted_at:entry { gate = arg0; }

/* In the threads of the load, by number of the call. */
syscall::getppid:entry
/pid == $target && arg0 >= 0/
{
	printf("A %d %d %d %d %d\n", epid, cpu, arg0, timestamp, arg0 ^ timestamp);
	@written["written", cpu] = count();
}

syscall::getppid:entry
/pid == $target && arg0 >= 0 && arg0 % 3 == 0/
{
	printf("B %d %d %d %d %s\n", epid, cpu, arg0, timestamp, substr("abcdefghijklmnop", arg0 & 15));
}

pid$target:stress:probed:entry
{
	printf("U %d %d %d %d %d\n", epid, cpu, arg0, timestamp, arg0 ^ timestamp);
}

/* Every second block of six is committed, where it was made; the others are discarded. */
syscall::getppid:entry
/pid == $target && arg0 >= 0 && arg0 % 8 == 0/
{
	self->spec = speculation();
}

syscall::getppid:entry
/self->spec/
{
	speculate(self->spec);
	printf("S %d %d %d %d\n", epid, cpu, arg0, timestamp);
}

syscall::getppid:entry
/self->spec && arg0 % 16 == 5/
{
	commit(self->spec);
	self->spec = 0;
}

syscall::getppid:entry
/self->spec && arg0 % 8 == 5/
{
	discard(self->spec);
	self->spec = 0;
}

/* One speculation of all CPUs, which one of them commits. */
syscall::getppid:entry
/many && pid == $target && arg0 >= 0 && arg0 % 32 == 9/
{
	this->id = many;
	speculate(this->id);
	printf("M %d %d %d %d %d\n", epid, cpu, arg0, timestamp, this->id);
}

syscall::getppid:entry
/cpu == 0 && pid == $target && arg0 >= 0 && arg0 % 512 == 3/
{
	commit(many);
	many = speculation();
}

/* Faults give up what was reserved. */
syscall::getppid:entry
/pid == $target && arg0 >= 0 && arg0 % 1024 == 11/
{
	printf("F %d %d %d %d\n", epid, cpu, arg0 / zero, timestamp);
}

ERROR
{
	printf("E %d %d %d %d\n", epid, cpu, arg4, timestamp);
}

/* In interrupts, while the gate of the CPU is open. */
rawtp:timer::hrtimer_expire_entry
/gate && *(uint64_t *)(gate + cpu * 64)/
{
	printf("H %d %d %d %d %d\n", epid, cpu, *(uint64_t *)(gate + cpu * 64 + 8), timestamp, arg0);
}

profile-$1
/gate && *(uint64_t *)(gate + cpu * 64)/
{
	printf("P %d %d %d %d\n", epid, cpu, *(uint64_t *)(gate + cpu * 64 + 8), timestamp);
}

rawtp:irq::softirq_entry
/gate && *(uint64_t *)(gate + cpu * 64)/
{
	printf("I %d %d %d %d\n", epid, cpu, *(uint64_t *)(gate + cpu * 64 + 16), timestamp);
}

/* Without records. */
syscall::getppid:entry
/pid == $target && arg0 >= 0/
{
	@calls["calls", cpu] = count();
	@sum["sum", cpu] = sum(arg0);
	@most["most", cpu] = max(arg0);
}

syscall::getppid:entry
/pid == $target && arg0 >= 0/
{
	@alone = count();
}

pid$target:stress:probed:entry
{
	@probed["probed", cpu] = count();
}

rawtp:timer::hrtimer_expire_entry
/gate && *(uint64_t *)(gate + cpu * 64)/
{
	@timers["timers", cpu] = count();
}

profile-$1
/gate && *(uint64_t *)(gate + cpu * 64)/
{
	@profile["profile", cpu] = count();
}

rawtp:irq::softirq_entry
/gate && *(uint64_t *)(gate + cpu * 64)/
{
	@softirqs["softirqs", cpu] = count();
}

END
{
	printf("Z %d %d 0 %d\n", epid, cpu, timestamp);
}
