/* SPDX-License-Identifier: BSD-2-Clause */
/* Checked allocation, and arenas: lists of chunks from which pieces are cut, freed together. */
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ARENA_ALIGN 16
#define ARENA_CHUNK 8192

static void mem_oom_default(void)
{
	static const char text[] = "dtrace: out of memory\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(1); /* nobody to tell */
	_exit(1);
}

static void (*mem_oom)(void) = mem_oom_default;

void mem_set_oom(void (*handler)(void))
{
	mem_oom = handler ? handler : mem_oom_default;
}

/* The handler must not return; should it, nothing sensible can follow. */
static void mem_fail(void)
{
	mem_oom();
	abort();
}

void *mem_alloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		mem_fail();
	return p;
}

void *mem_realloc(void *p, size_t size)
{
	p = realloc(p, size ? size : 1);
	if (!p)
		mem_fail();
	return p;
}

char *mem_strndup(const char *s, size_t n)
{
	char *copy = mem_alloc(n + 1);

	if (n)
		memcpy(copy, s, n);
	return copy;
}

char *mem_strdup(const char *s)
{
	return mem_strndup(s, strlen(s));
}

char *mem_vprintf(const char *fmt, va_list ap)
{
	char *s;

	if (vasprintf(&s, fmt, ap) < 0)
		mem_fail();
	return s;
}

char *mem_printf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = mem_vprintf(fmt, ap);
	va_end(ap);
	return s;
}

/* Huge pages are aligned to their size: more is mapped, and what stands before and behind given back. */
void *mem_map(size_t size)
{
	size_t len = ROUND_UP(size, MEM_HUGE), before;
	char *p = mmap(NULL, len + MEM_HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	if (p == MAP_FAILED)
		mem_fail();
	before = ROUND_UP((uintptr_t)p, MEM_HUGE) - (uintptr_t)p;
	if (before)
		munmap(p, before);
	p += before;
	munmap(p + len, MEM_HUGE - before);
	madvise(p, len, MADV_HUGEPAGE);
	return p;
}

void mem_unmap(void *p, size_t size)
{
	if (p)
		munmap(p, ROUND_UP(size, MEM_HUGE));
}

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, size; /* of data */
	_Alignas(ARENA_ALIGN) unsigned char data[];
};

struct arena {
	struct arena_chunk *chunks; /* the first one has the free room */
};

struct arena *arena_create(void)
{
	return mem_alloc(sizeof(struct arena));
}

void arena_destroy(struct arena *a)
{
	struct arena_chunk *c, *next;

	if (!a)
		return;
	for (c = a->chunks; c; c = next) {
		next = c->next;
		free(c);
	}
	free(a);
}

static struct arena_chunk *arena_chunk_create(size_t size)
{
	struct arena_chunk *c = mem_alloc(sizeof(*c) + size);

	c->size = size;
	return c;
}

/*
 * A large piece gets a chunk of its own behind the first, so that the room left in the first
 * stays usable.
 */
static void *arena_alloc_large(struct arena *a, size_t size)
{
	struct arena_chunk *c = arena_chunk_create(size);

	c->used = size;
	if (a->chunks) {
		c->next = a->chunks->next;
		a->chunks->next = c;
	} else {
		a->chunks = c;
	}
	return c->data;
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_chunk *c = a->chunks;
	void *p;

	if (size > SIZE_MAX / 2)
		mem_fail();
	size = ROUND_UP(size ? size : 1, ARENA_ALIGN);
	if (size > ARENA_CHUNK / 4)
		return arena_alloc_large(a, size);
	if (!c || c->size - c->used < size) {
		c = arena_chunk_create(ARENA_CHUNK);
		c->next = a->chunks;
		a->chunks = c;
	}
	p = c->data + c->used;
	c->used += size;
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *copy = arena_alloc(a, n + 1);

	if (n)
		memcpy(copy, s, n);
	return copy;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	char *s, *copy;
	va_list ap;

	va_start(ap, fmt);
	s = mem_vprintf(fmt, ap);
	va_end(ap);
	copy = arena_strdup(a, s);
	free(s);
	return copy;
}
