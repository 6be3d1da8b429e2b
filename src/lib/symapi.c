/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of addresses, over sym/. Tables are read when the first name is asked for. */
#include "lib/impl.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "kern/kern.h"

#define MODULE_GAP 4096 /* a function of a module that is longer than this is no news */

static const struct ksyms *ksyms_get(dtrace_hdl_t *dtp)
{
	if (!dtp->ksyms_tried) {
		dtp->ksyms_tried = true;
		ksyms_load(&dtp->ksyms);
	}
	return dtp->ksyms;
}

/*
 * Modules and programs come while we trace. No news: the address is well inside of what was known. BPF
 * programs lie close together, in the places of those that are gone.
 */
static bool may_be_new(const struct ksym *s, uint64_t addr)
{
	return !strcmp(s->module, "bpf") || (!s->end && addr - s->addr >= MODULE_GAP);
}

/*
 * The function around an address. What may be new has the table read again, at most so often that it
 * takes a twentieth of the time.
 */
static int ksym_at(dtrace_hdl_t *dtp, uint64_t addr, struct ksym *s)
{
	const struct ksyms *k = ksyms_get(dtp);
	struct ksyms *fresh = NULL;
	uint64_t now;
	int rc;

	if (!k)
		return -ENOENT;
	rc = ksyms_find(k, addr, s);
	if ((!rc && !may_be_new(s, addr)) || (int64_t)addr >= 0)
		return rc;
	now = now_ns();
	if (now < dtp->ksyms_due || ksyms_load(&fresh))
		return rc;
	dtp->ksyms_due = now_ns() + 20 * (now_ns() - now);
	ksyms_destroy(dtp->ksyms);
	dtp->ksyms = fresh;
	return ksyms_find(fresh, addr, s);
}

static int hook_ksym(void *arg, uint64_t addr, struct consumer_sym *sym)
{
	struct ksym s;

	if (ksym_at(arg, addr, &s))
		return -ENOENT;
	sym->module = s.module;
	sym->function = s.name;
	sym->offset = addr - s.addr;
	return 0;
}

int symapi_ksym_range(void *arg, const char *name, uint64_t *start, uint64_t *end)
{
	const struct ksyms *k = ksyms_get(arg);
	struct ksym s;

	if (!k || ksyms_lookup(k, name, &s) || !s.end)
		return -ENOENT;
	*start = s.addr;
	*end = s.end;
	return 0;
}

/* ---- users' ---- */

static bool option_set(const dtrace_hdl_t *dtp, enum opt o)
{
	return opt_on(dtp->opt, o) && dtp->opt[o];
}

static struct usyms *usyms_get(dtrace_hdl_t *dtp, bool track)
{
	if (!dtp->usyms)
		dtp->usyms = usyms_create(track, !option_set(dtp, OPT_NODEMANGLE));
	return dtp->usyms;
}

void symapi_follow(dtrace_hdl_t *dtp)
{
	usyms_get(dtp, true);
}

static void news_pile_up(void *arg, int fd)
{
	(void)fd;
	usyms_poll(((dtrace_hdl_t *)arg)->usyms);
}

static void news_are_due(void *arg, int fd)
{
	uint64_t n;

	if (read(fd, &n, sizeof(n)) == sizeof(n))
		usyms_poll(((dtrace_hdl_t *)arg)->usyms);
}

#define NEWS_NS 100000000 /* how old news may get: a file may be found only while its process runs */

static int clock_start(dtrace_hdl_t *dtp)
{
	struct timespec t = { .tv_nsec = NEWS_NS };
	struct itimerspec it = { .it_interval = t, .it_value = t };

	dtp->news_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (dtp->news_fd < 0 || timerfd_settime(dtp->news_fd, 0, &it, NULL))
		return -errno;
	return consumer_add_fd(dtp->consumer, dtp->news_fd, news_are_due, dtp);
}

int symapi_watch(dtrace_hdl_t *dtp)
{
	int rc = 0;

	if (dtp->usyms && usyms_nfds(dtp->usyms))
		rc = clock_start(dtp);
	for (size_t i = 0; dtp->usyms && i < usyms_nfds(dtp->usyms) && !rc; i++)
		rc = consumer_add_fd(dtp->consumer, usyms_fd(dtp->usyms, i), news_pile_up, dtp);
	return rc;
}

void symapi_report(dtrace_hdl_t *dtp)
{
	uint64_t n = dtp->usyms ? usyms_lost(dtp->usyms) : 0;
	char text[128];

	if (!n)
		return;
	snprintf(text, sizeof(text), "%llu mapping%s of processes lost: addresses may lack names",
		 (unsigned long long)n, n > 1 ? "s" : "");
	work_message(dtp, text);
}

static int hook_usym(void *arg, uint64_t process, uint64_t addr, struct consumer_sym *sym)
{
	dtrace_hdl_t *dtp = arg;
	struct usym s;
	int rc;

	if (!process)
		process = (uint32_t)dtp->target;
	rc = process ? usyms_find(usyms_get(dtp, false), process, addr, &s) : -ENOENT;
	if (rc)
		return rc;
	sym->module = s.object;
	if (option_set(dtp, OPT_NORESOLVE)) {
		sym->unresolved = true;
		sym->offset = s.address;
		return 0;
	}
	sym->function = s.function;
	sym->offset = s.function ? addr - s.start : 0;
	return 0;
}

static uint64_t user_canon(dtrace_hdl_t *dtp, enum func_id func, uint64_t process, uint64_t addr)
{
	struct usym s;

	if (func == FN_uaddr || usyms_find(usyms_get(dtp, false), process, addr, &s))
		return addr;
	return func == FN_umod || s.function ? s.start : addr;
}

/* One number for all addresses that are shown by one name: where the function or module begins. */
static uint64_t hook_canon(void *arg, enum func_id func, uint64_t pid, uint64_t addr)
{
	struct ksym s;

	switch (func) {
	case FN_sym:
	case FN_func: return ksym_at(arg, addr, &s) ? addr : s.addr;
	case FN_mod:
		return ksym_at(arg, addr, &s) ? addr : ksyms_module_start(ksyms_get(arg), s.module);
	case FN_ustack:
	case FN_jstack: usyms_note(usyms_get(arg, false), pid); return 0;
	default: return user_canon(arg, func, pid, addr);
	}
}

void symapi_hooks(struct consumer_hooks *h)
{
	h->ksym = hook_ksym;
	h->usym = hook_usym;
	h->canon = hook_canon;
}

void symapi_close(dtrace_hdl_t *dtp)
{
	kern_close(&dtp->news_fd);
	usyms_destroy(dtp->usyms);
	dtp->usyms = NULL;
	ksyms_destroy(dtp->ksyms);
	dtp->ksyms = NULL;
}
