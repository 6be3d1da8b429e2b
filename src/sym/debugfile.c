/* SPDX-License-Identifier: BSD-2-Clause */
/* Where symbols of stripped files are (sym/debugfile.h). */
#include "sym/debugfile.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"

#define UNPACKED_MAX (256u << 20) /* of .gnu_debugdata */

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

bool debugfile_mini(Elf *elf, struct str *image)
{
	Elf_Data *d = section_named(elf, ".gnu_debugdata");

	return d && d->d_buf && unpack(d->d_buf, d->d_size, image);
}

/* ---- separate debug files ---- */

struct search {
	bool (*use)(void *arg, int fd, Elf *debug);
	void *arg;
};

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
static bool try_file(const struct search *s, const char *path, const void *id, ssize_t len,
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
			found = s->use(s->arg, fd, elf);
		elf_end(elf);
	}
	close(fd);
	return found;
}

static bool by_build_id(const struct search *s, const void *id, ssize_t len, const char *root)
{
	const unsigned char *b = id;
	struct str path = { 0 };
	bool found;

	str_printf(&path, "%s/usr/lib/debug/.build-id/%02x/", root, b[0]);
	for (ssize_t i = 1; i < len; i++)
		str_printf(&path, "%02x", b[i]);
	str_puts(&path, ".debug");
	found = try_file(s, str_c(&path), id, len, 0);
	str_free(&path);
	return found;
}

static bool by_link(const struct search *s, Elf *elf, const void *id, ssize_t len, const char *file,
		    const char *root)
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

		found = try_file(s, path, id, len, crc);
		free(path);
	}
	return found;
}

bool debugfile_find(Elf *elf, const char *path, const char *root,
		    bool (*use)(void *arg, int fd, Elf *debug), void *arg)
{
	const struct search s = { use, arg };
	const void *id = NULL;
	ssize_t len = dwelf_elf_gnu_build_id(elf, &id);

	if (len < 2)
		id = NULL;
	if (id && by_build_id(&s, id, len, root))
		return true;
	return by_link(&s, elf, id, len, path, root);
}
