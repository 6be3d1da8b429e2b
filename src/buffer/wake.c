/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Map wakes: programs tell the consumer that there is something to be done now. What they write says nothing, so it is
 * read and forgotten.
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <unistd.h>

#include "buffer/impl.h"
#include "kern/kern.h"

#define WAKES_SIZE 4096u

static int woken(void *ctx, void *data, size_t size)
{
	(void)ctx, (void)data, (void)size;
	return 0;
}

int wakes_create(struct buffers *b)
{
	b->wakes.fd = kern_map_create(BPF_MAP_TYPE_RINGBUF, "wakes", 0, 0, WAKES_SIZE, 0);
	if (b->wakes.fd < 0)
		return b->wakes.fd;
	b->wakes_ring = ring_buffer__new(b->wakes.fd, woken, NULL, NULL);
	return b->wakes_ring ? 0 : -errno;
}

void wakes_destroy(struct buffers *b)
{
	ring_buffer__free(b->wakes_ring);
	if (b->wakes.fd >= 0)
		close(b->wakes.fd);
}

void buffers_wakes_take(struct buffers *b)
{
	if (b->wakes_ring)
		ring_buffer__consume(b->wakes_ring);
}
