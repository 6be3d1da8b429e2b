/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by create.c and switch.c. */
#ifndef BUFFER_IMPL_H
#define BUFFER_IMPL_H

#include "base/vec.h"
#include "buffer/buffer.h"

/* An area that programs and consumer share: a map, or plain memory in tests. */
struct area {
	int fd;	    /* -1: none, or plain */
	void *mem;  /* NULL: not mapped */
	size_t len; /* of the mapping */
};

/*
 * The consumer's view of one packed word (abi/abi.h). `half` is the one that programs enter, or
 * entered before the word was closed. While closed, the word names the other half: a program that
 * enters with a fetch-and-add before it sees CLOSED then counts there, and cannot make the wait for
 * `half` end early.
 */
struct gate {
	uint64_t *word;
	uint64_t *left;  /* [2] */
	uint64_t *alone; /* [2]; aggregations: NULL */
	uint64_t *mark; /* [2]; ring, else NULL */
	uint32_t half;
	uint32_t start; /* offset of an empty half */
	uint32_t off;	/* while closed: what the word held */
	bool closed;
	bool full; /* fill: has taken its last record, but for those of END */
	bool flipped; /* a flip is done but not handed out yet: old_half, old_off */
	uint32_t old_half, old_off;
	bool due[2]; /* programs may still be in this half: until left + alone == count */
	uint32_t count[2]; /* entered, as of the last exchange */
};

struct slot {
	int cpu;
	struct gate buf, agg;
	bool out; /* a snapshot is with the consumer */
	/* ring: what earlier snapshots found and is not overwritten since, oldest first */
	unsigned char *kept;
	uint32_t kept_len;
	bool kept_last; /* is with the consumer for the last time */
};

struct buffers {
	enum cg_policy policy;
	bool plain;
	struct abi_conf conf;
	uint32_t header; /* bytes of a record header */
	struct area conf_area, state, cpus, bufs, aggs, globals, frames, strtab, acct, dvars, specst, specs, wakes;
	struct ring_buffer *wakes_ring;
	VEC(int) rows;
	struct slot *slots;
	buffers_mover *move;
	void *move_arg;
};

void gate_init(struct gate *g, uint64_t *word, uint64_t *left, uint64_t *alone, uint64_t *mark,
	       uint32_t start);
int wakes_create(struct buffers *b);
void wakes_destroy(struct buffers *b);
void *buffer_half(const struct buffers *b, uint32_t slot, uint32_t half);

#endif
