/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Start and stop of tracing: attaching, BEGIN and END, probes that come while tracing, what the kernel has missed.
 * Decoding what is recorded is the consumer's.
 */
#include <errno.h>
#include <sched.h>

#include "kern/kern.h"
#include "lib/cleaner.h"
#include "lib/enable_impl.h"

#define STOP_TRIES 5

/* ---- groups ------------------------------------------------------------------------------------------ */

static void set_activity(dtrace_hdl_t *dtp, uint32_t activity)
{
	__atomic_store_n(&buffers_state(dtp->buffers)->activity, activity, __ATOMIC_SEQ_CST);
}

static bool change_activity(dtrace_hdl_t *dtp, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&buffers_state(dtp->buffers)->activity, &from, to, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

/*
 * BEGIN and END run in this very task, on the CPU it is pinned to: a run on another CPU would happen in an
 * interrupt there, with whatever process it met.
 */
static void fire(dtrace_hdl_t *dtp, uint32_t activity, int cpu)
{
	struct enabling *e = dtp->enabling;
	uint64_t ctx[1] = {0};

	for (size_t i = 0; i < e->groups.n; i++) {
		struct group *g = e->groups.v[i];

		if (g->g.activity != activity || g->g.prog_fd < 0)
			continue;
		struct kern_cpu_mask saved;
		int err = kern_cpu_pin(cpu, &saved);

		kern_prog_test_run(g->g.prog_fd, ctx, sizeof(ctx), -1, NULL);
		if (!err)
			kern_cpu_unpin(&saved);
	}
}

/* The CPU where BEGIN, or END, fires: the one this task is on, if it is traced. */
static int own_cpu(const struct enabling *e)
{
	int cpu = sched_getcpu();

	for (size_t i = 0; i < e->ncpus; i++)
		if (e->cpus[i] == cpu)
			return cpu;
	return e->cpus[0];
}

/* The groups from `from` on. */
void enabling_detach(struct enabling *e, size_t from)
{
	VEC(int) fds = { 0 };

	for (size_t i = from; i < e->groups.n; i++) {
		struct group *g = e->groups.v[i];

		for (size_t k = 0; k < g->g.fds.n; k++)
			vec_push(&fds, g->g.fds.v[k]);
		vec_free(&g->g.fds);
	}
	kern_close_all(fds.v, fds.n);
	vec_free(&fds);
	for (size_t i = from; i < e->groups.n; i++) {
		struct group *g = e->groups.v[i];

		if (g->g.provider->ops->group_destroy)
			g->g.provider->ops->group_destroy(&g->g);
		kern_close(&g->g.prog_fd);
	}
	if (!from)
		kern_close(&e->cleaner_fd);
}

static void attach_warn(void *arg, const char *text)
{
	work_message(arg, text);
}

static struct attach_env attach_env(dtrace_hdl_t *dtp, const struct enabling *e)
{
	return (struct attach_env){
		.cpu = opt_on(dtp->opt, OPT_CPU) ? (int)dtp->opt[OPT_CPU] : -1,
		.cpus = e->cpus,
		.ncpus = e->ncpus,
		.state_fd = buffers_fd(dtp->buffers, CG_MAP_STATE),
		.warn = attach_warn,
		.arg = dtp,
	};
}

/* The groups from `from` on. */
static int groups_attach(dtrace_hdl_t *dtp, struct enabling *e, size_t from)
{
	struct attach_env env = attach_env(dtp, e);

	for (size_t i = from; i < e->groups.n; i++)
		if (enabling_group_load(dtp, e, e->groups.v[i]) < 0)
			return -1;
	for (size_t i = from; i < e->groups.n; i++)
		if (enabling_group_attach(dtp, e->groups.v[i], &env) < 0)
			return -1;
	return 0;
}

static int groups_activate(dtrace_hdl_t *dtp, struct enabling *e, size_t from)
{
	struct attach_env env = attach_env(dtp, e);

	for (size_t i = from; i < e->groups.n; i++) {
		const struct provider_ops *ops = e->groups.v[i]->g.provider->ops;
		int err = ops->start ? ops->start(&e->groups.v[i]->g, &env) : 0;

		if (err < 0)
			return hdl_errorf(dtp, EDT_ENABLING_ERR, "failed to start %s: %s", ops->name, kern_why(err));
	}
	return 0;
}

/* ---- probes that come while tracing ------------------------------------------------------------------- */

/*
 * They make groups of their own, with programs, rows and a string table of their own, so that nothing in use changes.
 * What cannot be had now is told and left out: tracing goes on.
 */
static void enable_more(dtrace_hdl_t *dtp)
{
	struct enabling *e = dtp->enabling;
	unsigned int matches = 0;
	size_t from = e->groups.n;
	const void *strtab;
	uint32_t size;

	for (size_t i = 0; i < dtp->progs.n; i++) {
		struct diag d = {0};

		if (dtp->progs.v[i]->enabled)
			enable_program(dtp, dtp->progs.v[i], e->known, &matches, &d);
		diag_clear(&d);
	}
	e->known = dtp->probes->v.n;
	if (!matches)
		return;
	strtab = strtab_data(dtp->strtab, &size);
	if (dtp->consumer)
		aggs_strtab(consumer_aggs(dtp->consumer), strtab, size);
	int err = buffers_strtab_renew(dtp->buffers, strtab, size);

	e->env.conf = *buffers_conf(dtp->buffers);
	if (err)
		hdl_error(dtp, -err);
	if (err || groups_attach(dtp, e, from) < 0 || groups_activate(dtp, e, from) < 0) {
		work_message(dtp, dtrace_errmsg(dtp, dtrace_errno(dtp)));
		enabling_detach(e, from);
	}
}

static void news(void *arg, int fd)
{
	dtrace_hdl_t *dtp = arg;
	struct enabling *e = dtp->enabling;

	for (size_t i = 0; i < e->watches.n; i++) {
		struct provider *p = e->watches.v[i].provider;

		if (e->watches.v[i].fd != fd)
			continue;
		p->ops->refresh(dtp->probes, p);
		if (dtp->active)
			enable_more(dtp);
		p->ops->refreshed(dtp->probes, p);
		return;
	}
}

/* By a program: what it wants done is found by a status check. */
static void woken(void *arg, int fd)
{
	dtrace_hdl_t *dtp = arg;

	(void)fd;
	buffers_wakes_take(dtp->buffers);
	consumer_status_now(dtp->consumer);
}

int enable_watch(dtrace_hdl_t *dtp)
{
	struct enabling *e = dtp->enabling;
	int fd = buffers_fd(dtp->buffers, CG_MAP_WAKES);
	int rc = fd >= 0 ? consumer_add_fd(dtp->consumer, fd, woken, dtp) : 0;

	for (size_t i = 0; i < e->watches.n && !rc; i++)
		rc = consumer_add_fd(dtp->consumer, e->watches.v[i].fd, news, dtp);
	return rc;
}

static void watches_start(dtrace_hdl_t *dtp, struct enabling *e)
{
	e->known = dtp->probes->v.n;
	for (size_t i = 0; i < dtp->probes->providers.n; i++) {
		struct provider *p = dtp->probes->providers.v[i];
		int fd = p->ops->watch ? p->ops->watch(dtp->probes, p) : -1;
		struct watching *w;

		if (fd < 0)
			continue;
		w = vec_add(&e->watches);
		w->provider = p;
		w->fd = fd;
	}
}

void enabling_watches_stop(dtrace_hdl_t *dtp, struct enabling *e)
{
	if (dtp->consumer && dtp->buffers)
		consumer_del_fd(dtp->consumer, buffers_fd(dtp->buffers, CG_MAP_WAKES));
	for (size_t i = 0; i < e->watches.n; i++) {
		if (dtp->consumer)
			consumer_del_fd(dtp->consumer, e->watches.v[i].fd);
		e->watches.v[i].provider->ops->unwatch(dtp->probes, e->watches.v[i].provider);
	}
	vec_free(&e->watches);
}

/* ---- start and stop ---------------------------------------------------------------------------------- */

/* What programs refer to, beside the buffers. */
static int helpers_start(dtrace_hdl_t *dtp, struct enabling *e)
{
	e->env.unwinds = e->env.unwinds && unwindapi_start(dtp);
	if (e->env.uses_usyms)
		symapi_follow(dtp);
	return e->env.uses_specs ? cleaner_start(dtp, &e->env, &e->cleaner_fd) : 0;
}

static int groups_start(dtrace_hdl_t *dtp, struct enabling *e)
{
	if (helpers_start(dtp, e) < 0)
		return -1;
	if (groups_attach(dtp, e, 0) < 0)
		return -1;
	watches_start(dtp, e);
	/*
	 * BEGIN fires before any other probe: all are attached, but the words of the other CPUs are closed and the
	 * activity is not theirs yet. exit() in BEGIN leaves it so.
	 */
	e->begin_cpu = own_cpu(e);
	set_activity(dtp, ABI_WARMUP);
	buffers_open(dtp->buffers, e->begin_cpu);
	fire(dtp, ABI_WARMUP, e->begin_cpu);
	buffers_open(dtp->buffers, -1);
	if (!change_activity(dtp, ABI_WARMUP, ABI_ACTIVE))
		return 0;
	return groups_activate(dtp, e, 0);
}

/* All that comes before the programs. */
static int go_prepare(dtrace_hdl_t *dtp, struct enabling *e)
{
	int err;

	if (dtp->active || dtp->stopped)
		return hdl_error(dtp, EDT_ACTIVE);
	err = options_start(dtp);
	if (err)
		return hdl_error(dtp, err);
	if (e->destructive && !(opt_on(dtp->opt, OPT_DESTRUCTIVE) && dtp->opt[OPT_DESTRUCTIVE]))
		return hdl_error(dtp, EDT_DESTRUCTIVE);
	procapi_start(dtp);
	if (enabling_options_settle(dtp, e) < 0)
		return -1;
	enabling_layouts_show(dtp, stderr);
	return enabling_cpus(dtp, e) < 0 || enabling_buffers_make(dtp, e) < 0 ? -1 : 0;
}

int enable_load(dtrace_hdl_t *dtp)
{
	struct enabling *e = enabling_get(dtp);

	if (go_prepare(dtp, e) < 0 || helpers_start(dtp, e) < 0)
		return -1;
	for (size_t i = 0; i < e->groups.n; i++)
		if (enabling_group_load(dtp, e, e->groups.v[i]) < 0)
			return -1;
	return 0;
}

int dtrace_go(dtrace_hdl_t *dtp)
{
	struct enabling *e = enabling_get(dtp);

	if (go_prepare(dtp, e) < 0)
		return -1;
	if (groups_start(dtp, e) < 0) {
		enabling_watches_stop(dtp, e);
		enabling_detach(e, 0);
		return -1;
	}
	dtp->active = true;
	return 0;
}

static void report_skipped(dtrace_hdl_t *dtp, uint64_t n, const char *what, const char *why)
{
	char text[512];

	if (!n)
		return;
	snprintf(text, sizeof(text), "%llu firing%s of %s %s", (unsigned long long)n, n > 1 ? "s" : "", what, why);
	work_lost(dtp, DTRACE_CPUALL, n, text);
}

static const char *probe_text(const struct probe *p, char *text, size_t size)
{
	snprintf(text, size, "%s:%s:%s:%s", p->prov, p->mod, p->func, p->name);
	return text;
}

static void report_skipped_rows(dtrace_hdl_t *dtp, struct probe_group *g)
{
	char name[384];

	for (size_t i = 0; i < g->probes.n; i++)
		report_skipped(dtp, g->provider->ops->skipped_row(g, i),
			       probe_text(g->probes.v[i], name, sizeof(name)), "missed by the kernel");
}

static void report_missed_on_cpus(dtrace_hdl_t *dtp, struct enabling *e, struct probe_group *g)
{
	char text[256];

	for (size_t p = 0; p < g->probes.n; p++)
		for (size_t c = 0; c < e->ncpus; c++) {
			const struct probe *probe = g->probes.v[p];
			uint64_t n = g->provider->ops->missed(g, probe, e->cpus[c], e->env.accounting);

			if (!n)
				continue;
			snprintf(text, sizeof(text), "%llu missed firing%s of %s:::%s on CPU %d",
				 (unsigned long long)n, n > 1 ? "s" : "", probe->prov, probe->name, e->cpus[c]);
			work_lost(dtp, e->cpus[c], n, text);
		}
}

static void report_unfollowed(dtrace_hdl_t *dtp)
{
	char text[128];

	for (size_t i = 0; i < dtp->probes->providers.n; i++) {
		const struct provider *p = dtp->probes->providers.v[i];
		uint64_t n = p->ops->unfollowed ? p->ops->unfollowed(p) : 0;

		if (!n)
			continue;
		snprintf(text, sizeof(text), "%llu fork%s not followed by probes of %s (forkmax)", (unsigned long long)n,
			 n > 1 ? "s" : "", p->ops->name);
		work_lost(dtp, DTRACE_CPUALL, n, text);
	}
}

/* Of one probe, its whole name: that of the program is cut, and several may have it. */
static const char *group_text(const struct probe_group *g, char *text, size_t size)
{
	return g->probes.n == 1 ? probe_text(g->probes.v[0], text, size) : g->name;
}

/* Firings that never reached our programs. */
static void report_missed(dtrace_hdl_t *dtp, struct enabling *e)
{
	report_unfollowed(dtp);
	for (size_t i = 0; i < e->groups.n; i++) {
		struct probe_group *g = &e->groups.v[i]->g;
		const struct provider_ops *ops = g->provider->ops;
		uint64_t misses = 0;
		char text[384];

		if (g->prog_fd >= 0 && !kern_prog_recursion_misses(g->prog_fd, &misses))
			report_skipped(dtp, misses, group_text(g, text, sizeof(text)),
				       "skipped by the kernel (recursion)");
		if (ops->skipped_row && e->env.accounting)
			report_skipped_rows(dtp, g);
		else if (ops->skipped)
			report_skipped(dtp, ops->skipped(g), g->name, "missed by the kernel");
		if (ops->missed)
			report_missed_on_cpus(dtp, e, g);
	}
}

/*
 * What is committed on other CPUs is moved, before END and after it. The activity keeps all others out. A buffer
 * that this fills (fill) is closed and opened again, as any full one: END has its own room in it.
 */
static void end_fire(dtrace_hdl_t *dtp, int cpu)
{
	bool specs = buffers_have_specs(dtp->buffers);

	if (specs) {
		buffers_open(dtp->buffers, -1);
		buffers_specs_clean(dtp->buffers);
		buffers_stop(dtp->buffers);
	}
	buffers_open(dtp->buffers, specs ? -1 : cpu);
	fire(dtp, ABI_COOLDOWN, cpu);
	if (specs) {
		buffers_specs_clean(dtp->buffers);
		buffers_specs_end(dtp->buffers);
	}
}

/*
 * A program that is not let run (its CPU may be the hypervisor's) can stay for seconds in a buffer. After STOP_TRIES
 * seconds we go on without it: its buffers are asked for again when they are read.
 */
static void programs_leave(dtrace_hdl_t *dtp)
{
	for (int i = 0; i < STOP_TRIES && buffers_stop(dtp->buffers); i++)
		;
}

int dtrace_stop(dtrace_hdl_t *dtp)
{
	struct enabling *e = dtp->enabling;
	int cpu;

	if (dtp->stopped)
		return 0;
	if (!dtp->active)
		return hdl_error(dtp, EINVAL);
	dtp->active = false;
	dtp->stopped = true;
	if (!change_activity(dtp, ABI_ACTIVE, ABI_DRAINING))
		change_activity(dtp, ABI_WARMUP, ABI_DRAINING);
	for (size_t i = 0; i < e->groups.n; i++)
		if (e->groups.v[i]->g.provider->ops->stop)
			e->groups.v[i]->g.provider->ops->stop(&e->groups.v[i]->g);
	if (e->env.uses_direct)
		kern_wait_programs();
	programs_leave(dtp);
	cpu = own_cpu(e);
	set_activity(dtp, ABI_COOLDOWN);
	end_fire(dtp, cpu);
	buffers_stop(dtp->buffers);
	set_activity(dtp, ABI_STOPPED);
	report_missed(dtp, e);
	symapi_report(dtp);
	unwindapi_report(dtp);
	unwindapi_unwatch(dtp);
	enabling_watches_stop(dtp, e);
	enabling_detach(e, 0);
	if (e->env.accounting) /* those under way count once more at their end */
		kern_wait_programs();
	if (dtp->consumer)
		consumer_set_stopped(dtp->consumer);
	return 0;
}
