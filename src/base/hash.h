/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash table from strings (copied) or 64-bit numbers to pointers. The values belong to the caller. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hmap;
struct hmap *hmap_create(void);
void hmap_destroy(struct hmap *h); /* accepts NULL */
void *hmap_get(const struct hmap *h, const char *key);
void hmap_put(struct hmap *h, const char *key, void *value); /* replaces */
void *hmap_get_n(const struct hmap *h, const void *key, size_t n);
void hmap_put_n(struct hmap *h, const void *key, size_t n, void *value);
void *hmap_get_u64(const struct hmap *h, uint64_t key);
void hmap_put_u64(struct hmap *h, uint64_t key, void *value);
size_t hmap_count(const struct hmap *h);
/* Calls f for each entry in insertion order; stops when f returns non-zero and gives that value. */
int hmap_each(const struct hmap *h, int (*f)(const void *key, size_t n, void *value, void *arg), void *arg);

uint64_t hash_bytes(const void *p, size_t n);

#endif
