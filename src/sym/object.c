/* SPDX-License-Identifier: BSD-2-Clause */
/* Mapped files. */
#include "sym/object.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"

#define HELD_MAX 256 /* files kept open because their path means nothing here */
#define VDSO "[vdso]"
#define MEMFD "/memfd:"

struct object {
	char *path;
	const char *name;
	uint64_t ino; /* 0: not known */
	pid_t pid;    /* that has, or had, it mapped */
	int fd;	      /* -1: to be opened by its path */
	bool tried;
	bool made; /* no file: code that was made at run time */
	struct elfsyms *syms;
};

struct objects {
	VEC(struct object *) v;
	struct hmap *by_key; /* inode and path */
	unsigned int held;
};

struct objects *objects_create(void)
{
	struct objects *o = mem_alloc(sizeof(*o));

	o->by_key = hmap_create();
	return o;
}

void objects_destroy(struct objects *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->v.n; i++) {
		struct object *obj = o->v.v[i];

		if (obj->fd >= 0)
			close(obj->fd);
		elfsyms_destroy(obj->syms);
		free(obj->path);
		free(obj);
	}
	vec_free(&o->v);
	hmap_destroy(o->by_key);
	free(o);
}

/* ---- finding the file ---- */

/* Opens nothing but the file that was mapped: another one may have its name by now. */
static int open_same(const char *path, uint64_t ino)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && (!ino || st.st_ino == ino))
		return fd;
	close(fd);
	return -1;
}

static bool is_here(const char *path, uint64_t ino)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && (!ino || st.st_ino == ino);
}

/* As the process sees it: it may have a root of its own. */
static int open_there(pid_t pid, const char *path, uint64_t ino)
{
	char *there = mem_printf("/proc/%d/root%s", (int)pid, path);
	int fd = open_same(there, ino);

	free(there);
	return fd;
}

/* Whatever has become of its name. */
static int open_mapped(const struct object_mapped *m)
{
	char *path = mem_printf("/proc/%d/map_files/%llx-%llx", (int)m->pid,
				(unsigned long long)m->start, (unsigned long long)m->end);
	int fd = open_same(path, m->ino);

	free(path);
	return fd;
}

static bool is_memory(const char *path)
{
	return !strncmp(path, MEMFD, strlen(MEMFD));
}

/* Memory that has no name in any directory is a file if a program or library is in it, else code made at run time. */
static int open_memory(const struct object_mapped *m)
{
	int fd = open_mapped(m);
	char magic[SELFMAG];

	if (fd >= 0 && pread(fd, magic, SELFMAG, 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* What cannot be opened by its path later. */
static int hold(const struct object_mapped *m)
{
	int fd;

	if (is_memory(m->path))
		return open_memory(m);
	if (*m->path != '/' || is_here(m->path, m->ino))
		return -1;
	fd = open_there(m->pid, m->path, m->ino);
	return fd >= 0 ? fd : open_mapped(m);
}

static struct object *object_new(struct objects *o, const struct object_mapped *m)
{
	struct object *obj = mem_alloc(sizeof(*obj));
	const char *slash = strrchr(m->path, '/');

	obj->path = mem_strdup(m->path);
	obj->name = slash ? obj->path + (slash - m->path) + 1 : obj->path;
	obj->ino = m->ino;
	obj->pid = m->pid;
	obj->fd = o->held < HELD_MAX ? hold(m) : -1;
	obj->made = is_memory(m->path) && obj->fd < 0;
	o->held += obj->fd >= 0;
	vec_push(&o->v, obj);
	return obj;
}

struct object *object_get(struct objects *o, const struct object_mapped *m)
{
	struct object *obj;
	char *key;

	if ((*m->path != '/' && strcmp(m->path, VDSO)) || !strncmp(m->path, "//anon", 6))
		return NULL;
	key = mem_printf("%llu %s", (unsigned long long)m->ino, m->path);
	obj = hmap_get(o->by_key, key);
	if (!obj) {
		obj = object_new(o, m);
		hmap_put(o->by_key, key, obj);
	}
	free(key);
	return obj->made ? NULL : obj;
}

const char *object_name(const struct object *obj)
{
	return obj->name;
}

/* ---- symbols ---- */

/* The kernel's page of code is the same in all processes: ours is looked into. */
static void vdso_read(struct object *obj)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	Elf64_Ehdr h;

	if (!image)
		return;
	memcpy(&h, image, sizeof(h));
	if (h.e_ident[EI_CLASS] == ELFCLASS64)
		elfsyms_open_memory(&obj->syms, image,
				    h.e_shoff + (size_t)h.e_shnum * h.e_shentsize);
}

static void file_read(struct object *obj)
{
	char root[32] = "";
	int fd = obj->fd;

	if (fd < 0)
		fd = open_same(obj->path, obj->ino);
	if (fd < 0)
		fd = open_there(obj->pid, obj->path, obj->ino);
	if (fd < 0)
		return;
	elfsyms_open(&obj->syms, fd, obj->path, "");
	if (obj->fd >= 0 && (!obj->syms || !elfsyms_count(obj->syms))) {
		/* It may have its debug file where it comes from. */
		elfsyms_destroy(obj->syms);
		obj->syms = NULL;
		snprintf(root, sizeof(root), "/proc/%d/root", (int)obj->pid);
		lseek(fd, 0, SEEK_SET);
		elfsyms_open(&obj->syms, fd, obj->path, root);
	}
	close(fd);
	obj->fd = -1;
}

const struct elfsyms *object_symbols(struct object *obj)
{
	if (!obj->tried) {
		obj->tried = true;
		if (*obj->path == '/')
			file_read(obj);
		else
			vdso_read(obj);
	}
	return obj->syms;
}
