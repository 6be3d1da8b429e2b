/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of processes and threads, where the consumer is in a pid namespace of its own (struct abi_pidns). */
#include "rt.h"

/* The number in the namespace of a struct pid, 0: it has none. */
static __always_inline u64 pid_number(u64 pid)
{
	if (!pid || (u32)kernel_word(pid + conf.pidns.pid_level) < conf.pidns.level ||
	    kernel_word(pid + conf.pidns.at_ns) != conf.pidns.ns)
		return 0;
	return (u32)kernel_word(pid + conf.pidns.nr);
}

static __always_inline u64 process_number(u64 task)
{
	return pid_number(kernel_word(kernel_word(task + conf.pidns.signal) + conf.pidns.process));
}

/* Process << 32 | thread. */
ROUTINE u64 rt_task_numbers(u64 task)
{
	return process_number(task) << 32 | pid_number(kernel_word(task + conf.pidns.thread));
}

static __always_inline u64 current_process(void)
{
	return conf.pidns.ns ? process_number(bpf_get_current_task())
			     : bpf_get_current_pid_tgid() >> 32;
}
