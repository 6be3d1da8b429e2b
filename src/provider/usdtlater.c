/* SPDX-License-Identifier: BSD-2-Clause */
/* Static probes of processes that come while tracing (provider/usdt.h). */
#include "provider/usdt.h"

#include <unistd.h>

/* The dynamic linker of what a process of ours executes. */
static void watch_linker(struct usdt_data *ud, pid_t pid)
{
	struct elf_images im = { 0 };

	elf_images_read(ud->all, pid, &im);
	watch_libraries(ud->watch, pid, &im, true);
	elf_images_free(&im);
}

int usdt_watch(struct probes *t, struct provider *p)
{
	struct usdt_data *ud = p->data;

	if (!ud || !ud->open.n)
		return -1;
	ud->watch = watch_create(&t->watches);
	if (!ud->watch)
		return -1;
	if (ud->any) {
		watch_exec(ud->watch, 0, false);
		watch_fork(ud->watch);
		watch_all_libraries(ud->watch);
		/* Whoever came between the look at all processes and now. */
		ud->rescan = true;
		watch_poke(ud->watch);
	}
	for (size_t i = 0; i < ud->processes.n; i++) {
		struct process *pr = ud->processes.v[i];

		pr->created |= t->look && t->look(t->look_arg, pr->pid);
		if (!pr->created)
			continue;
		watch_exec(ud->watch, pr->pid, true);
		watch_linker(ud, pr->pid);
	}
	return watch_fd(ud->watch);
}

struct refreshing {
	struct probes *t;
	struct provider *p;
};

/* A fork has the files of its parent; if those have no probes that were asked for, it is of no interest. */
static bool forks_probes(const struct usdt_data *ud, pid_t parent)
{
	const struct process *pr = hmap_get_u64(ud->by_pid, parent);

	if (pr && pr->unread)
		return true;
	for (size_t i = 0; pr && i < pr->published.n; i++)
		if (pr->published.v[i])
			return true;
	return false;
}

/* Forks that are followed have the probes of their target, and no others while they execute nothing. */
static bool of_interest(struct usdt_data *ud, const struct watch_news *news)
{
	if ((pid_t)news->pid == getpid())
		return false;
	if (!(news->kind & WATCH_EXEC) && follow_has(ud->follow, news->pid, 0))
		return false;
	return !(news->kind & WATCH_FORK) || forks_probes(ud, news->parent);
}

static void changed(void *arg, const struct watch_news *news)
{
	struct refreshing *r = arg;
	struct usdt_data *ud = r->p->data;
	struct process *pr;

	if (!of_interest(ud, news))
		return;
	pr = usdt_process(ud, news->pid, true);
	if (news->kind & WATCH_EXEC && pr->created)
		watch_linker(ud, pr->pid);
	for (size_t i = 0; i < ud->open.n; i++)
		usdt_publish(r->t, r->p, pr, ud->open.v[i]);
}

void usdt_refresh(struct probes *t, struct provider *p)
{
	struct usdt_data *ud = p->data;
	struct refreshing r = { t, p };

	watch_read(ud->watch, changed, &r);
	/* Now there was room for all: what is lost from here on has news before it, for which we are called again. */
	if (!ud->any || !(watch_lost(ud->watch) || ud->rescan))
		return;
	ud->rescan = false;
	usdt_scan(ud, true);
	for (size_t i = 0; i < ud->processes.n; i++)
		for (size_t k = 0; k < ud->open.n; k++)
			usdt_publish(t, p, ud->processes.v[i], ud->open.v[k]);
}

void usdt_refreshed(struct probes *t, struct provider *p)
{
	(void)t;
	watch_go_on(((struct usdt_data *)p->data)->watch);
}

void usdt_unwatch(struct probes *t, struct provider *p)
{
	struct usdt_data *ud = p->data;

	(void)t;
	if (!ud)
		return;
	watch_destroy(ud->watch);
	ud->watch = NULL;
}
