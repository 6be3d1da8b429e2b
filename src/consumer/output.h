/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The output writer: a byte buffer and a descriptor that it never blocks on.
 *
 * The descriptor is shared with others (a shell, a child), so O_NONBLOCK is never set on it: a pipe
 * or terminal gets at most 4096 bytes after poll() said that it takes some; a regular file gets
 * all. What the descriptor does not take stays in the buffer; above OUTPUT_LIMIT output_full() says
 * so and the consumer stops decoding until it has shrunk.
 */
#ifndef CONSUMER_OUTPUT_H
#define CONSUMER_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define OUTPUT_LIMIT (1u << 20)	 /* bytes of backlog */
#define OUTPUT_CHUNK (64u << 10) /* bytes from which output_poll() writes at once */

struct output {
	struct str buf; /* append here; bytes before `done` are written */
	size_t done;
	int fd;	      /* -1: everything stays in buf (a client takes it) */
	bool regular; /* never blocks: written whole */
	bool tty, socket;
	int error; /* negative errno of the first failed write; everything later is thrown away */
};

void output_init(struct output *o, int fd);
void output_free(struct output *o); /* does not flush or close */
void output_set_fd(struct output *o,
		   int fd); /* flushes as far as possible without blocking first */

static inline size_t output_backlog(const struct output *o)
{
	return o->buf.n - o->done;
}
static inline bool output_full(const struct output *o)
{
	return o->fd >= 0 && !o->regular && output_backlog(o) > OUTPUT_LIMIT;
}

/* Writes what the descriptor takes now. 0, or the sticky error. */
int output_poll(struct output *o);
/*
 * Writes everything, waiting; `stop` (may be NULL) is asked at least every 100 ms and ends the
 * wait: -EINTR.
 */
int output_flush(struct output *o, bool (*stop)(void *arg), void *arg);
/* Throws the backlog away. */
void output_abort(struct output *o);

#endif
