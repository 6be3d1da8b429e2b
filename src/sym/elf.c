/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols of ELF files. Sections are read, never mapped: a mapped file that shrinks is a signal. */
#include "sym/elf.h"

#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "sym/debugfile.h"

#define OPEN_SIZE 65536 /* a symbol without size reaches so far, if no other comes before */
#define NESTING 16	/* symbols looked back through for one that is around an address */

struct entry {
	uint64_t addr;
	uint32_t size;
	uint32_t rank; /* lower is preferred among those at one address */
	const char *name;
};

struct segment {
	uint64_t offset, size, addr;
};

struct elfsyms {
	VEC(struct entry) v; /* by address, one for each */
	VEC(struct segment) segments;
	VEC(char *) texts; /* string tables */
};

/* ---- symbol tables ---- */

static bool is_code(Elf *elf, size_t index)
{
	GElf_Shdr sh;
	Elf_Scn *scn = elf_getscn(elf, index);

	return scn && gelf_getshdr(scn, &sh) && (sh.sh_flags & SHF_EXECINSTR);
}

/* Functions; and labels in code, which assembly has instead. */
static bool is_function(Elf *elf, const GElf_Sym *s, const char *name)
{
	int type = GELF_ST_TYPE(s->st_info);

	if (s->st_shndx == SHN_UNDEF || !*name || !s->st_value)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	return type == STT_NOTYPE && *name != '$' && *name != '.' && s->st_shndx < SHN_LORESERVE &&
	       is_code(elf, s->st_shndx);
}

static uint32_t symbol_rank(const GElf_Sym *s, const char *name)
{
	uint32_t rank = 0;

	while (rank < 7 && name[rank] == '_')
		rank++;
	if (GELF_ST_BIND(s->st_info) == STB_LOCAL)
		rank += 16;
	if (GELF_ST_BIND(s->st_info) == STB_WEAK)
		rank += 8;
	if (!s->st_size)
		rank += 32;
	return rank;
}

/* A copy of the string table, with a NUL behind it; *size without. */
static const char *strings_copy(struct elfsyms *e, Elf *elf, size_t index, size_t *size)
{
	Elf_Data *d = elf_getdata(elf_getscn(elf, index), NULL);
	char *copy;

	*size = d && d->d_buf ? d->d_size : 0;
	copy = mem_alloc(*size + 1);
	if (*size)
		memcpy(copy, d->d_buf, *size);
	vec_push(&e->texts, copy);
	return copy;
}

/* False: the file has no table of this type. */
static bool table_add(struct elfsyms *e, Elf *elf, GElf_Word type)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Sym s;

	while ((scn = elf_nextscn(elf, scn))) {
		const char *text;
		size_t len;
		Elf_Data *d;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != type)
			continue;
		d = elf_getdata(scn, NULL);
		if (!d || !d->d_size || !sh.sh_entsize)
			continue;
		text = strings_copy(e, elf, sh.sh_link, &len);
		for (int i = 1; gelf_getsym(d, i, &s); i++) {
			struct entry *en;

			if (s.st_name >= len || !is_function(elf, &s, text + s.st_name))
				continue;
			en = vec_add(&e->v);
			en->addr = s.st_value;
			en->size = (uint32_t)MIN(s.st_size, UINT32_MAX);
			en->name = text + s.st_name;
			en->rank = symbol_rank(&s, en->name);
		}
		return true;
	}
	return false;
}

static void segments_add(struct elfsyms *e, Elf *elf)
{
	GElf_Phdr ph;
	size_t n = 0;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n && gelf_getphdr(elf, (int)i, &ph); i++) {
		struct segment s = { ph.p_offset, ph.p_filesz, ph.p_vaddr };

		if (ph.p_type == PT_LOAD)
			vec_push(&e->segments, s);
	}
}

static int entry_cmp(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void order(struct elfsyms *e)
{
	size_t n = 0;

	if (e->v.n)
		qsort(e->v.v, e->v.n, sizeof(*e->v.v), entry_cmp);
	for (size_t i = 0; i < e->v.n; i++)
		if (!n || e->v.v[n - 1].addr != e->v.v[i].addr)
			e->v.v[n++] = e->v.v[i];
	e->v.n = n;
}

/* ---- other places ---- */

static bool debug_symbols(void *arg, int fd, Elf *elf)
{
	(void)fd;
	return table_add(arg, elf, SHT_SYMTAB);
}

static void mini_add(struct elfsyms *e, Elf *elf)
{
	struct str image = { 0 };
	Elf *inner = debugfile_mini(elf, &image) ? elf_memory(image.s, image.n) : NULL;

	if (inner && elf_kind(inner) == ELF_K_ELF)
		table_add(e, inner, SHT_SYMTAB);
	elf_end(inner);
	str_free(&image);
}

/* ---- opening ---- */

static int load(struct elfsyms **out, Elf *elf, const char *path, const char *root)
{
	struct elfsyms *e;

	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return -ENOEXEC;
	}
	e = mem_alloc(sizeof(*e));
	segments_add(e, elf);
	if (!table_add(e, elf, SHT_SYMTAB) && !(path && debugfile_find(elf, path, root, debug_symbols, e))) {
		mini_add(e, elf);
		table_add(e, elf, SHT_DYNSYM);
	}
	elf_end(elf);
	order(e);
	*out = e;
	return 0;
}

int elfsyms_open(struct elfsyms **out, int fd, const char *path, const char *root)
{
	if (elf_version(EV_CURRENT) == EV_NONE)
		return -ENOEXEC;
	return load(out, elf_begin(fd, ELF_C_READ, NULL), path, root);
}

int elfsyms_open_memory(struct elfsyms **out, const void *image, size_t size)
{
	if (elf_version(EV_CURRENT) == EV_NONE)
		return -ENOEXEC;
	return load(out, elf_memory((char *)image, size), NULL, "");
}

void elfsyms_destroy(struct elfsyms *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->texts.n; i++)
		free(e->texts.v[i]);
	vec_free(&e->texts);
	vec_free(&e->segments);
	vec_free(&e->v);
	free(e);
}

/* ---- looking up ---- */

int elfsyms_find(const struct elfsyms *e, uint64_t addr, struct elfsym *out)
{
	size_t low = 0, high = e->v.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (e->v.v[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	for (size_t i = low; i > 0 && low - i < NESTING; i--) {
		const struct entry *en = &e->v.v[i - 1];
		uint64_t size = en->size ? en->size : i == low ? OPEN_SIZE : 0;

		if (addr - en->addr < size) {
			*out = (struct elfsym){ en->name, en->addr, en->size };
			return 0;
		}
	}
	return -ENOENT;
}

uint64_t elfsyms_address(const struct elfsyms *e, uint64_t offset)
{
	for (size_t i = 0; i < e->segments.n; i++) {
		const struct segment *s = &e->segments.v[i];

		if (offset >= s->offset && offset - s->offset < s->size)
			return offset - s->offset + s->addr;
	}
	return offset;
}

size_t elfsyms_count(const struct elfsyms *e)
{
	return e->v.n;
}
