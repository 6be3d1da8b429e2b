/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that a process executes code of, and what modules are called (sym/images.h). */
#include "sym/images.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- files by inode ---------------------------------------------------------------------------------- */

struct file_id {
	dev_t dev;
	ino_t ino;
};

struct elf_cache {
	VEC(struct elf_file *) v;
	bool noted;
	struct hmap *none; /* files that are of no use, by struct file_id */
};

struct elf_cache *elf_cache_create(bool noted)
{
	struct elf_cache *c = mem_alloc(sizeof(*c));

	c->noted = noted;
	c->none = hmap_create();
	return c;
}

void elf_cache_destroy(struct elf_cache *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->v.n; i++)
		elf_file_close(c->v.v[i]);
	vec_free(&c->v);
	hmap_destroy(c->none);
	free(c);
}

static struct elf_file *cache_find(struct elf_cache *c, const struct stat *st)
{
	for (size_t i = 0; i < c->v.n; i++)
		if (c->v.v[i]->ino == st->st_ino && c->v.v[i]->dev == st->st_dev)
			return c->v.v[i];
	return NULL;
}

/* name: its path as the process has it. */
static struct elf_file *cache_file(struct elf_cache *c, const char *path, pid_t pid, const char *name)
{
	struct file_id id = { 0 };
	struct elf_file *f;
	struct stat st;

	if (stat(path, &st) < 0)
		return NULL;
	id.dev = st.st_dev;
	id.ino = st.st_ino;
	if (hmap_get_n(c->none, &id, sizeof(id)))
		return NULL;
	f = cache_find(c, &st);
	if (f)
		return f;
	if (elf_file_open(&f, path) == 0) {
		elf_file_notes(f);
		if (!c->noted || f->notes.n) {
			f->path = mem_strdup(name);
			f->pid = pid;
			vec_push(&c->v, f);
			return f;
		}
		elf_file_close(f);
	}
	hmap_put_n(c->none, &id, sizeof(id), c);
	return NULL;
}

/* ---- what a process maps ----------------------------------------------------------------------------- */

/* Where the first byte of the mapping would be if the file were mapped at its addresses as linked. */
static uint64_t image_bias(const struct elf_file *f, uint64_t start, uint64_t offset)
{
	for (size_t i = 0; i < f->segs.n; i++) {
		const struct elf_segment *s = &f->segs.v[i];
		uint64_t page = s->offset & ~4095ull;

		if (s->exec && offset >= page && offset < s->offset + s->size)
			return start - (s->addr - s->offset + offset);
	}
	return f->segs.n ? start - offset - (f->segs.v[0].addr - f->segs.v[0].offset) : 0;
}

/* The very file that is mapped, also if it was replaced or lies in another mount namespace. */
static struct elf_file *mapped_file(struct elf_cache *c, pid_t pid, const char *range,
				    const char *name)
{
	char path[4200];
	struct elf_file *f;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%s", (int)pid, range);
	f = cache_file(c, path, pid, name);
	if (f || access(path, F_OK) == 0)
		return f;
	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, name);
	return cache_file(c, path, pid, name);
}

static void add_image(struct elf_cache *c, struct elf_images *out, pid_t pid,
		      const struct stat *exe, const char *line)
{
	unsigned long start, end, offset;
	char range[64], perms[8];
	int at_name = 0;

	if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %n", &start, &end, perms, &offset, &at_name) !=
		    4 ||
	    !at_name || !strchr(perms, 'x') || line[at_name] != '/')
		return;
	const char *name = line + at_name;

	snprintf(range, sizeof(range), "%lx-%lx", start, end);
	struct elf_file *f = mapped_file(c, pid, range, name);

	if (!f)
		return;
	for (size_t i = 0; i < out->v.n; i++)
		if (out->v.v[i].file == f)
			return;
	struct elf_image *im = vec_add(&out->v);
	const char *base = strrchr(name, '/') + 1;
	size_t n = strlen(base), gone = strlen(" (deleted)");

	if (n > gone && !strcmp(base + n - gone, " (deleted)"))
		n -= gone;
	im->file = f;
	im->bias = image_bias(f, start, offset);
	im->name = mem_strndup(base, n);
	im->exe = f->ino == exe->st_ino && f->dev == exe->st_dev;
}

int elf_images_update(struct elf_cache *c, pid_t pid, struct elf_images *out)
{
	struct stat exe = { 0 };
	char path[64], *line = NULL;
	size_t room = 0;
	ssize_t n;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (stat(path, &exe) < 0 && errno == EACCES)
		return -EACCES;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	if (!maps)
		return errno == ENOENT ? -ESRCH : -errno;
	while ((n = getline(&line, &room, maps)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = 0;
		add_image(c, out, pid, &exe, line);
	}
	free(line);
	fclose(maps);
	return 0;
}

int elf_images_read(struct elf_cache *c, pid_t pid, struct elf_images *out)
{
	int err = elf_images_update(c, pid, out);

	/* Where the executable is mapped is the kernel's choice. */
	for (size_t i = 1; i < out->v.n; i++) {
		struct elf_image first = out->v.v[0];

		if (!out->v.v[i].exe)
			continue;
		out->v.v[0] = out->v.v[i];
		out->v.v[i] = first;
		break;
	}
	return err;
}

void elf_images_free(struct elf_images *im)
{
	for (size_t i = 0; i < im->v.n; i++)
		free(im->v.v[i].name);
	vec_free(&im->v);
}

/* ---- names of modules -------------------------------------------------------------------------------- */

/* "libc.so.6" is libc.so, libc; "libfoo-1.2.so" is libfoo-1.2 and libfoo. */
bool elf_module_match(const char *basename, bool exe, const char *pattern)
{
	char name[256];
	char *p;

	if (!strncmp(pattern, "LM", 2)) {
		const char *quote = strchr(pattern, '`');

		if (quote &&
		    strspn(pattern + 2, "0123456789abcdefABCDEF") == (size_t)(quote - pattern - 2))
			pattern = quote + 1;
	}
	if (!*pattern || glob_match(pattern, basename) || (exe && glob_match(pattern, "a.out")))
		return true;
	snprintf(name, sizeof(name), "%s", basename);
	p = strstr(name, ".so");
	if (!p || (p[3] && p[3] != '.'))
		return false;
	p[3] = 0;
	if (glob_match(pattern, name))
		return true;
	p[0] = 0;
	if (glob_match(pattern, name))
		return true;
	p = strrchr(name, '-');
	if (!p || p == name || strspn(p + 1, "0123456789.") != strlen(p + 1))
		return false;
	p[0] = 0;
	return glob_match(pattern, name);
}
