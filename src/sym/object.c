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

struct object {
	char *path;
	const char *name;
	uint64_t ino; /* 0: not known */
	pid_t pid;    /* that has, or had, it mapped */
	int fd;	      /* -1: to be opened by its path */
	bool tried;
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

struct object *object_get(struct objects *o, const char *path, uint64_t ino, pid_t pid)
{
	struct object *obj;
	char *key;

	if (*path != '/' && strcmp(path, VDSO))
		return NULL;
	if (!strncmp(path, "//anon", 6) || !strncmp(path, "/memfd:", 7))
		return NULL;
	key = mem_printf("%llu %s", (unsigned long long)ino, path);
	obj = hmap_get(o->by_key, key);
	if (!obj) {
		const char *slash = strrchr(path, '/');

		obj = mem_alloc(sizeof(*obj));
		obj->path = mem_strdup(path);
		obj->name = slash ? obj->path + (slash - path) + 1 : obj->path;
		obj->ino = ino;
		obj->pid = pid;
		obj->fd = -1;
		if (*path == '/' && o->held < HELD_MAX && !is_here(path, ino)) {
			obj->fd = open_there(pid, path, ino);
			o->held += obj->fd >= 0;
		}
		hmap_put(o->by_key, key, obj);
		vec_push(&o->v, obj);
	}
	free(key);
	return obj;
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
