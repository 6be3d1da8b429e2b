/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The string table: literals and probe names as struct abi_str, 8-aligned, each once. Two strings
 * are equal exactly when their offsets are, which is what makes `probefunc == "read"` one
 * comparison.
 */
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "codegen/cg.h"

struct strtab {
	struct hmap *index; /* text -> offset + 1 */
	char *data;
	size_t n, cap;
};

struct strtab *strtab_create(void)
{
	struct strtab *t = mem_alloc(sizeof(*t));

	t->index = hmap_create();
	return t;
}

void strtab_destroy(struct strtab *t)
{
	if (!t)
		return;
	hmap_destroy(t->index);
	free(t->data);
	free(t);
}

/* At least one zero byte follows the text, up to the next multiple of 8. */
static size_t entry_size(size_t len)
{
	return sizeof(struct abi_str) + ROUND_UP(len + 1, 8);
}

uint32_t strtab_add(struct strtab *t, const char *s, size_t len)
{
	void *known = hmap_get_n(t->index, s, len);
	size_t size = entry_size(len), off = t->n;
	uint64_t word = len;

	if (known)
		return (uint32_t)((uintptr_t)known - 1);
	if (t->n + size > t->cap) {
		t->cap = MAX(t->cap * 2, ROUND_UP(t->n + size, 4096));
		t->data = mem_realloc(t->data, t->cap);
	}
	memset(t->data + off, 0, size);
	memcpy(t->data + off, &word, sizeof(word));
	memcpy(t->data + off + sizeof(word), s, len);
	t->n += size;
	hmap_put_n(t->index, s, len, (void *)(uintptr_t)(off + 1));
	return (uint32_t)off;
}

const void *strtab_data(const struct strtab *t, uint32_t *size)
{
	*size = (uint32_t)t->n;
	return t->data;
}

const char *strtab_get(const struct strtab *t, uint32_t offset)
{
	return t->data + offset + sizeof(struct abi_str);
}
