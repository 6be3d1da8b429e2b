/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of the table's entries: cut from chunks that grow with the table; what is given back is used again for
 * entries of the same size. Snapshots of many new keys would otherwise spend most of their time in malloc() and in
 * page faults; therefore huge pages as well, once the entries fill one.
 */
#include <stdlib.h>
#include <string.h>

#include "agg/impl.h"

#define CHUNK_LEAST (16u << 10)
#define CHUNK_MOST MEM_HUGE

struct pool_chunk {
	struct pool_chunk *next;
	size_t size;
	uint64_t words[];
};

static void chunk_add(struct agg_pool *p, size_t size)
{
	struct pool_chunk *c = size < MEM_HUGE ? mem_alloc(size) : mem_map(size);

	c->next = p->chunks;
	c->size = size;
	p->chunks = c;
	p->at = c->words;
	p->room = (size - sizeof(*c)) / 8;
}

void agg_pool_expect(struct agg_pool *p, size_t bytes)
{
	if (bytes / 8 > p->room && bytes > CHUNK_MOST / 2)
		p->chunk = MEM_HUGE;
}

void *agg_pool_get(struct agg_pool *p, size_t bytes)
{
	size_t words = (bytes + 7) / 8;
	void *e;

	if (words >= ARRAY_SIZE(p->freed))
		return mem_alloc(bytes);
	e = p->freed[words];
	if (e) {
		memcpy(&p->freed[words], e, sizeof(void *));
		return memset(e, 0, words * 8);
	}
	if (p->room < words) {
		p->chunk = p->chunk ? MIN(p->chunk * 2, CHUNK_MOST) : CHUNK_LEAST;
		chunk_add(p, p->chunk);
	}
	e = p->at;
	p->at += words;
	p->room -= words;
	return e;
}

void agg_pool_put(struct agg_pool *p, void *e, size_t bytes)
{
	size_t words = (bytes + 7) / 8;

	if (words >= ARRAY_SIZE(p->freed)) {
		free(e);
		return;
	}
	memcpy(e, &p->freed[words], sizeof(void *));
	p->freed[words] = e;
}

void agg_pool_destroy(struct agg_pool *p)
{
	struct pool_chunk *c, *next;

	for (c = p->chunks; c; c = next) {
		next = c->next;
		if (c->size < MEM_HUGE)
			free(c);
		else
			mem_unmap(c, c->size);
	}
}
