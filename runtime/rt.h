/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the runtime routines share.
 *
 * Routines are global functions of scalars, so that the kernel checks each once, for any
 * arguments. Hence every offset is compared with a size from conf before it is used. The map
 * conf is frozen: the verifier takes what is loaded from it for a constant, so a comparison
 * with it bounds the offset, and a branch that it decides costs nothing to check.
 *
 * Loops run over at most CHUNK words. What may be longer calls a global function once for every
 * CHUNK words, each time with all that remains: the function stops at CHUNK, and the loop stays
 * one path for the verifier.
 *
 * Maps appear as undefined symbols; src/codegen/link.c turns references to them into map
 * references.
 */
#ifndef RUNTIME_RT_H
#define RUNTIME_RT_H

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>

#include "abi/abi.h"

typedef uint64_t u64;
typedef int64_t s64;
typedef uint32_t u32;

#define CHUNK 32 /* words of one call */

/* One element: the symbol is the address of the value. */
extern const struct abi_conf conf;
extern struct abi_cpu cpus[];
extern struct abi_state state;
extern char globals[], specst[];
extern const char strtab[];
/* Several elements: the symbol stands for the map. */
extern char frames[], bufs[], aggs[], dvars[], specs[], acct[], unwfiles[], unwrows[], unwasks[], wakes[];

/* The compiler may not reorder what follows before the check of x, nor use another copy of x. */
#define FENCE(x) asm volatile("" : "+r"(x))

#define NOUNROLL _Pragma("clang loop unroll(disable)")
#define UNROLL _Pragma("clang loop unroll(full)")

/* Linked only where called, so each must stay a function of its own. */
#define ROUTINE __attribute__((noinline))

static __always_inline char *elem_get(void *map, u64 index)
{
	u32 i = index;

	return bpf_map_lookup_elem(map, &i);
}

static __always_inline char *frame_get(u64 frame)
{
	return elem_get(frames, frame);
}

/*
 * The word at offset `off` of an area of `size` bytes, NULL outside of it. Loops end at NULL:
 * two ways through one turn would be 2^64 ways through a loop for the verifier.
 */
static __always_inline u64 *word_at(const char *area, u64 off, u64 size)
{
	FENCE(off);
	if (off > size - 8)
		return NULL;
	return (u64 *)(area + off);
}

static __always_inline void drop_count(enum abi_drop cause)
{
	u64 cpu = bpf_get_smp_processor_id();

	FENCE(cpu);
	if (cpu < conf.ncpus)
		__sync_fetch_and_add(&cpus[cpu].drops[cause], 1);
}

/*
 * Goes through n words, CHUNK in a turn; limit is a constant for the verifier. Older kernels forget
 * what is known of n when it is spilled, so the loop has a bound of its own, which the compiler
 * must not merge with n.
 */
#define FOR_CHUNKS(i, n, limit) for (i = 0; chunk_goes_on(&i, limit) && i < (n); i += CHUNK)

static __always_inline bool chunk_goes_on(u64 *i, u64 limit)
{
	FENCE(*i);
	return *i < limit;
}

static __always_inline u64 min_u64(u64 a, u64 b)
{
	return a < b ? a : b;
}

static __always_inline u64 kernel_word(u64 addr)
{
	u64 w;

	return bpf_probe_read_kernel(&w, sizeof(w), (void *)addr) ? 0 : w;
}

/* A pointer as a number: the verifier forgets what it is when it has been through map memory. */
static __always_inline u64 own_number(char *frame, const void *p)
{
	u64 *pad = ((struct abi_frame *)frame)->pad;

	*(const void *volatile *)pad = p;
	return *(volatile u64 *)pad;
}

/* Of words.c: the first CHUNK of n words in a frame. */
u64 rt_words_hash(u64 frame, u64 off, u64 n, u64 state);
u64 rt_words_differ(u64 frame, u64 a, u64 b, u64 n);
u64 rt_words_append(u64 frame, u64 pos, u64 src, u64 n_shift, u64 end);

#define HASH_K 0x9e3779b97f4a7c15ull

static __always_inline u64 hash_word(u64 state, u64 word)
{
	state = (state ^ word) * HASH_K;
	return state ^ state >> 32;
}

#endif
