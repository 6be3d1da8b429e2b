/* SPDX-License-Identifier: BSD-2-Clause */
/* How the clocks that D shows differ from those that a BPF program can read: constants of generated
 * code. */
#include <errno.h>
#include <sched.h>
#include <sys/timex.h>
#include <time.h>

#include "codegen/cg_impl.h"
#include "kern/insns.h"
#include "kern/kern.h"

#define ROUNDS 16
#define AT_WORD (-8) /* in the stack */
#define CLOCK_NEVER (INT64_MAX / 2)

/* CLOCK_TAI - CLOCK_REALTIME in ns: 0 unless a time service has told the kernel. */
int64_t clock_tai_offset(void)
{
	struct timex tx = { .modes = 0 };

	return adjtimex(&tx) < 0 ? 0 : (int64_t)tx.tai * 1000000000;
}

/* r8 = 8 bytes of the kernel at reg + offset. */
static void put_read(struct insns *c, int reg, int offset)
{
	insns_put_read(c, reg, offset, 8, AT_WORD);
	insns_put(c, LOAD(BPF_DW, BPF_REG_8, BPF_REG_10, AT_WORD));
}

/*
 * A program that writes how much our clock is ahead of the time at which the scheduler last booked that of the thread
 * that runs, by its clock of this CPU. If it books between two of these reads it looks like more, never like less.
 */
static int load_ahead(int map)
{
	int start = kern_btf_member_offset("task_struct", "se.exec_start");
	int queue = kern_btf_member_offset("task_struct", "se.cfs_rq"),
	    rq = kern_btf_member_offset("cfs_rq", "rq");
	int clock = kern_btf_member_offset("rq", "clock"),
	    tasks = kern_btf_member_offset("rq", "clock_task");
	struct insns c = { .n = 0 };

	if (start < 0)
		return -ENOENT;
	insns_put(&c, CALL(BPF_FUNC_get_current_task));
	insns_put(&c, MOV(BPF_REG_6, BPF_REG_0));
	put_read(&c, BPF_REG_6, start);
	insns_put(&c, MOV(BPF_REG_9, BPF_REG_8));
	if (queue >= 0 && rq >= 0 && clock >= 0 && tasks >= 0) {
		put_read(&c, BPF_REG_6, queue);
		put_read(&c, BPF_REG_8, rq);
		insns_put(&c, MOV(BPF_REG_7, BPF_REG_8));
		put_read(&c, BPF_REG_7, clock);
		insns_put(&c, INSN(BPF_ALU64 | BPF_ADD | BPF_X, BPF_REG_9, BPF_REG_8, 0, 0));
		put_read(&c, BPF_REG_7, tasks);
		insns_put(&c, INSN(BPF_ALU64 | BPF_SUB | BPF_X, BPF_REG_9, BPF_REG_8, 0, 0));
	}
	insns_put(&c, CALL(BPF_FUNC_ktime_get_ns));
	insns_put(&c, INSN(BPF_ALU64 | BPF_SUB | BPF_X, BPF_REG_0, BPF_REG_9, 0, 0));
	insns_put_imm64(&c, BPF_REG_1, BPF_PSEUDO_MAP_VALUE, map);
	insns_put(&c, STORE(BPF_DW, BPF_REG_1, 0, BPF_REG_0));
	return insns_load(&c, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, "ahead");
}

/* Yielding makes the scheduler book the time: what is the least soon after it is the best. */
static int64_t least_ahead(void)
{
	int map = kern_map_create(BPF_MAP_TYPE_ARRAY, "ahead", 4, sizeof(int64_t), 1, 0);
	int prog = map < 0 ? map : load_ahead(map);
	int64_t best = CLOCK_NEVER, ahead;
	uint64_t arg = 0;
	uint32_t key = 0;

	for (int i = 0; prog >= 0 && i < ROUNDS; i++) {
		sched_yield();
		if (kern_prog_test_run(prog, &arg, sizeof(arg), -1, NULL) >= 0 &&
		    !kern_map_lookup(map, &key, &ahead) && ahead < best)
			best = ahead;
	}
	kern_close(&prog);
	kern_close(&map);
	return best;
}

/*
 * CLOCK_MONOTONIC minus the scheduler's clock, in ns, or a little more. For ever if the kernel does not tell. Measured
 * once, so that all programs have the same.
 */
int64_t clock_sched_offset(void)
{
	static int64_t offset = CLOCK_NEVER;

	if (offset == CLOCK_NEVER)
		offset = least_ahead();
	return offset;
}
