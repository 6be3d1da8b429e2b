/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing without blocking: see output.h for what is promised. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "consumer/output.h"

#define PIPE_CHUNK 4096u /* PIPE_BUF: poll() promises room for so much */
#define TTY_CHUNK 1024u

static void output_look(struct output *o)
{
	struct stat st;

	o->regular = o->tty = o->socket = false;
	if (o->fd < 0 || fstat(o->fd, &st))
		return;
	o->regular = S_ISREG(st.st_mode) || S_ISBLK(st.st_mode);
	o->socket = S_ISSOCK(st.st_mode);
	o->tty = isatty(o->fd);
	/* /dev/null and its like take everything; poll() always says so. */
}

void output_init(struct output *o, int fd)
{
	memset(o, 0, sizeof(*o));
	o->fd = fd;
	output_look(o);
}

void output_free(struct output *o)
{
	str_free(&o->buf);
	o->done = 0;
}

void output_set_fd(struct output *o, int fd)
{
	output_poll(o);
	o->fd = fd;
	o->error = 0;
	output_look(o);
}

void output_abort(struct output *o)
{
	o->buf.n = o->done = 0;
}

/* Moves what is left to the front once most of the buffer is written: appending stays cheap. */
static void output_compact(struct output *o)
{
	if (o->done == o->buf.n) {
		o->buf.n = o->done = 0;
	} else if (o->done > OUTPUT_CHUNK && o->done > o->buf.n / 2) {
		memmove(o->buf.s, o->buf.s + o->done, o->buf.n - o->done);
		o->buf.n -= o->done;
		o->done = 0;
	}
}

static bool output_ready(const struct output *o, int timeout)
{
	struct pollfd p = { .fd = o->fd, .events = POLLOUT };

	/* An error of the descriptor is found by write(). */
	return poll(&p, 1, timeout) > 0 && p.revents;
}

static ssize_t output_some(struct output *o)
{
	size_t n = output_backlog(o);
	const char *p = o->buf.s + o->done;

	if (o->socket)
		return send(o->fd, p, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (!o->regular)
		n = n < (o->tty ? TTY_CHUNK : PIPE_CHUNK) ? n : (o->tty ? TTY_CHUNK : PIPE_CHUNK);
	return write(o->fd, p, n);
}

int output_poll(struct output *o)
{
	ssize_t n;

	if (o->fd < 0)
		return 0;
	while (!o->error && output_backlog(o) > 0) {
		if (!o->regular && !output_ready(o, 0))
			break;
		n = output_some(o);
		if (n >= 0)
			o->done += (size_t)n;
		else if (errno == EAGAIN || errno == EINTR)
			break;
		else
			o->error = -errno;
	}
	if (o->error)
		output_abort(o);
	else
		output_compact(o);
	return o->error;
}

int output_flush(struct output *o, bool (*stop)(void *arg), void *arg)
{
	if (o->fd < 0)
		return 0;
	while (!output_poll(o) && output_backlog(o) > 0) {
		if (stop && stop(arg))
			return -EINTR;
		output_ready(o, 100);
	}
	return o->error;
}
