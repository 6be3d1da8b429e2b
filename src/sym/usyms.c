/* SPDX-License-Identifier: BSD-2-Clause */
/* User addresses: process -> program -> mapping -> file -> function. */
#include "sym/usyms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "sym/demangle.h"
#include "sym/object.h"
#include "sym/perfmap.h"
#include "sym/pids.h"
#include "sym/track.h"

/* Processes that have ended and that nobody asked for, kept for the records under way. */
#define ENDED_MAX 16384

struct mapping {
	uint64_t start, end, offset;
	struct object *obj; /* NULL: anonymous */
};

/* Shared by processes between a fork and the next change. */
struct space {
	unsigned int refs;
	VEC(struct mapping) v; /* by address, not overlapping */
};

struct program { /* of a process, one for each exec that was seen */
	struct space *space;
	uint32_t exec_id;
	bool has_id;
};

struct proc {
	uint32_t pid;
	VEC(struct program) programs;
	bool ended, noted;
	uint64_t lost; /* news lost when its mappings were last read */
	struct perfmap *jit;
};

struct usyms {
	struct track *track;
	struct objects *objects;
	struct hmap *procs;  /* pid -> struct proc */
	VEC(uint32_t) ended; /* pids, oldest first */
	size_t ended_first;
	struct demangler *demangler; /* NULL: names are shown as they are */
};

/* ---- spaces ---- */

static struct space *space_new(void)
{
	struct space *s = mem_alloc(sizeof(*s));

	s->refs = 1;
	return s;
}

static void space_put(struct space *s)
{
	if (!s || --s->refs)
		return;
	vec_free(&s->v);
	free(s);
}

/* One that may be changed, in place of a shared one. */
static struct space *space_own(struct space **s)
{
	struct space *copy;

	if ((*s)->refs == 1)
		return *s;
	copy = space_new();
	vec_reserve(&copy->v, (*s)->v.n);
	if ((*s)->v.n)
		memcpy(copy->v.v, (*s)->v.v, (*s)->v.n * sizeof(*copy->v.v));
	copy->v.n = (*s)->v.n;
	space_put(*s);
	*s = copy;
	return copy;
}

/* The first mapping that ends behind addr. */
static size_t space_at(const struct space *s, uint64_t addr)
{
	size_t low = 0, high = s->v.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->v.v[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void space_insert(struct space *s, size_t i, struct mapping m)
{
	vec_add(&s->v);
	memmove(&s->v.v[i + 1], &s->v.v[i], (s->v.n - 1 - i) * sizeof(m));
	s->v.v[i] = m;
}

/* A new mapping takes the place of what was there. */
static void space_map(struct space *s, struct mapping m)
{
	size_t i = space_at(s, m.start), k;

	if (m.end <= m.start)
		return;
	if (i < s->v.n && s->v.v[i].start < m.start) { /* its front stays, perhaps its end, too */
		struct mapping tail = s->v.v[i];

		s->v.v[i++].end = m.start;
		if (tail.end > m.end) {
			tail.offset += m.end - tail.start;
			tail.start = m.end;
			space_insert(s, i, tail);
		}
	}
	for (k = i; k < s->v.n && s->v.v[k].end <= m.end; k++)
		;
	if (k > i) {
		memmove(&s->v.v[i], &s->v.v[k], (s->v.n - k) * sizeof(m));
		s->v.n -= k - i;
	}
	if (i < s->v.n && s->v.v[i].start < m.end) {
		s->v.v[i].offset += m.end - s->v.v[i].start;
		s->v.v[i].start = m.end;
	}
	space_insert(s, i, m);
}

/* ---- processes ---- */

static struct proc *proc_get(const struct usyms *u, uint32_t pid)
{
	return hmap_get_u64(u->procs, pid);
}

static void programs_free(struct proc *p)
{
	for (size_t i = 0; i < p->programs.n; i++)
		space_put(p->programs.v[i].space);
	vec_free(&p->programs);
	perfmap_destroy(p->jit);
	p->jit = NULL;
}

/* Takes over the reference of the space. A pid that is used again forgets what it was. */
static struct proc *proc_new(struct usyms *u, uint32_t pid, struct space *space)
{
	struct proc *p = proc_get(u, pid);
	struct program *g;

	if (!p) {
		p = mem_alloc(sizeof(*p));
		hmap_put_u64(u->procs, pid, p);
	}
	programs_free(p);
	*p = (struct proc){ .pid = pid };
	g = vec_add(&p->programs);
	g->space = space;
	return p;
}

static struct program *proc_now(struct proc *p)
{
	return &p->programs.v[p->programs.n - 1];
}

/* "START-END PERMS OFFSET MAJ:MIN INODE  PATH": only what can be executed. */
static void line_map(struct usyms *u, struct space *s, uint32_t pid, char *line)
{
	unsigned long long start, end, offset, ino;
	unsigned int maj, min;
	char perms[8];
	int at = 0;
	size_t n;

	if (sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %n", &start, &end, perms, &offset, &maj,
		   &min, &ino, &at) < 7 ||
	    perms[2] != 'x')
		return;
	n = strlen(line);
	if (n && line[n - 1] == '\n')
		line[--n] = 0;
	if (n > 10 && !strcmp(line + n - 10, " (deleted)"))
		line[n - 10] = 0;
	const struct object_mapped m = { line + at, ino, start, end, (pid_t)pid };

	space_map(s, (struct mapping){ start, end, offset, object_get(u->objects, &m) });
}

/* NULL: it is gone, or a thread of the kernel. */
static struct space *space_read(struct usyms *u, uint32_t pid)
{
	char path[32], *line = NULL;
	struct space *s;
	size_t cap = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return NULL;
	s = space_new();
	while (getline(&line, &cap, f) > 0)
		line_map(u, s, pid, line);
	free(line);
	fclose(f);
	if (s->v.n)
		return s;
	space_put(s);
	return NULL;
}

static struct proc *proc_read(struct usyms *u, uint32_t pid)
{
	struct space *s = space_read(u, pid);

	return s ? proc_new(u, pid, s) : NULL;
}

static void all_read(struct usyms *u)
{
	struct pids p;

	pids_read(&p);
	for (size_t i = 0; i < p.v.n; i++)
		proc_read(u, (uint32_t)p.v.v[i]);
	pids_free(&p);
}

/* ---- news ---- */

static void news_fork(struct usyms *u, const struct track_event *e)
{
	struct proc *parent = proc_get(u, e->parent);
	struct space *s = NULL;

	if (!parent)
		parent = proc_read(u, e->parent);
	if (parent) {
		s = proc_now(parent)->space;
		s->refs++;
	}
	proc_new(u, e->pid, s ? s : space_new());
}

static void news_exec(struct usyms *u, const struct track_event *e)
{
	struct proc *p = proc_get(u, e->pid);
	struct program *g;

	if (!p) {
		proc_new(u, e->pid, space_new());
		return;
	}
	g = vec_add(&p->programs);
	g->space = space_new();
}

static void news_mmap(struct usyms *u, const struct track_event *e)
{
	const struct object_mapped m = { e->path, e->ino, e->start, e->start + e->len, (pid_t)e->pid };
	struct proc *p = proc_get(u, e->pid);

	if (!p) /* it has more mappings than this one */
		p = proc_read(u, e->pid);
	if (!p)
		p = proc_new(u, e->pid, space_new());
	space_map(space_own(&proc_now(p)->space),
		  (struct mapping){ m.start, m.end, e->offset, object_get(u->objects, &m) });
}

static void proc_drop(struct usyms *u, uint32_t pid)
{
	struct proc *p = proc_get(u, pid);

	if (!p || !p->ended || p->noted)
		return;
	programs_free(p);
	proc_new(u, pid, space_new())->ended = true;
}

static void news_exit(struct usyms *u, const struct track_event *e)
{
	struct proc *p = proc_get(u, e->pid);

	if (!p)
		return;
	p->ended = true;
	vec_push(&u->ended, e->pid);
	if (u->ended.n - u->ended_first <= ENDED_MAX)
		return;
	proc_drop(u, u->ended.v[u->ended_first++]);
	if (u->ended_first < ENDED_MAX)
		return;
	u->ended.n -= u->ended_first;
	memmove(u->ended.v, u->ended.v + u->ended_first, u->ended.n * sizeof(*u->ended.v));
	u->ended_first = 0;
}

static void news(void *arg, const struct track_event *e)
{
	struct usyms *u = arg;
	struct proc *p;

	switch (e->kind) {
	case TRACK_FORK: news_fork(u, e); break;
	case TRACK_EXEC: news_exec(u, e); break;
	case TRACK_MMAP: news_mmap(u, e); break;
	case TRACK_EXIT: news_exit(u, e); break;
	case TRACK_EXEC_ID:
		p = proc_get(u, e->pid);
		if (p) {
			proc_now(p)->exec_id = e->exec_id;
			proc_now(p)->has_id = true;
		}
		break;
	}
}

void usyms_poll(struct usyms *u)
{
	if (u->track)
		track_drain(u->track, news, u);
}

uint64_t usyms_lost(const struct usyms *u)
{
	return u->track ? track_lost(u->track) : 0;
}

size_t usyms_nfds(const struct usyms *u)
{
	return u->track ? track_nfds(u->track) : 0;
}

int usyms_fd(const struct usyms *u, size_t i)
{
	return track_fd(u->track, i);
}

/* ---- life ---- */

struct usyms *usyms_create(bool track, bool demangle)
{
	struct usyms *u = mem_alloc(sizeof(*u));

	u->objects = objects_create();
	u->procs = hmap_create();
	u->demangler = demangle ? demangler_create() : NULL;
	/* First the news, then what is there: nothing falls between. */
	if (track && !track_open(&u->track))
		all_read(u);
	return u;
}

static int proc_free(const void *key, size_t n, void *value, void *arg)
{
	struct proc *p = value;

	(void)key;
	(void)n;
	(void)arg;
	programs_free(p);
	free(p);
	return 0;
}

void usyms_destroy(struct usyms *u)
{
	if (!u)
		return;
	track_close(u->track);
	hmap_each(u->procs, proc_free, NULL);
	hmap_destroy(u->procs);
	objects_destroy(u->objects);
	demangler_destroy(u->demangler);
	vec_free(&u->ended);
	free(u);
}

/* ---- looking up ---- */

/*
 * The program that bears this number; one from before the first exec that was seen bears an
 * unknown one.
 */
static const struct program *program_of(struct proc *p, uint32_t exec_id)
{
	if (!exec_id)
		return proc_now(p);
	for (size_t i = p->programs.n; i-- > 0;)
		if (p->programs.v[i].has_id && p->programs.v[i].exec_id == exec_id)
			return &p->programs.v[i];
	for (size_t i = 0; i < p->programs.n; i++)
		if (!p->programs.v[i].has_id)
			return &p->programs.v[i];
	return proc_now(p);
}

static const struct mapping *mapping_of(const struct program *g, uint64_t addr)
{
	size_t i = space_at(g->space, addr);

	return i < g->space->v.n && g->space->v.v[i].start <= addr ? &g->space->v.v[i] : NULL;
}

/* Where news were lost /proc may still tell, once for each loss. */
static bool reread(struct usyms *u, struct proc *p)
{
	uint64_t lost = usyms_lost(u);
	struct space *s;

	if (p->ended || p->lost == lost)
		return false;
	p->lost = lost;
	s = space_read(u, p->pid);
	if (!s)
		return false;
	space_put(proc_now(p)->space);
	proc_now(p)->space = s;
	return true;
}

static const struct mapping *mapping_find(struct usyms *u, uint64_t process, uint64_t addr,
					  struct proc **proc, const struct program **program)
{
	uint32_t pid = (uint32_t)process;
	const struct mapping *m;
	struct proc *p;

	if (u->track && track_pending(u->track))
		usyms_poll(u);
	p = proc_get(u, pid);
	/*
	 * Without news it may have mapped more since; so may one that mapped before it was known.
	 */
	if (!u->track || !p) {
		struct space *s = space_read(u, pid);

		if (s)
			p = proc_new(u, pid, s);
	}
	if (!p)
		return NULL;
	p->noted = true;
	*proc = p;
	*program = program_of(p, (uint32_t)(process >> 32));
	m = mapping_of(*program, addr);
	if (!m && *program == proc_now(p) && reread(u, p))
		m = mapping_of(*program, addr);
	return m;
}

static int find_jit(struct proc *p, const struct mapping *m, uint64_t addr, struct usym *out)
{
	if (!p->jit)
		p->jit = perfmap_create((pid_t)p->pid);
	out->object = perfmap_name(p->jit);
	out->function = perfmap_find(p->jit, addr, &out->start);
	out->address = addr - m->start;
	return out->function ? 0 : -ENOENT;
}

/* Where the object's first mapping in this program begins. */
static uint64_t object_start(const struct program *g, const struct object *obj)
{
	for (size_t i = 0; i < g->space->v.n; i++)
		if (g->space->v.v[i].obj == obj)
			return g->space->v.v[i].start;
	return 0;
}

int usyms_find(struct usyms *u, uint64_t process, uint64_t addr, struct usym *out)
{
	const struct program *g = NULL;
	const struct elfsyms *syms;
	struct elfsym s;
	struct proc *p = NULL;
	const struct mapping *m = mapping_find(u, process, addr, &p, &g);

	*out = (struct usym){ 0 };
	if (!m)
		return -ENOENT;
	if (!m->obj)
		return find_jit(p, m, addr, out);
	out->object = object_name(m->obj);
	out->start = object_start(g, m->obj);
	out->address = addr - m->start + m->offset;
	syms = object_symbols(m->obj);
	if (!syms)
		return 0;
	out->address = elfsyms_address(syms, out->address);
	if (elfsyms_find(syms, out->address, &s))
		return 0;
	out->start = addr - (out->address - s.addr);
	out->function = u->demangler ? demangle(u->demangler, s.name) : s.name;
	return 0;
}

void usyms_note(struct usyms *u, uint64_t process)
{
	struct proc *p;

	if (u->track && track_pending(u->track))
		usyms_poll(u);
	p = proc_get(u, (uint32_t)process);
	if (!p)
		p = proc_read(u, (uint32_t)process);
	if (p)
		p->noted = true;
}
