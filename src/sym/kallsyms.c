/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel functions by address. */
#include "sym/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/str.h"
#include "base/vec.h"

#define CHUNK (256u << 10)
#define LAST_MAX \
	(1u      \
	 << 20) /* how far behind the start of a module's last function an address may still be */

struct entry {
	uint64_t addr;
	uint32_t name; /* offset in names */
	uint16_t module;
	uint8_t rank; /* lower is preferred among those at one address */
};

struct ksyms {
	VEC(struct entry) v; /* by address, one for each */
	struct str names;
	VEC(char *) modules;
	VEC(uint64_t) starts;	/* of each module */
	struct hmap *by_module; /* name -> index + 1 */
	bool hidden;		/* all addresses were 0 */
};

/* ---- reading ---- */

static uint16_t module_index(struct ksyms *k, const char *name, size_t n)
{
	uintptr_t i = (uintptr_t)hmap_get_n(k->by_module, name, n);

	if (!i) {
		vec_push(&k->modules, mem_strndup(name, n));
		i = k->modules.n;
		hmap_put_n(k->by_module, name, n, (void *)i);
	}
	return (uint16_t)(i - 1);
}

static uint64_t hex(const char *p, const char *end)
{
	uint64_t v = 0;

	for (; p < end; p++)
		v = v << 4 | (uint64_t)((*p & 15) + (*p > '9' ? 9 : 0));
	return v;
}

/* "ADDRESS TYPE NAME[\t[MODULE]]". Padding in front of functions is not a function. */
static void line_add(struct ksyms *k, const char *line, const char *end)
{
	const char *sp = memchr(line, ' ', (size_t)(end - line)), *name, *tab;
	struct entry *e;
	char type;

	if (!sp || end - sp < 4 || sp - line > 16)
		return;
	type = sp[1];
	if (type != 't' && type != 'T' && type != 'w' && type != 'W')
		return;
	name = sp + 3;
	if (end - name > 6 && !memcmp(name, "__pfx_", 6))
		return;
	tab = memchr(name, '\t', (size_t)(end - name));
	e = vec_add(&k->v);
	e->addr = hex(line, sp);
	e->name = (uint32_t)k->names.n;
	e->rank = type == 'T' ? 0 : type == 't' ? 2 : 1;
	if (tab && end - tab > 3)
		e->module = module_index(k, tab + 2, (size_t)(end - tab - 3));
	str_add(&k->names, name, (size_t)((tab ? tab : end) - name));
	str_putc(&k->names, 0);
	k->hidden &= !e->addr;
}

/* Whole lines of text; gives how many bytes they are. */
static size_t lines_add(struct ksyms *k, const char *text, size_t len)
{
	const char *p = text, *end = text + len, *nl;

	while ((nl = memchr(p, '\n', (size_t)(end - p)))) {
		line_add(k, p, nl);
		p = nl + 1;
	}
	return (size_t)(p - text);
}

/* ---- order ---- */

static int entry_cmp(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank - b->rank;
	return (a->name > b->name) - (a->name < b->name);
}

/*
 * The kernel's own part comes in order: only what follows it is sorted, if nothing of it belongs
 * before.
 */
static void order(struct ksyms *k)
{
	size_t sorted = 0, n = 0;
	bool mixed = false;

	while (sorted + 1 < k->v.n && entry_cmp(&k->v.v[sorted], &k->v.v[sorted + 1]) <= 0)
		sorted++;
	sorted++;
	for (size_t i = sorted; i < k->v.n && !mixed; i++)
		mixed = entry_cmp(&k->v.v[sorted - 1], &k->v.v[i]) > 0;
	if (mixed)
		qsort(k->v.v, k->v.n, sizeof(*k->v.v), entry_cmp);
	else if (sorted < k->v.n)
		qsort(k->v.v + sorted, k->v.n - sorted, sizeof(*k->v.v), entry_cmp);
	for (size_t i = 0; i < k->v.n; i++)
		if (!n || k->v.v[n - 1].addr != k->v.v[i].addr)
			k->v.v[n++] = k->v.v[i];
	k->v.n = n;
	for (size_t i = 0; i < k->modules.n; i++)
		vec_push(&k->starts, 0);
	while (n-- > 0)
		k->starts.v[k->v.v[n].module] = k->v.v[n].addr;
}

static struct ksyms *make(void)
{
	struct ksyms *k = mem_alloc(sizeof(*k));

	k->by_module = hmap_create();
	k->hidden = true;
	module_index(k, "vmlinux", 7);
	return k;
}

static int finish(struct ksyms *k, struct ksyms **out)
{
	if (k->hidden) {
		ksyms_destroy(k);
		return -EPERM;
	}
	order(k);
	*out = k;
	return 0;
}

int ksyms_parse(struct ksyms **out, const char *text, size_t len)
{
	struct ksyms *k = make();

	lines_add(k, text, len);
	return finish(k, out);
}

int ksyms_load(struct ksyms **out)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	struct ksyms *k;
	size_t have = 0;
	ssize_t n;
	char *buf;

	if (fd < 0)
		return -errno;
	k = make();
	buf = mem_alloc(CHUNK);
	while ((n = read(fd, buf + have, CHUNK - have)) > 0) {
		size_t used = lines_add(k, buf, have + (size_t)n);

		have = have + (size_t)n - used;
		if (have == CHUNK) /* no line is so long */
			have = 0;
		memmove(buf, buf + used, have);
	}
	free(buf);
	close(fd);
	return finish(k, out);
}

void ksyms_destroy(struct ksyms *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->modules.n; i++)
		free(k->modules.v[i]);
	vec_free(&k->modules);
	vec_free(&k->starts);
	vec_free(&k->v);
	hmap_destroy(k->by_module);
	str_free(&k->names);
	free(k);
}

/* ---- looking up ---- */

static void fill(const struct ksyms *k, size_t i, struct ksym *out)
{
	const struct entry *e = &k->v.v[i];

	out->module = k->modules.v[e->module];
	out->name = k->names.s + e->name;
	out->addr = e->addr;
	out->end = i + 1 < k->v.n && k->v.v[i + 1].module == e->module ? k->v.v[i + 1].addr : 0;
}

int ksyms_find(const struct ksyms *k, uint64_t addr, struct ksym *out)
{
	size_t low = 0, high = k->v.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (k->v.v[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return -ENOENT;
	fill(k, low - 1, out);
	if (!out->end && addr - out->addr >= LAST_MAX)
		return -ENOENT;
	return 0;
}

int ksyms_lookup(const struct ksyms *k, const char *name, struct ksym *out)
{
	for (size_t i = 0; i < k->v.n; i++)
		if (!strcmp(k->names.s + k->v.v[i].name, name)) {
			fill(k, i, out);
			return 0;
		}
	return -ENOENT;
}

uint64_t ksyms_module_start(const struct ksyms *k, const char *module)
{
	uintptr_t i = (uintptr_t)hmap_get(k->by_module, module);

	return i ? k->starts.v[i - 1] : 0;
}

size_t ksyms_count(const struct ksyms *k)
{
	return k->v.n;
}
