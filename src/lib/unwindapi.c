/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What user stacks are followed by: the tables of code, and who is to be read for them. They should be there before the
 * first stack. Processes of -c and -p, and what all have, are read at the start. Processes of -c are stopped when they
 * execute another program or their dynamic linker has mapped libraries, until these are read (provider/watch.h). Others
 * that run already are read while probes are armed, for as long as nobody waits for that, and from then on bit by bit.
 * Those that execute a program that is not known are read then, and again when their dynamic linker should have done its
 * work. What is met first all the same is asked for by the program that met it (sym/unwind.h).
 */
#include "lib/impl.h"

#include <stdio.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/now.h"
#include "base/vec.h"
#include "kern/kern.h"
#include "provider/watch.h"
#include "sym/images.h"
#include "sym/pids.h"
#include "sym/proc.h"

struct unwinding {
	struct unwind *tables;
	struct watch *watch;	 /* NULL: nobody tells */
	struct elf_cache *cache; /* of the dynamic linkers of -c */
	VEC(pid_t) come, again;	 /* processes with new code; those to be read once more */
	int timer;		 /* for the latter */
	VEC(pid_t) running;	 /* at the start, and not read yet; the last one is next */
	int idle;		 /* timer for these */
};

#define LINKING_NS 3000000    /* what dynamic linkers may take */
#define AHEAD_CODE (4u << 20) /* more in one file takes long to read */
#define START_CODE (1u << 20) /* the same before the first probe is armed */
#define START_NS 8000000      /* what this may take */
#define BIT_NS 2000000	      /* afterwards, every IDLE_NS */
#define IDLE_NS 4000000

static const struct unwind_bounds starting = { .code = AHEAD_CODE };

/* ---- processes that have new code ---- */

static bool is_created(const dtrace_hdl_t *dtp, pid_t pid)
{
	for (size_t i = 0; i < dtp->procs.n; i++)
		if (proc_pid(dtp->procs.v[i]) == pid)
			return proc_created(dtp->procs.v[i]);
	return false;
}

/* The dynamic linker of what a process of ours executes. */
static void linker_watch(struct unwinding *u, pid_t pid)
{
	struct elf_images im = { 0 };

	elf_images_read(u->cache, pid, &im);
	watch_libraries(u->watch, pid, &im, true);
	elf_images_free(&im);
}

static void watch_start(dtrace_hdl_t *dtp, struct unwinding *u)
{
	u->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	u->watch = u->timer < 0 ? NULL : watch_create(&dtp->probes->watches);
	if (!u->watch) {
		kern_close(&u->timer);
		return;
	}
	u->cache = elf_cache_create(false);
	watch_exec(u->watch, 0, false);
	for (size_t i = 0; i < dtp->procs.n; i++) {
		pid_t pid = proc_pid(dtp->procs.v[i]);

		if (!proc_created(dtp->procs.v[i]))
			continue;
		watch_exec(u->watch, pid, true);
		linker_watch(u, pid);
	}
}

static void come(void *arg, const struct watch_news *news)
{
	dtrace_hdl_t *dtp = arg;
	struct unwinding *u = dtp->unwinding;
	pid_t pid = (pid_t)news->pid;
	bool created = is_created(dtp, pid);

	if (pid == getpid() || (!created && unwind_knows_program(u->tables, pid)))
		return;
	if (news->kind & WATCH_EXEC && created)
		linker_watch(u, pid);
	for (size_t i = 0; i < u->come.n; i++)
		if (u->come.v[i] == pid)
			return;
	vec_push(&u->come, pid);
}

/* An exec comes as three pieces of news; what has come together is read once. */
static void code_has_come(void *arg, int fd)
{
	const struct itimerspec once = { .it_value.tv_nsec = LINKING_NS };
	dtrace_hdl_t *dtp = arg;
	struct unwinding *u = dtp->unwinding;
	size_t waiting = u->again.n;

	(void)fd;
	watch_read(u->watch, come, dtp);
	for (size_t i = 0; i < u->come.n; i++) {
		if (is_created(dtp, u->come.v[i])) {
			unwind_add_process(u->tables, u->come.v[i]);
			continue;
		}
		unwind_add_ahead(u->tables, u->come.v[i], &starting);
		vec_push(&u->again, u->come.v[i]);
	}
	u->come.n = 0;
	watch_go_on(u->watch);
	if (!waiting && u->again.n)
		timerfd_settime(u->timer, 0, &once, NULL);
}

static void code_is_linked(void *arg, int fd)
{
	struct unwinding *u = ((dtrace_hdl_t *)arg)->unwinding;
	uint64_t n;

	if (read(fd, &n, sizeof(n)) != sizeof(n))
		return;
	for (size_t i = 0; i < u->again.n; i++)
		unwind_add_ahead(u->tables, u->again.v[i], &starting);
	u->again.n = 0;
}

/* ---- processes that run ---- */

/* ns of a CPU; while others want it, or files come from a slow disk, it may last many times as long. */
static struct unwind_bounds bounds_for(uint64_t code, uint64_t ns)
{
	return (struct unwind_bounds){ .code = code,
				       .until = now_ns() + 32 * ns,
				       .cpu = now_cpu_ns() + ns };
}

static void running_go_on(void *arg, int fd)
{
	const struct unwind_bounds b = bounds_for(AHEAD_CODE, BIT_NS);
	const struct itimerspec never = { 0 };
	struct unwinding *u = ((dtrace_hdl_t *)arg)->unwinding;
	uint64_t n;

	if (read(fd, &n, sizeof(n)) != sizeof(n))
		return;
	while (u->running.n && unwind_add_ahead(u->tables, u->running.v[u->running.n - 1], &b))
		u->running.n--;
	if (!u->running.n)
		timerfd_settime(fd, 0, &never, NULL);
}

/* The youngest last: numbers begin again at the lowest one some time, and ours is the youngest. */
static void running_list(struct unwinding *u)
{
	struct pids p;
	size_t old = 0;

	pids_read(&p);
	while (old < p.v.n && p.v.v[old] < getpid())
		old++;
	for (size_t i = 0; i < p.v.n; i++) {
		pid_t pid = p.v.v[(old + i) % p.v.n];

		if (pid != getpid())
			vec_push(&u->running, pid);
	}
	pids_free(&p);
}

/* Programs first, then what they have mapped. Old ones are those that wait all the time. */
static void running_start(struct unwinding *u)
{
	struct unwind_bounds b = bounds_for(START_CODE, START_NS);
	bool time = true;

	running_list(u);
	b.program = true;
	for (int pass = 0; pass < 2; pass++, b.program = false)
		for (size_t i = u->running.n; i-- > 0 && time;)
			time = unwind_add_ahead(u->tables, u->running.v[i], &b);
}

static int running_watch(dtrace_hdl_t *dtp, struct unwinding *u)
{
	const struct itimerspec often = { .it_value.tv_nsec = IDLE_NS,
					  .it_interval.tv_nsec = IDLE_NS };

	if (!u->running.n)
		return 0;
	u->idle = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (u->idle < 0 || timerfd_settime(u->idle, 0, &often, NULL))
		return 0;
	return consumer_add_fd(dtp->consumer, u->idle, running_go_on, dtp);
}

static void running_unwatch(dtrace_hdl_t *dtp, struct unwinding *u)
{
	if (u->idle >= 0 && dtp->consumer)
		consumer_del_fd(dtp->consumer, u->idle);
	kern_close(&u->idle);
}

/* ---- life ---- */

int unwindapi_fd(const dtrace_hdl_t *dtp, enum unwind_map map)
{
	return dtp->unwinding ? unwind_fd(dtp->unwinding->tables, map) : -1;
}

bool unwindapi_start(dtrace_hdl_t *dtp)
{
	struct unwinding *u;

	if (dtp->unwinding)
		return true;
	u = mem_alloc(sizeof(*u));
	/* Where memory is short, half of it, as for buffers. */
	while (unwind_create(&u->tables, (uint64_t)dtp->opt[OPT_UNWINDSIZE])) {
		dtp->opt[OPT_UNWINDSIZE] /= 2;
		if (dtp->opt[OPT_UNWINDSIZE] <= 0) {
			free(u);
			return false;
		}
	}
	u->idle = -1;
	dtp->unwinding = u;
	unwind_add_common(u->tables);
	watch_start(dtp, u);
	for (size_t i = 0; i < dtp->procs.n; i++)
		unwind_add_process(u->tables, proc_pid(dtp->procs.v[i]));
	running_start(u);
	return true;
}

static void code_is_asked_for(void *arg, int fd)
{
	(void)fd;
	unwind_poll(((dtrace_hdl_t *)arg)->unwinding->tables);
}

int unwindapi_watch(dtrace_hdl_t *dtp)
{
	struct unwinding *u = dtp->unwinding;
	int rc;

	if (!u)
		return 0;
	rc = consumer_add_fd(dtp->consumer, unwind_fd(u->tables, UNWIND_ASKS), code_is_asked_for,
			     dtp);
	if (!rc && u->watch)
		rc = consumer_add_fd(dtp->consumer, watch_fd(u->watch), code_has_come, dtp);
	if (!rc && u->watch)
		rc = consumer_add_fd(dtp->consumer, u->timer, code_is_linked, dtp);
	return rc ? rc : running_watch(dtp, u);
}

void unwindapi_unwatch(dtrace_hdl_t *dtp)
{
	struct unwinding *u = dtp->unwinding;

	if (!u)
		return;
	running_unwatch(dtp, u);
	if (!u->watch)
		return;
	if (dtp->consumer) {
		consumer_del_fd(dtp->consumer, watch_fd(u->watch));
		consumer_del_fd(dtp->consumer, u->timer);
	}
	kern_close(&u->timer);
	watch_destroy(u->watch);
	u->watch = NULL;
}

void unwindapi_report(dtrace_hdl_t *dtp)
{
	uint64_t n = dtp->unwinding ? unwind_unplaced(dtp->unwinding->tables) : 0;
	char text[128];

	if (!n)
		return;
	snprintf(text, sizeof(text),
		 "%llu file%s found no room for unwinding (unwindsize): stacks may be cut there",
		 (unsigned long long)n, n > 1 ? "s" : "");
	work_message(dtp, text);
}

void unwindapi_close(dtrace_hdl_t *dtp)
{
	struct unwinding *u = dtp->unwinding;

	if (!u)
		return;
	unwindapi_unwatch(dtp);
	elf_cache_destroy(u->cache);
	unwind_destroy(u->tables);
	vec_free(&u->come);
	vec_free(&u->again);
	vec_free(&u->running);
	free(u);
	dtp->unwinding = NULL;
}
