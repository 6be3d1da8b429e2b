/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables for unwinding, filled while programs read them. */
#include "sym/unwind.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/mem.h"
#include "base/now.h"
#include "base/str.h"
#include "base/vec.h"
#include "kern/kern.h"
#include "sym/cfi.h"

#define PAGE 4096u
#define SIZE_LIMIT (128u << 20) /* far more than any machine has code for */
#define ASKS_SIZE (16 * PAGE)
#define FILES_LEN (ABI_UNWIND_FILES * sizeof(struct abi_unwind_file))

struct unwind {
	int fd[3]; /* enum unwind_map */
	struct abi_unwind_file *files;
	uint64_t *rows;
	size_t used, max; /* rows */
	struct ring_buffer *asks;
	VEC(void *) kept; /* a page of each file */
	uint64_t unplaced;
};

struct mapping {
	uint64_t start, end, ino;
	uint32_t dev;
	const char *path;
};

/* ---- the kernel's structures ---- */

struct member {
	const char *tag, *path;
	size_t at; /* in struct abi_unwind_conf */
	int want;  /* the offset that runtime/unwind.c takes for granted; -1: any */
	bool may_lack;
};

#define MEMBER(tag, path, field)                                              \
	{                                                                     \
		tag, path, offsetof(struct abi_unwind_conf, field), -1, false \
	}
#define MAY_LACK(tag, path, field)                                           \
	{                                                                    \
		tag, path, offsetof(struct abi_unwind_conf, field), -1, true \
	}
#define FIXED(tag, path, off)                   \
	{                                       \
		tag, path, SIZE_MAX, off, false \
	}

static const struct member members[] = {
	MEMBER("task_struct", "mm", mm),
	MEMBER("mm_struct", "mm_mt.ma_root", tree),
	MEMBER("mm_struct", "context.vdso", vdso),
	MEMBER("vm_area_struct", "vm_start", start),
	MEMBER("vm_area_struct", "vm_pgoff", pgoff),
	MEMBER("vm_area_struct", "vm_file", file),
	MEMBER("vm_area_struct", "vm_flags", flags),
	MEMBER("file", "f_inode", inode),
	MEMBER("inode", "i_ino", ino),
	MEMBER("inode", "i_sb", sb),
	MEMBER("super_block", "s_dev", dev),
	FIXED("maple_range_64", "pivot", 8),
	FIXED("maple_range_64", "slot", 8 * 16),
	FIXED("maple_arange_64", "pivot", 8),
	FIXED("maple_arange_64", "slot", 8 * 10),
	MAY_LACK("mm_struct", "uprobes_state.xol_area", xol),
	MAY_LACK("xol_area", "vaddr", xol_addr),
	MAY_LACK("task_struct", "utask", utask),
	MAY_LACK("uprobe_task", "return_instances", ret),
	MAY_LACK("return_instance", "orig_ret_vaddr", ret_addr),
	MAY_LACK("return_instance", "next", ret_next),
	MAY_LACK("return_instance", "stack", ret_stack),
};

int unwind_conf(struct abi_unwind_conf *out)
{
	bool returns = true;
	int start, end;

	*out = (struct abi_unwind_conf){ 0 };
#if !defined(__x86_64__)
	return -ENOTSUP;
#endif
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		const struct member *m = &members[i];
		int off = kern_btf_member_offset(m->tag, m->path);

		if (off < 0 && m->may_lack)
			returns = false;
		else if (off < 0 || (m->want >= 0 && off != m->want))
			return -ENOTSUP;
		else if (m->at != SIZE_MAX)
			memcpy((char *)out + m->at, &off, sizeof(off));
	}
	start = kern_btf_member_offset("vm_area_struct", "vm_start");
	end = kern_btf_member_offset("vm_area_struct", "vm_end");
	if (end != start + 8)
		return -ENOTSUP;
	if (!returns)
		out->xol = 0;
	out->frames = kern_perf_max_stack() + 1;
	return 0;
}

/* ---- files ---- */

static uint32_t dev_make(unsigned int major, unsigned int minor)
{
	return (uint32_t)major << 20 | minor;
}

/* NULL: no room. An entry that is READY: it is known. */
static struct abi_unwind_file *entry_find(const struct unwind *u, uint32_t dev, uint64_t ino)
{
	uint32_t hash = ABI_UNWIND_HASH(dev, ino);

	for (uint32_t i = 0; i < ABI_UNWIND_TRIES; i++) {
		struct abi_unwind_file *f = &u->files[(hash + i) & (ABI_UNWIND_FILES - 1)];

		if (f->state == ABI_UNWIND_FREE || (f->dev == dev && f->ino == ino))
			return f;
	}
	return NULL;
}

/* A file without rows is entered, too: it is not asked for again then. */
static void file_enter(struct unwind *u, struct abi_unwind_file *f, uint32_t dev, uint64_t ino,
		       const struct cfi *c)
{
	size_t n = c->rows.n;

	if (n > u->max - u->used) {
		u->unplaced++;
		n = 0;
	}
	if (n)
		memcpy(u->rows + u->used, c->rows.v, n * sizeof(*u->rows));
	f->ino = ino;
	f->dev = dev;
	f->first = (uint32_t)u->used;
	f->count = (uint32_t)n;
	u->used += n;
	__atomic_store_n(&f->state, ABI_UNWIND_READY, __ATOMIC_RELEASE);
}

static int open_file(const char *path, uint64_t ino)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && (!ino || st.st_ino == ino))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* By the mapping itself, which is right whatever has become of the name; else by the name. */
static int mapping_open(pid_t pid, const struct mapping *m)
{
	char *path = mem_printf("/proc/%d/map_files/%llx-%llx", (int)pid,
				(unsigned long long)m->start, (unsigned long long)m->end);
	int fd = open_file(path, 0);

	free(path);
	if (fd >= 0)
		return fd;
	path = mem_printf("/proc/%d/root%s", (int)pid, m->path);
	fd = open_file(path, m->ino);
	free(path);
	return fd;
}

/* Where a process that is there cannot be helped (devices) the file is entered without rows. */
static void mapping_add(struct unwind *u, pid_t pid, const struct mapping *m)
{
	struct abi_unwind_file *f = entry_find(u, m->dev, m->ino);
	void *page = MAP_FAILED;
	struct cfi c = { 0 };
	int fd;

	if (!f) {
		u->unplaced++;
		return;
	}
	if (f->state == ABI_UNWIND_READY)
		return;
	fd = mapping_open(pid, m);
	if (fd >= 0)
		page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	if (page != MAP_FAILED) {
		vec_push(&u->kept, page);
		cfi_read(&c, fd);
	} else if (kill(pid, 0)) {
		goto out;
	}
	file_enter(u, f, m->dev, m->ino, &c);
	cfi_free(&c);
out:
	if (fd >= 0)
		close(fd);
}

/* "START-END PERMS OFFSET MAJ:MIN INODE  PATH" */
static bool line_read(char *line, struct mapping *m)
{
	unsigned long long start, end, ino;
	unsigned int major, minor;
	char perms[8];
	int at = 0;

	if (sscanf(line, "%llx-%llx %7s %*x %x:%x %llu %n", &start, &end, perms, &major, &minor,
		   &ino, &at) < 6)
		return false;
	line[strcspn(line, "\n")] = 0;
	*m = (struct mapping){ start, end, ino, dev_make(major, minor), line + at };
	return perms[2] == 'x' && ino;
}

/* want: of mappings to add; NULL: all. */
static void process_add(struct unwind *u, pid_t pid,
			bool (*want)(const struct unwind *u, const struct mapping *m, void *arg),
			void *arg)
{
	char path[32], *line = NULL;
	struct mapping m;
	size_t cap = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return;
	while (getline(&line, &cap, f) > 0)
		if (line_read(line, &m) && (!want || want(u, &m, arg)))
			mapping_add(u, pid, &m);
	free(line);
	fclose(f);
}

void unwind_add_process(struct unwind *u, pid_t pid)
{
	process_add(u, pid, NULL, NULL);
}

struct ahead {
	struct unwind_bounds bounds;
	struct stat program;
	bool late;
};

static bool program_stat(pid_t pid, struct stat *st)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return stat(path, st) == 0;
}

static struct abi_unwind_file *entry_of(const struct unwind *u, const struct stat *st)
{
	return entry_find(u, dev_make(major(st->st_dev), minor(st->st_dev)), st->st_ino);
}

/* At 16 bytes for a row, which is little, all of it fits into the half of the room. */
static bool is_modest(const struct unwind *u, const struct mapping *m, void *arg)
{
	uint64_t len = m->end - m->start;
	struct ahead *a = arg;

	if (a->bounds.program && m->ino != a->program.st_ino)
		return false;
	a->late |=
		a->bounds.until && (now_cpu_ns() >= a->bounds.cpu || now_ns() >= a->bounds.until);
	return !a->late && len <= a->bounds.code && u->used + len / 16 <= u->max / 2 &&
	       u->kept.n < ABI_UNWIND_FILES / 4;
}

bool unwind_add_ahead(struct unwind *u, pid_t pid, const struct unwind_bounds *b)
{
	struct ahead a = { .bounds = *b };

	if (u->used >= u->max / 2)
		return true;
	if (b->program) {
		struct abi_unwind_file *f =
			program_stat(pid, &a.program) ? entry_of(u, &a.program) : NULL;

		if (!f || f->state == ABI_UNWIND_READY)
			return true;
	}
	process_add(u, pid, is_modest, &a);
	return !a.late;
}

bool unwind_knows_program(const struct unwind *u, pid_t pid)
{
	struct abi_unwind_file *f;
	struct stat st;

	f = program_stat(pid, &st) ? entry_of(u, &st) : NULL;
	return f && f->state == ABI_UNWIND_READY;
}

/* ---- what all have ---- */

static bool is_common(const struct unwind *u, const struct mapping *m, void *arg)
{
	const char *name = strrchr(m->path, '/');

	(void)u;
	(void)arg;
	return name && (!strncmp(name, "/libc.so", 8) || !strncmp(name, "/ld-linux", 9) ||
			!strncmp(name, "/libc.musl", 10) || !strncmp(name, "/ld-musl", 8));
}

/* The page is the same in all processes: ours is looked into. */
static void vdso_add(struct unwind *u)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	struct abi_unwind_file *f = entry_find(u, 0, ABI_UNWIND_VDSO);
	struct cfi c = { 0 };
	Elf64_Ehdr h;

	if (!image || !f)
		return;
	memcpy(&h, image, sizeof(h));
	if (h.e_ident[EI_CLASS] == ELFCLASS64)
		cfi_read_memory(&c, image, h.e_shoff + (size_t)h.e_shnum * h.e_shentsize);
	file_enter(u, f, 0, ABI_UNWIND_VDSO, &c);
	cfi_free(&c);
}

void unwind_add_common(struct unwind *u)
{
	vdso_add(u);
	process_add(u, getpid(), is_common, NULL);
}

/* ---- what programs ask for ---- */

static int asked(void *arg, void *data, size_t size)
{
	struct unwind *u = arg;
	struct abi_unwind_ask a;
	struct abi_unwind_file *f;

	if (size < sizeof(a))
		return 0;
	memcpy(&a, data, sizeof(a));
	f = entry_find(u, a.dev, a.ino);
	/* All that the process has mapped: it will be met next. */
	if (f && f->state == ABI_UNWIND_FREE)
		process_add(u, (pid_t)a.pid, NULL, NULL);
	return 0;
}

void unwind_poll(struct unwind *u)
{
	ring_buffer__consume(u->asks);
}

/* ---- life ---- */

int unwind_fd(const struct unwind *u, enum unwind_map map)
{
	return u->fd[map];
}

uint64_t unwind_unplaced(const struct unwind *u)
{
	return u->unplaced;
}

static int map_make(struct unwind *u, enum unwind_map which, const char *name, uint32_t value,
		    uint32_t n, void **mem)
{
	int fd = kern_map_create(BPF_MAP_TYPE_ARRAY, name, 4, value, n, BPF_F_MMAPABLE);

	u->fd[which] = fd;
	return fd < 0 ? fd : kern_map_mmap(fd, (size_t)value * n, PROT_READ | PROT_WRITE, mem);
}

static int maps_make(struct unwind *u)
{
	void *mem;
	int err = map_make(u, UNWIND_FILES, "unwfiles", sizeof(*u->files), ABI_UNWIND_FILES, &mem);

	if (err)
		return err;
	u->files = mem;
	err = map_make(u, UNWIND_ROWS, "unwrows", sizeof(*u->rows), (uint32_t)u->max, &mem);
	if (err)
		return err;
	u->rows = mem;
	u->fd[UNWIND_ASKS] = kern_map_create(BPF_MAP_TYPE_RINGBUF, "unwasks", 0, 0, ASKS_SIZE, 0);
	if (u->fd[UNWIND_ASKS] < 0)
		return u->fd[UNWIND_ASKS];
	u->asks = ring_buffer__new(u->fd[UNWIND_ASKS], asked, u, NULL);
	return u->asks ? 0 : -errno;
}

int unwind_create(struct unwind **out, uint64_t size)
{
	struct unwind *u;
	int err;

	if (size > SIZE_LIMIT)
		return -E2BIG;
	u = mem_alloc(sizeof(*u));
	for (size_t i = 0; i < ARRAY_SIZE(u->fd); i++)
		u->fd[i] = -1;
	/* Whole pages, so that they can be mapped. */
	u->max = ROUND_UP(MAX(size, 1), (uint64_t)PAGE) / sizeof(*u->rows);
	err = maps_make(u);
	if (err) {
		unwind_destroy(u);
		return err;
	}
	*out = u;
	return 0;
}

void unwind_destroy(struct unwind *u)
{
	if (!u)
		return;
	ring_buffer__free(u->asks);
	if (u->files)
		munmap(u->files, FILES_LEN);
	if (u->rows)
		munmap(u->rows, u->max * sizeof(*u->rows));
	for (size_t i = 0; i < ARRAY_SIZE(u->fd); i++)
		kern_close(&u->fd[i]);
	for (size_t i = 0; i < u->kept.n; i++)
		munmap(u->kept.v[i], PAGE);
	vec_free(&u->kept);
	free(u);
}
