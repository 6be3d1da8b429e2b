/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Buffers: creates, maps and owns every map that programs and consumer share (abi/abi.h), and moves
 * bytes out of them. Knows no types and no layouts.
 *
 * A principal half is handed out as a struct buffer_snap and belongs to the consumer until
 * buffers_release(); meanwhile programs write the other half. Two halves are all there is: a CPU
 * whose snapshot is not released cannot be switched (-EBUSY).
 *
 *	buffers_create -> buffers_open(BEGIN's CPU) -> BEGIN fires -> buffers_open(-1)
 *	-> buffers_switch/buffers_release ... -> buffers_stop
 *	-> buffers_open(END's CPU) -> END fires -> buffers_stop
 *	-> buffers_switch until every CPU is empty -> buffers_destroy
 *
 * All functions are called from one thread. Errors are negative errno.
 */
#ifndef BUFFER_BUFFER_H
#define BUFFER_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/abi.h"
#include "codegen/cg.h"

/* Why buffers_create() refused. The words are DTrace's, after "could not enable tracing: ". */
enum buffer_refusal {
	BUFFER_OK,
	BUFFER_NOSPACE,	    /* no memory (manual), or nothing left after halving */
	BUFFER_ENDTOOLARGE, /* END records exceed a fill buffer */
	BUFFER_TOOSMALL, /* a buffer that is needed has less than 8 bytes, or no room for one key */
	BUFFER_SYSTEM,	 /* the kernel refused for another reason: see the errno */
};
const char *buffer_refusal_text(enum buffer_refusal why); /* "Not enough space" ... */

struct buffer_request {
	enum cg_policy policy;
	bool temporal;	/* 16-byte record headers */
	bool manual;	/* bufresize=manual: a failed allocation is final */
	int cpu;	/* the one CPU to trace; -1: all that are online */
	bool principal; /* some clause records data; else bufsize only has to hold fault records */
	uint64_t bufsize;    /* bytes wanted per half; any value, rounded down to 8 */
	uint32_t max_record; /* largest record, bytes */
	uint32_t reserve;    /* fill: bytes that END may need */
	bool aggs;	     /* some clause aggregates */
	uint64_t aggsize;    /* bytes wanted per half */
	uint32_t agg_fixed;  /* bytes of the values of aggregations without key, behind struct
				abi_agghalf */
	uint32_t agg_min; /* bytes of one entry of each shape; an aggsize without room is refused */
	bool frames;
	uint32_t frame_size; /* bytes of one frame, struct abi_frame included */
	uint32_t strsize;
	uint32_t globals_size;
	const void *strtab; /* copied */
	uint32_t strtab_size;
	bool dvars;
	uint64_t dvarsize;   /* bytes of all dynamic variables, keys included */
	uint32_t dvar_size;  /* bytes of the value of one */
	uint32_t acct_epids; /* EPIDs with accounting, 0: no accounting */
	bool specs;	     /* some clause speculates */
	uint64_t nspec;
	uint64_t specsize; /* bytes wanted of each speculation on each CPU */
	bool wakes;	   /* some clause wakes the consumer */
	struct abi_unwind_conf unwind; /* handed on in conf */
	/*
	 * For tests: plain shared memory in place of maps (all fds are -1), `plain` CPUs numbered
	 * from 0. 0: maps.
	 */
	int plain;
};

struct buffer_result {
	enum buffer_refusal why;
	/* Sizes in force; as wanted but for rounding unless the flag is set. */
	uint64_t bufsize, aggsize, specsize, dvarsize;
	bool buf_lowered, agg_lowered, spec_lowered, dvar_lowered;
};

struct buffers;

/*
 * Creates everything; all words are CLOSED, activity is ABI_INACTIVE. 0 and *out, or negative errno
 * with res->why set and nothing left behind. res may not be NULL.
 *
 * Limits: a half has at most 512 MiB, and all areas together at most half of what the system
 * (MemAvailable) and the memory cgroup (what is left of memory.max) offer, because Linux
 * overcommits: it would hand out the areas and kill someone later. A size above counts as a failed
 * allocation: it is halved, or refused with `manual`.
 */
int buffers_create(struct buffers **out, const struct buffer_request *req,
		   struct buffer_result *res);
void buffers_destroy(struct buffers *b); /* accepts NULL */

const struct abi_conf *buffers_conf(const struct buffers *b);
enum cg_policy buffers_policy(const struct buffers *b);
/*
 * File descriptor of a map; -1: this session has none (aggs without aggregations ...). CG_MAP_ROWS:
 * see below.
 */
int buffers_fd(const struct buffers *b, enum cg_map map);

/* To be called when the fd of map wakes is readable, which it is no more then. */
void buffers_wakes_take(struct buffers *b);
/* Creates and freezes a rows map for one probe group (rows are copied). Its fd, owned by b. */
int buffers_rows_create(struct buffers *b, const void *rows, uint32_t size);
/*
 * Gives the programs that are loaded from now on a string table that goes on where the old one ends; those
 * loaded before keep theirs. What buffers_fd() and buffers_conf() told of it changes.
 */
int buffers_strtab_renew(struct buffers *b, const void *strtab, uint32_t size);

struct abi_state *buffers_state(struct buffers *b);	      /* mapped, shared with the programs */
struct abi_cpu *buffers_cpu(struct buffers *b, int cpu);      /* any possible CPU */
uint32_t buffers_nslots(const struct buffers *b);	      /* traced CPUs */
int buffers_slot_cpu(const struct buffers *b, uint32_t slot); /* ascending */
/* [acct_epids], indexed by EPID; NULL without accounting. */
const struct abi_acct *buffers_acct(const struct buffers *b, uint32_t slot);
void *buffers_globals(struct buffers *b);	    /* mapped; NULL: no globals */

/*
 * Opens the words (principal and aggregation) of one CPU or, with -1, of all that are closed. 0 or
 * -EINVAL.
 */
int buffers_open(struct buffers *b, int cpu);
/*
 * Closes all words and waits until every program has left. What they wrote stays and can be opened
 * again (END) or switched out. -ETIMEDOUT: a program did not leave within a second. Its buffer is not opened or handed
 * out before it has; the others are usable. Can be called again. Under fill a FULL buffer is found again in
 * full length.
 */
int buffers_stop(struct buffers *b);

/* ---- principal buffers ---------------------------------------------------------------------- */

struct buffer_snap {
	int cpu;
	uint32_t slot;
	uint32_t half;
	uint32_t header;	   /* bytes of a record header: 8 or 16 */
	const unsigned char *data; /* the half */
	uint32_t len;		   /* bytes of data that records may fill; ring: bytes walked */
	uint32_t pos;		   /* next record to hand out */
	uint32_t *index;	   /* ring: positions, newest first; else NULL */
	uint32_t nindex;	   /* ring: not yet handed out */
	bool lapped;		   /* ring: older records were overwritten */
	int error;		   /* -EINVAL: an impossible size at pos; the rest is lost */
};

/*
 * switch: exchanges the halves, or hands out what is left of a closed buffer. fill: only after
 * buffers_stop(), once. ring: at any time, all that the ring holds; it is kept, so that the next snapshot has
 * it again, as far as the ring would have kept it, and so has the one after buffers_stop(), which is the last.
 * 1: a snapshot with data; 0: nothing new; -EAGAIN: a program has not left yet, call again later;
 * -EBUSY: the last snapshot was not released, or fill before the end.
 */
int buffers_switch(struct buffers *b, uint32_t slot, struct buffer_snap *snap);
/* temporal: what programs record from now on is not older than t (ns). Before the halves are exchanged. */
void buffers_not_before(struct buffers *b, uint64_t t);
/* The half may be written again; nothing of it may be looked at any more. */
void buffers_release(struct buffers *b, struct buffer_snap *snap);

const struct abi_rec *buffer_snap_next_ring(struct buffer_snap *s);
const struct abi_rec *buffer_snap_bad(struct buffer_snap *s);

/* The next record, oldest first; fillers are passed over. NULL: the end, or s->error. */
static inline const struct abi_rec *buffer_snap_next(struct buffer_snap *s)
{
	const struct abi_rec *r;

	if (s->index)
		return buffer_snap_next_ring(s);
	while (s->pos < s->len) {
		r = (const struct abi_rec *)(s->data + s->pos);
		if (r->size == 0) {
			s->pos = s->len;
			return NULL;
		}
		if (r->size < s->header || (r->size & 7) || r->size > s->len - s->pos)
			return buffer_snap_bad(s);
		s->pos += r->size;
		if (r->epid != ABI_EPID_NONE)
			return r;
	}
	return NULL;
}

/* ---- speculations --------------------------------------------------------------------------- */

/*
 * Moves `len` bytes of a speculation's part (i: from 0) into the principal buffer of the part's CPU, by
 * running a program there. true: they are there, or lost and counted; false: not now.
 */
typedef bool buffers_mover(void *arg, int cpu, uint32_t i, uint32_t len);
void buffers_set_mover(struct buffers *b, buffers_mover *move, void *arg);
bool buffers_have_specs(const struct buffers *b);
/*
 * What commit() and discard() left on other CPUs: moved or emptied, unless a program is in the middle
 * of a record there. Speculations of which nothing is left become inactive.
 */
void buffers_specs_clean(struct buffers *b);
/* Tracing has ended: what is still in speculations is lost, and accounted for. */
void buffers_specs_end(struct buffers *b);

/* ---- aggregation buffers -------------------------------------------------------------------- */

/* The first half of a CPU, where counters are that are never switched (struct aggshape); NULL: no aggregations. */
const void *buffers_agg_first(const struct buffers *b, uint32_t slot);
/*
 * The same exchange on the aggregation word. 1: *half and *used (bytes up to the end of the last
 * entry) are the consumer's until the next call for this slot; it must leave the half all zero
 * (aggs_merge() does). 0: there is nothing (no aggregations). -EAGAIN as above.
 */
int buffers_agg_switch(struct buffers *b, uint32_t slot, void **half, uint32_t *used);

#endif
