/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hash table: an array of entries in insertion order, and an open-addressing index into it.
 * Entries are never removed, so the index needs no tombstones.
 */
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

struct hmap_entry {
	uint64_t hash;
	void *key; /* n bytes and a NUL */
	size_t n;
	void *value;
};

struct hmap {
	VEC(struct hmap_entry) entries;
	uint32_t *index; /* 1 + number of the entry; 0 = empty */
	size_t slots; /* a power of two, at least 4/3 of the entries */
};

/* FNV-1a, then a mixer: the low bits choose the slot. */
uint64_t hash_bytes(const void *p, size_t n)
{
	const unsigned char *b = p;
	uint64_t h = 0xcbf29ce484222325ull;
	size_t i;

	for (i = 0; i < n; i++)
		h = (h ^ b[i]) * 0x100000001b3ull;
	h ^= h >> 32;
	h *= 0x9e3779b97f4a7c15ull;
	return h ^ (h >> 29);
}

struct hmap *hmap_create(void)
{
	return mem_alloc(sizeof(struct hmap));
}

void hmap_destroy(struct hmap *h)
{
	size_t i;

	if (!h)
		return;
	for (i = 0; i < h->entries.n; i++)
		free(h->entries.v[i].key);
	vec_free(&h->entries);
	free(h->index);
	free(h);
}

/* The slot that holds the key, or the empty one where it belongs. Needs slots > entries. */
static size_t hmap_slot(const struct hmap *h, uint64_t hash, const void *key, size_t n)
{
	size_t at = hash & (h->slots - 1);

	for (; h->index[at]; at = (at + 1) & (h->slots - 1)) {
		const struct hmap_entry *e = &h->entries.v[h->index[at] - 1];

		if (e->hash == hash && e->n == n && !memcmp(e->key, key, n))
			break;
	}
	return at;
}

static void hmap_grow(struct hmap *h)
{
	size_t i, at;

	h->slots = h->slots ? h->slots * 2 : 16;
	free(h->index);
	h->index = mem_alloc(h->slots * sizeof(*h->index));
	for (i = 0; i < h->entries.n; i++) {
		for (at = h->entries.v[i].hash & (h->slots - 1); h->index[at];)
			at = (at + 1) & (h->slots - 1);
		h->index[at] = i + 1;
	}
}

void *hmap_get_n(const struct hmap *h, const void *key, size_t n)
{
	size_t at;

	if (!h->entries.n)
		return NULL;
	at = hmap_slot(h, hash_bytes(key, n), key, n);
	return h->index[at] ? h->entries.v[h->index[at] - 1].value : NULL;
}

void hmap_put_n(struct hmap *h, const void *key, size_t n, void *value)
{
	struct hmap_entry e = { .hash = hash_bytes(key, n), .n = n, .value = value };
	size_t at;

	if ((h->entries.n + 1) * 4 > h->slots * 3)
		hmap_grow(h);
	at = hmap_slot(h, e.hash, key, n);
	if (h->index[at]) {
		h->entries.v[h->index[at] - 1].value = value;
		return;
	}
	e.key = mem_strndup(key, n);
	vec_push(&h->entries, e);
	h->index[at] = h->entries.n;
}

void *hmap_get(const struct hmap *h, const char *key)
{
	return hmap_get_n(h, key, strlen(key));
}

void hmap_put(struct hmap *h, const char *key, void *value)
{
	hmap_put_n(h, key, strlen(key), value);
}

void *hmap_get_u64(const struct hmap *h, uint64_t key)
{
	return hmap_get_n(h, &key, sizeof(key));
}

void hmap_put_u64(struct hmap *h, uint64_t key, void *value)
{
	hmap_put_n(h, &key, sizeof(key), value);
}

size_t hmap_count(const struct hmap *h)
{
	return h->entries.n;
}

int hmap_each(const struct hmap *h, int (*f)(const void *key, size_t n, void *value, void *arg),
	      void *arg)
{
	size_t i;
	int rc;

	for (i = 0; i < h->entries.n; i++) {
		const struct hmap_entry *e = &h->entries.v[i];

		rc = f(e->key, e->n, e->value, arg);
		if (rc)
			return rc;
	}
	return 0;
}
