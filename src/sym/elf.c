/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols of ELF files. Sections are read, never mapped: a mapped file that shrinks is a signal. */
#include "sym/elf.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/str.h"
#include "base/vec.h"

#define UNPACKED_MAX (256u << 20) /* of .gnu_debugdata */
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

/* ---- .gnu_debugdata ---- */

static Elf_Data *section_named(Elf *elf, const char *name)
{
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *s = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;

		if (s && !strcmp(s, name))
			return elf_rawdata(scn, NULL);
	}
	return NULL;
}

static bool unpack(const void *in, size_t size, struct str *out)
{
	lzma_stream s = LZMA_STREAM_INIT;
	lzma_ret r = LZMA_OK;

	if (lzma_stream_decoder(&s, UNPACKED_MAX, 0) != LZMA_OK)
		return false;
	s.next_in = in;
	s.avail_in = size;
	while (r == LZMA_OK && out->n < UNPACKED_MAX) {
		str_reserve(out, 1u << 16);
		s.next_out = (uint8_t *)out->s + out->n;
		s.avail_out = 1u << 16;
		r = lzma_code(&s, LZMA_FINISH);
		out->n += (1u << 16) - s.avail_out;
		if (r == LZMA_OK && s.avail_out == 1u << 16)
			break;
	}
	lzma_end(&s);
	return r == LZMA_STREAM_END;
}

static void debugdata_add(struct elfsyms *e, Elf *elf)
{
	Elf_Data *d = section_named(elf, ".gnu_debugdata");
	struct str image = { 0 };
	Elf *inner;

	if (!d || !d->d_buf || !unpack(d->d_buf, d->d_size, &image))
		goto out;
	inner = elf_memory(image.s, image.n);
	if (inner && elf_kind(inner) == ELF_K_ELF)
		table_add(e, inner, SHT_SYMTAB);
	elf_end(inner);
out:
	str_free(&image);
}

/* ---- separate debug files ---- */

static bool same_build(Elf *elf, const void *id, ssize_t len)
{
	const void *other;

	return dwelf_elf_gnu_build_id(elf, &other) == len && !memcmp(id, other, (size_t)len);
}

static bool same_crc(int fd, GElf_Word want)
{
	unsigned char buf[65536];
	uLong crc = crc32(0, NULL, 0);
	ssize_t n;
	off_t at = 0;

	while ((n = pread(fd, buf, sizeof(buf), at)) > 0) {
		crc = crc32(crc, buf, (uInt)n);
		at += n;
	}
	return crc == want;
}

/* id NULL: the sum decides. */
static bool debug_file_add(struct elfsyms *e, const char *path, const void *id, ssize_t len,
			   GElf_Word crc)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool found = false;
	struct stat st;
	Elf *elf;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && (id || same_crc(fd, crc))) {
		elf = elf_begin(fd, ELF_C_READ, NULL);
		if (elf && elf_kind(elf) == ELF_K_ELF && (!id || same_build(elf, id, len)))
			found = table_add(e, elf, SHT_SYMTAB);
		elf_end(elf);
	}
	close(fd);
	return found;
}

static bool build_id_add(struct elfsyms *e, const void *id, ssize_t len, const char *root)
{
	const unsigned char *b = id;
	struct str path = { 0 };
	bool found;

	str_printf(&path, "%s/usr/lib/debug/.build-id/%02x/", root, b[0]);
	for (ssize_t i = 1; i < len; i++)
		str_printf(&path, "%02x", b[i]);
	str_puts(&path, ".debug");
	found = debug_file_add(e, str_c(&path), id, len, 0);
	str_free(&path);
	return found;
}

static bool debuglink_add(struct elfsyms *e, Elf *elf, const void *id, ssize_t len,
			  const char *file, const char *root)
{
	const char *slash = strrchr(file, '/');
	int dir = slash ? (int)(slash - file) : 0;
	GElf_Word crc;
	const char *name = dwelf_elf_gnu_debuglink(elf, &crc);
	const char *const where[] = { "%s%.*s/%s", "%s%.*s/.debug/%s", "%s/usr/lib/debug%.*s/%s" };
	bool found = false;

	if (!name || !slash || strchr(name, '/'))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(where) && !found; i++) {
		char *path = mem_printf(where[i], root, dir, file, name);

		found = debug_file_add(e, path, id, len, crc);
		free(path);
	}
	return found;
}

static bool debug_add(struct elfsyms *e, Elf *elf, const char *path, const char *root)
{
	const void *id = NULL;
	ssize_t len = dwelf_elf_gnu_build_id(elf, &id);

	if (len < 2)
		id = NULL;
	if (id && build_id_add(e, id, len, root))
		return true;
	return debuglink_add(e, elf, id, len, path, root);
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
	if (!table_add(e, elf, SHT_SYMTAB) && !(path && debug_add(e, elf, path, root))) {
		debugdata_add(e, elf);
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
