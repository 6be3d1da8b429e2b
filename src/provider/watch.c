/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * News of processes (provider/watch.h).
 *
 * The dynamic linker calls the empty function _dl_debug_state() before it maps libraries and when it has mapped them,
 * before their initialisers run; _r_debug.r_state tells which, 0 being the latter. A process that we created is stopped
 * there by SIGSTOP from the program: it stops before the linker's next instruction and nobody but us, its parent, can
 * see it. Others are not stopped (a shell would take it for its own doing): calls within the first
 * milliseconds after dlopen() may pass unseen. The same holds for exec, whose tracepoint comes before the new program's
 * first instruction.
 */
#include "provider/watch.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/vec.h"
#include "kern/insns.h"
#include "kern/kern.h"
#include "sym/guard.h"

#define R_STATE 24 /* offset of r_state in struct r_debug */

/* The dynamic linker of one process: it has another one when it executes a program. */
struct linker {
	pid_t pid;
	int prog, link;
};

struct watches {
	VEC(struct watch *) v;
	VEC(struct guard *) guards; /* of all that are ever stopped */
};

struct watch {
	struct watches **all;
	int ring;
	size_t page, size;
	uint64_t *taken;	/* up to where we have read */
	const uint64_t *given;	/* up to where there is something; data follow in the next page */
	int lost_map;
	uint64_t *lost; /* news that found no room */
	int poke;	/* a program that can be run to give one, -1: none */
	VEC(int) fds;		/* programs and links */
	VEC(struct linker) linkers;
	VEC(pid_t) stopped;	/* told of, to go on */
};

/* ---- programs ---------------------------------------------------------------------------------------- */

/* The process is in r6. From the stack, where the parent is put before by who has one. */
#define AT_NEWS (-16)
#define AT_PARENT (AT_NEWS + (int)offsetof(struct watch_news, parent))

static void put_record(struct insns *c, int reg, int at, uint32_t kind)
{
	insns_put(c, STORE(BPF_W, reg, at, BPF_REG_6));
	insns_put(c, STOREI(BPF_W, reg, at + 4, kind));
	if (!(kind & WATCH_FORK))
		insns_put(c, STOREI(BPF_W, reg, at + (int)offsetof(struct watch_news, parent), 0));
}

/* r0 = 0: there was room. */
static void put_told(struct insns *c, const struct watch *w, uint32_t kind)
{
	put_record(c, BPF_REG_10, AT_NEWS, kind);
	insns_put_imm64(c, BPF_REG_1, BPF_PSEUDO_MAP_FD, w->ring);
	insns_put(c, MOV(BPF_REG_2, BPF_REG_10));
	insns_put(c, ADDI(BPF_REG_2, AT_NEWS));
	insns_put(c, MOVI(BPF_REG_3, sizeof(struct watch_news)));
	insns_put(c, MOVI(BPF_REG_4, 0));
	insns_put(c, CALL(BPF_FUNC_ringbuf_output));
}

/*
 * Stops the process before its next instruction, if there is room to tell so. It is told when the signal has been sent:
 * SIGCONT, which comes after that, would not find it otherwise.
 */
static void put_stopped(struct insns *c, const struct watch *w, uint32_t kind)
{
	uint32_t full, done;

	insns_put_imm64(c, BPF_REG_1, BPF_PSEUDO_MAP_FD, w->ring);
	insns_put(c, MOVI(BPF_REG_2, sizeof(struct watch_news)));
	insns_put(c, MOVI(BPF_REG_3, 0));
	insns_put(c, CALL(BPF_FUNC_ringbuf_reserve));
	full = insns_jump_if(c, BPF_JEQ, BPF_REG_0, 0);
	insns_put(c, MOV(BPF_REG_9, BPF_REG_0));
	put_record(c, BPF_REG_9, 0, kind);
	insns_put(c, MOVI(BPF_REG_1, SIGSTOP));
	insns_put(c, CALL(BPF_FUNC_send_signal));
	insns_put(c, MOV(BPF_REG_1, BPF_REG_9));
	insns_put(c, MOVI(BPF_REG_2, 0));
	insns_put(c, CALL(BPF_FUNC_ringbuf_submit));
	insns_put(c, MOVI(BPF_REG_0, 0));
	done = insns_jump_if(c, BPF_JA, 0, 0);
	insns_land(c, full);
	insns_put(c, MOVI(BPF_REG_0, 1));
	insns_land(c, done);
}

static void put_news(struct insns *c, const struct watch *w, uint32_t kind)
{
	uint32_t told;

	if (kind & WATCH_STOPPED)
		put_stopped(c, w, kind);
	else
		put_told(c, w, kind);
	told = insns_jump_if(c, BPF_JEQ, BPF_REG_0, 0);
	insns_put_imm64(c, BPF_REG_1, BPF_PSEUDO_MAP_VALUE, w->lost_map);
	insns_put(c, MOVI(BPF_REG_2, 1));
	insns_put(c, INSN(BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_1, BPF_REG_2, 0, BPF_ADD));
	insns_land(c, told);
}

static int load_libraries(const struct watch *w, pid_t pid, uint64_t state, bool multi, bool stop)
{
	struct insns c = {.n = 0};
	uint32_t other, early;

	insns_put_process(&c, BPF_REG_6);
	other = insns_jump_if(&c, BPF_JNE, BPF_REG_6, pid);
	insns_put(&c, STOREI(BPF_DW, BPF_REG_10, -8, 0));
	insns_put(&c, MOV(BPF_REG_1, BPF_REG_10));
	insns_put(&c, ADDI(BPF_REG_1, -8));
	insns_put(&c, MOVI(BPF_REG_2, 4));
	insns_put_imm64(&c, BPF_REG_3, 0, state);
	insns_put(&c, CALL(BPF_FUNC_probe_read_user));
	insns_put(&c, LOAD(BPF_W, BPF_REG_1, BPF_REG_10, -8));
	early = insns_jump_if(&c, BPF_JNE, BPF_REG_1, 0);
	put_news(&c, w, stop ? WATCH_STOPPED : 0);
	insns_land(&c, other);
	insns_land(&c, early);
	return insns_load(&c, BPF_PROG_TYPE_KPROBE, multi ? KERN_UPROBE_MULTI : 0, "libraries");
}

/* Any process; before and after it maps. */
static int load_all_libraries(const struct watch *w, bool multi)
{
	struct insns c = {.n = 0};

	insns_put_process(&c, BPF_REG_6);
	put_news(&c, w, 0);
	return insns_load(&c, BPF_PROG_TYPE_KPROBE, multi ? KERN_UPROBE_MULTI : 0, "all_libraries");
}

static int load_exec(const struct watch *w, pid_t pid, bool stop)
{
	struct insns c = {.n = 0};
	uint32_t other;

	insns_put_process(&c, BPF_REG_6);
	other = pid ? insns_jump_if(&c, BPF_JNE, BPF_REG_6, pid) : 0;
	put_news(&c, w, stop ? WATCH_EXEC | WATCH_STOPPED : WATCH_EXEC);
	if (pid)
		insns_land(&c, other);
	return insns_load(&c, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, "exec");
}

/* The tracepoint comes in the parent, before the child runs: its second argument is the child. */
static int load_fork(const struct watch *w)
{
	int tgid = kern_btf_member_offset("task_struct", "tgid"),
	    pid = kern_btf_member_offset("task_struct", "pid");
	struct insns c = {.n = 0};
	uint32_t thread;

	if (tgid < 0 || pid < 0)
		return -ENOENT;
	insns_put(&c, LOAD(BPF_DW, BPF_REG_7, BPF_REG_1, 8));
	insns_put_process(&c, BPF_REG_6);
	insns_put(&c, STORE(BPF_W, BPF_REG_10, AT_PARENT, BPF_REG_6));
	insns_put_read(&c, BPF_REG_7, tgid, 4, AT_NEWS);
	insns_put_read(&c, BPF_REG_7, pid, 4, AT_NEWS + 4);
	insns_put(&c, LOAD(BPF_W, BPF_REG_6, BPF_REG_10, AT_NEWS));
	insns_put(&c, LOAD(BPF_W, BPF_REG_8, BPF_REG_10, AT_NEWS + 4));
	thread = insns_jump_if_reg(&c, BPF_JNE, BPF_REG_6, BPF_REG_8);
	insns_put_process_of(&c, BPF_REG_6, BPF_REG_7);
	put_news(&c, w, WATCH_FORK);
	insns_land(&c, thread);
	return insns_load(&c, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, "fork");
}

/* ---- watching ---------------------------------------------------------------------------------------- */

/* The data are mapped twice, one behind the other: nothing in them is ever broken at the end. */
static bool map_areas(struct watch *w)
{
	void *taken = mmap(NULL, w->page, PROT_READ | PROT_WRITE, MAP_SHARED, w->ring, 0);
	void *given = mmap(NULL, w->page + 2 * w->size, PROT_READ, MAP_SHARED, w->ring, w->page);

	w->taken = taken == MAP_FAILED ? NULL : taken;
	w->given = given == MAP_FAILED ? NULL : given;
	return w->taken && w->given;
}

static void watch_free(struct watch *w)
{
	if (w->taken)
		munmap(w->taken, w->page);
	if (w->given)
		munmap((void *)w->given, w->page + 2 * w->size);
	kern_close(&w->ring);
	kern_area_destroy(&w->lost_map, w->lost, sizeof(*w->lost));
	free(w);
}

static void enlist(struct watch *w, struct watches **all)
{
	if (!*all)
		*all = mem_alloc(sizeof(**all));
	w->all = all;
	vec_push(&(*all)->v, w);
}

static void delist(struct watch *w)
{
	struct watches *all = *w->all;
	size_t n = 0;

	for (size_t i = 0; i < all->v.n; i++)
		if (all->v.v[i] != w)
			all->v.v[n++] = all->v.v[i];
	all->v.n = n;
}

static void watches_free(struct watches **all)
{
	if ((*all)->v.n)
		return;
	for (size_t i = 0; i < (*all)->guards.n; i++)
		guard_destroy((*all)->guards.v[i]);
	vec_free(&(*all)->guards);
	vec_free(&(*all)->v);
	free(*all);
	*all = NULL;
}

struct watch *watch_create(struct watches **all)
{
	struct watch *w = mem_alloc(sizeof(*w));
	void *lost;

	w->page = sysconf(_SC_PAGESIZE);
	w->size = 16 * w->page;
	w->poke = -1;
	w->ring = kern_map_create(BPF_MAP_TYPE_RINGBUF, "news", 0, 0, w->size, 0);
	w->lost_map = kern_area_create("news_lost", sizeof(*w->lost), &lost);
	w->lost = lost;
	if (w->ring >= 0 && w->lost && map_areas(w)) {
		enlist(w, all);
		return w;
	}
	watch_free(w);
	return NULL;
}

static void ignore(void *arg, const struct watch_news *news)
{
	(void)arg;
	(void)news;
}

static void linker_close(struct linker *l)
{
	kern_close(&l->link);
	kern_close(&l->prog);
}

void watch_destroy(struct watch *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->fds.n; i++)
		close(w->fds.v[i]);
	vec_free(&w->fds);
	for (size_t i = 0; i < w->linkers.n; i++)
		linker_close(&w->linkers.v[i]);
	vec_free(&w->linkers);
	delist(w);
	watch_read(w, ignore, NULL);
	watch_go_on(w);
	watches_free(w->all);
	vec_free(&w->stopped);
	watch_free(w);
}

int watch_fd(const struct watch *w)
{
	return w->ring;
}

static int keep(struct watch *w, int fd)
{
	if (fd >= 0)
		vec_push(&w->fds, fd);
	return fd;
}

/* Gives the link. */
static int attach(int prog, pid_t pid, const struct elf_file *linker, uint64_t func)
{
	struct kern_uprobe u = {0};
	char path[40];

	if (prog < 0)
		return prog;
	if (!elf_file_offset(linker, func, &u.offset))
		return -ENOENT;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", linker->fd);
	return kern_feature(KERN_FEATURE_UPROBE_MULTI)
		       ? kern_uprobe_multi_link(prog, path, pid, false, &u, 1)
		       : kern_uprobe_perf_link(prog, path, false, &u);
}

static struct linker *linker_get(struct watch *w, pid_t pid)
{
	struct linker *l;

	for (size_t i = 0; i < w->linkers.n; i++)
		if (w->linkers.v[i].pid == pid)
			return &w->linkers.v[i];
	l = vec_add(&w->linkers);
	l->pid = pid;
	l->prog = l->link = -1;
	return l;
}

/* The process has a guard from now on. */
static bool may_stop(struct watch *w, pid_t pid)
{
	struct watches *all = *w->all;
	struct guard *g;

	if (!kern_feature(KERN_FEATURE_SEND_SIGNAL))
		return false;
	for (size_t i = 0; i < all->guards.n; i++)
		if (guard_pid(all->guards.v[i]) == pid)
			return true;
	g = guard_create(pid);
	if (g)
		vec_push(&all->guards, g);
	return true;
}

int watch_libraries(struct watch *w, pid_t pid, const struct elf_images *im, bool stop)
{
	struct linker *l = linker_get(w, pid);

	linker_close(l);
	for (size_t i = 0; i < im->v.n; i++) {
		struct elf_file *f = im->v.v[i].file;
		const struct elf_func *fn = im->v.v[i].exe ? NULL : elf_file_func(f, "_dl_debug_state");
		uint64_t debug = fn ? elf_file_symbol(f, "_r_debug") : 0;

		if (!debug)
			continue;
		l->prog = load_libraries(w, pid, debug + im->v.v[i].bias + R_STATE,
					 kern_feature(KERN_FEATURE_UPROBE_MULTI),
					 stop && may_stop(w, pid));
		l->link = attach(l->prog, pid, f, fn->addr);
		return l->link < 0 ? l->link : 0;
	}
	return -ENOENT;
}

int watch_all_libraries(struct watch *w)
{
	struct elf_file *f;
	const struct elf_func *fn;
	int err = elf_file_open(&f, "/lib64/ld-linux-x86-64.so.2");

	if (err)
		return err;
	fn = elf_file_func(f, "_dl_debug_state");
	err = fn ? keep(w, load_all_libraries(w, kern_feature(KERN_FEATURE_UPROBE_MULTI)))
		 : -ENOENT;
	if (err >= 0)
		err = keep(w, attach(err, 0, f, fn->addr));
	elf_file_close(f);
	return err < 0 ? err : 0;
}

int watch_exec(struct watch *w, pid_t pid, bool stop)
{
	int prog = keep(w, load_exec(w, pid, stop && may_stop(w, pid))), link;

	if (prog < 0)
		return prog;
	if (!stop)
		w->poke = prog;
	link = keep(w, kern_raw_tp_attach(prog, "sched_process_exec"));
	return link < 0 ? link : 0;
}

int watch_fork(struct watch *w)
{
	int prog = keep(w, load_fork(w)), link;

	if (prog < 0)
		return prog;
	link = keep(w, kern_raw_tp_attach(prog, "sched_process_fork"));
	return link < 0 ? link : 0;
}

/* ---- news -------------------------------------------------------------------------------------------- */

#define RING_BUSY (1u << 31) /* of a record's header: still being written */
#define RING_VOID (1u << 30)

enum got { GOT_NONE, GOT_BUSY, GOT_NEWS, GOT_VOID };

/* What is at *at, which moves behind it unless it is nothing or still busy. */
static enum got news_get(const struct watch *w, uint64_t *at, struct watch_news *news)
{
	const uint8_t *data = (const uint8_t *)w->given + w->page;
	const uint32_t *header = (const uint32_t *)(data + (*at & (w->size - 1)));
	uint32_t len;

	/* The producer's store of `given` comes after the header's; the header's end of BUSY after the data. */
	if (*at >= __atomic_load_n(w->given, __ATOMIC_ACQUIRE))
		return GOT_NONE;
	len = __atomic_load_n(header, __ATOMIC_ACQUIRE);
	if (len & RING_BUSY)
		return GOT_BUSY;
	*at += ROUND_UP((len & ~RING_VOID) + BPF_RINGBUF_HDR_SZ, 8);
	if (len & RING_VOID || len < sizeof(*news))
		return GOT_VOID;
	memcpy(news, header + 2, sizeof(*news));
	return GOT_NEWS;
}

void watch_read(struct watch *w, void (*f)(void *arg, const struct watch_news *news), void *arg)
{
	struct watch_news news;
	uint64_t at = *w->taken;
	enum got got;

	while ((got = news_get(w, &at, &news)) >= GOT_NEWS) {
		if (got == GOT_NEWS && news.kind & WATCH_STOPPED)
			vec_push(&w->stopped, (pid_t)news.pid);
		if (got == GOT_NEWS)
			f(arg, &news);
		__atomic_store_n(w->taken, at, __ATOMIC_RELEASE);
	}
}

bool watch_lost(struct watch *w)
{
	return __atomic_exchange_n(w->lost, 0, __ATOMIC_ACQ_REL) != 0;
}

void watch_poke(struct watch *w)
{
	const uint64_t context[3] = {0};

	if (w->poke >= 0)
		kern_prog_test_run(w->poke, context, sizeof(context), -1, NULL);
}

/* Has it news of a process that it has stopped, or may it be about to have them? */
static bool awaits(const struct watch *w, pid_t pid)
{
	struct watch_news news;
	uint64_t at = *w->taken;
	enum got got;

	while ((got = news_get(w, &at, &news)) >= GOT_NEWS)
		if (got == GOT_NEWS && news.kind & WATCH_STOPPED && (pid_t)news.pid == pid)
			return true;
	return got == GOT_BUSY;
}

/*
 * One stop may be for several watches: whoever reads its news last lets the process go on. What is busy in a ring comes
 * out soon, so who is asked to do it will.
 */
static bool handed_on(const struct watch *w, pid_t pid)
{
	for (size_t i = 0; i < (*w->all)->v.n; i++) {
		struct watch *other = (*w->all)->v.v[i];

		if (other == w || !awaits(other, pid))
			continue;
		vec_push(&other->stopped, pid);
		return true;
	}
	return false;
}

void watch_go_on(struct watch *w)
{
	for (size_t i = 0; i < w->stopped.n; i++)
		if (!handed_on(w, w->stopped.v[i]))
			kill(w->stopped.v[i], SIGCONT);
	w->stopped.n = 0;
}
