/* SPDX-License-Identifier: BSD-2-Clause */
/* What dtrace_work() and the aggregation walks share. */
#ifndef LIB_WORK_H
#define LIB_WORK_H

#include "lib/impl.h"

/* What a client is told of an enabled probe; made when it is first asked for. */
struct epid_info {
	dtrace_probedesc_t pdesc;
	dtrace_eprobedesc_t edesc;
	dtrace_recdesc_t *recs;
	int *first; /* index in recs of the first datum of each action; -1: it has none */
};

/*
 * The consumer prints in one of two ways. Direct: to the descriptor of the client's stream,
 * never blocking. Relayed (the client has callbacks, or takes the text itself): to a buffer,
 * which is handed on in order.
 */
struct work {
	struct consumer_hooks hooks;
	bool relayed;
	dtrace_consume_probe_f *probe;
	dtrace_consume_rec_f *rec;
	void *arg;
	FILE *fp;		       /* of the current call; NULL: the buffered handler */
	const dtrace_probedata_t *now; /* of the record under way */
	VEC(struct epid_info *) epids; /* index epid - 1 */
	struct str data;	       /* the record under way, laid out for the client */
	bool failed;		       /* the handle has the error */
	bool accounted;		       /* -x accounting is printed */
};

/* The consumer, made at the first call. -1 before dtrace_go(). */
int work_open(dtrace_hdl_t *dtp, FILE *fp, bool callbacks);
/*
 * Hands the text printed so far on. Direct output is written as far as it takes, or (wait)
 * whole. 0, or -1 with the error.
 */
int work_output(dtrace_hdl_t *dtp, FILE *fp, bool wait);
void work_recdesc_offsets(dtrace_recdesc_t *r, uint32_t size, uint32_t *end);

#endif
