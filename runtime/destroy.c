/* SPDX-License-Identifier: BSD-2-Clause */
/* Destructive actions and subroutines: copyout(), copyoutstr(), chill(). */
#include "str.h"

/* ---- to user memory ---- */

#define OUT_BLOCK ABI_COPYOUT_BLOCK
#define OUT_MAX (64ull * 4096)

struct copyout {
	char *f;
	u64 tmp; /* OUT_BLOCK bytes of the frame */
	u64 from, to, size;
};

enum { O_BAD };

static long out_turn(u64 i, struct copyout *o)
{
	u64 done = i * OUT_BLOCK, n = o->size - done, off = o->tmp;
	char *p;

	if (done >= o->size)
		return 1;
	FENCE(off);
	if (off > conf.frame_size - (u64)OUT_BLOCK)
		return 1;
	p = o->f + off;
	/* The helper wants to know that it is not 0, which older kernels do not take from == 0. */
	n = min_u64(n, OUT_BLOCK) - 1;
	FENCE(n);
	if (n > OUT_BLOCK - 1)
		return 1;
	n++;
	if (!bpf_probe_read_kernel(p, n, (void *)(o->from + done)) &&
	    !bpf_probe_write_user((void *)(o->to + done), p, n))
		return 0;
	WORK(o->f)[O_BAD] = 1;
	return 1;
}

/* 1: what is to be copied, or its place, is not there. */
ROUTINE u64 rt_copyout(u64 frame, u64 tmp, u64 from, u64 to, u64 size)
{
	char *f = frame_get(frame);
	struct copyout o = { .f = f, .tmp = tmp, .from = from, .to = to, .size = size };

	if (!f || size > OUT_MAX)
		return 1;
	WORK(f)[O_BAD] = 0;
	bpf_loop(OUT_MAX / OUT_BLOCK, out_turn, &o, 0);
	return WORK(f)[O_BAD];
}

/* ---- chill ---- */

#define SECOND 1000000000ull
#define CHILL_MAX (SECOND / 2) /* of a second, on one CPU */
#define SPIN_TURNS (1u << 20)  /* of one bpf_loop(), which allows eight times as many */

static long spin_turn(u64 i, u64 *end)
{
	(void)i;
	return bpf_ktime_get_ns() >= *end;
}

static long spins_turn(u64 i, u64 *end)
{
	(void)i;
	bpf_loop(SPIN_TURNS, spin_turn, end, 0);
	return bpf_ktime_get_ns() >= *end;
}

/* 1: the CPU has been kept long enough. */
ROUTINE u64 rt_chill(u64 ns)
{
	u64 cpu = bpf_get_smp_processor_id(), now = bpf_ktime_get_ns(), end;
	struct abi_cpu *c;

	FENCE(cpu);
	if (cpu >= conf.ncpus)
		return 1;
	c = &cpus[cpu];
	if (now - c->chill_since > SECOND) {
		c->chill_since = now;
		c->chilled = 0;
	}
	if (ns > CHILL_MAX || c->chilled + ns > CHILL_MAX)
		return 1;
	__sync_fetch_and_add(&c->chilled, ns);
	end = now + ns;
	bpf_loop(SPIN_TURNS, spins_turn, &end, 0);
	return 0;
}
