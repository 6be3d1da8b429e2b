/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waking the consumer. A call that it has not answered yet stands for those that follow: it is woken once, however
 * often and by whomever it is called.
 */
#include "rt.h"

/* snapshot(): what the buffers hold now. Where it cannot be woken it finds the number at its next status check. */
ROUTINE u64 rt_snapshot(void)
{
	u64 before = __sync_fetch_and_add(&state.snapshots, 1);

	if (before == *(volatile u64 *)&state.answered)
		bpf_ringbuf_output(wakes, &before, sizeof(before), BPF_RB_FORCE_WAKEUP);
	return 0;
}
