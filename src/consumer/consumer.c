/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The consumer's loop: status, aggregations, principal buffers at their rates; sleeping; the end of
 * a session. Which record comes next is in turn.c, what it looks like in decode.c.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "consumer/impl.h"

/* ---- life ----------------------------------------------------------------------------------- */

static void source_init(struct consumer *c, uint32_t slot)
{
	struct source *s = &c->src[slot];

	s->snap.cpu = buffers_slot_cpu(c->cfg.buffers, slot);
	s->snap.slot = slot;
	s->snap.header =
		c->cfg.opt->temporal ? sizeof(struct abi_rec_time) : sizeof(struct abi_rec);
	s->cpu_len = (uint32_t)snprintf(s->cpu_text, sizeof(s->cpu_text), "%3d", s->snap.cpu);
}

int consumer_create(struct consumer **out, const struct consumer_config *cfg)
{
	struct consumer *c = mem_alloc(sizeof(*c));
	uint32_t i;

	c->cfg = *cfg;
	c->own_fd = -1;
	c->first_turn = true;
	output_init(&c->out, cfg->out_fd);
	c->print = (struct print){ &c->out.buf, cfg->opt, cfg->hooks };
	c->aggs = aggs_create(cfg->ecbs, cfg->strtab, cfg->strtab_size);
	if (cfg->hooks && cfg->hooks->canon)
		aggs_set_canon(c->aggs, cfg->hooks->canon, cfg->hooks->arg);
	c->nslots = buffers_nslots(cfg->buffers);
	picture_open(c);
	if (cfg->opt->aggpercpu)
		aggs_set_percpu(c->aggs, c->nslots);
	c->cpus = mem_alloc((c->nslots + 1) * sizeof(*c->cpus));
	for (i = 0; i < c->nslots; i++)
		c->cpus[i] = buffers_slot_cpu(cfg->buffers, i);
	c->src = mem_alloc(c->nslots * sizeof(*c->src));
	c->drops = mem_alloc(c->nslots * sizeof(*c->drops));
	for (i = 0; i < c->nslots; i++)
		source_init(c, i);
	*out = c;
	return 0;
}

void consumer_destroy(struct consumer *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->nslots; i++) {
		if (c->src[i].has_snap)
			buffers_release(c->cfg.buffers, &c->src[i].snap);
		free(c->src[i].held_mem);
		vec_free(&c->src[i].order);
	}
	for (i = 0; i < c->info.n; i++) {
		free(c->info.v[i].line);
		free(c->info.v[i].json);
	}
	if (c->own_fd >= 0)
		close(c->own_fd);
	free(c->own_path);
	vec_free(&c->info);
	vec_free(&c->recorded);
	vec_free(&c->heap);
	vec_free(&c->watches);
	vec_free(&c->args);
	picture_close(c);
	aggs_destroy(c->aggs);
	output_free(&c->out);
	str_free(&c->aside);
	free(c->src);
	free(c->drops);
	free(c->cpus);
	free(c->errmsg);
	free(c);
}

struct output *consumer_output(struct consumer *c)
{
	return &c->out;
}

struct aggs *consumer_aggs(struct consumer *c)
{
	return c->aggs;
}

const char *consumer_errmsg(const struct consumer *c)
{
	return c->errmsg ? c->errmsg : "";
}

const char *consumer_own_path(const struct consumer *c)
{
	return c->own_fd >= 0 ? c->own_path : NULL;
}

void consumer_abort(struct consumer *c)
{
	c->abort = 1;
}

void consumer_snapshot(struct consumer *c)
{
	c->snap_wanted = 1;
}

void consumer_status_now(struct consumer *c)
{
	c->last_status = 0;
}

void consumer_set_stopped(struct consumer *c)
{
	c->stopped = true;
}

bool consumer_exited(const struct consumer *c, int *status)
{
	if (status)
		*status = c->exit_status;
	return c->exited;
}

bool consumer_unwritten(const struct consumer *c)
{
	return c->unwritten;
}

bool consumer_filled(const struct consumer *c)
{
	return c->filled;
}

uint64_t consumer_records(const struct consumer *c)
{
	return c->records;
}

uint64_t consumer_recorded(const struct consumer *c, uint32_t epid, uint32_t slot)
{
	size_t at = (size_t)epid * c->nslots + slot;

	return at < c->recorded.n ? c->recorded.v[at] : 0;
}

/* ---- rates ---------------------------------------------------------------------------------- */

/*
 * The first time is at once; then the interval is added to the last time, so that delays do not add
 * up.
 */
static bool is_due(uint64_t *last, uint64_t rate, uint64_t now)
{
	if (*last && now - *last < rate)
		return false;
	if (!*last || !rate)
		*last = now;
	else
		*last += (now - *last) / rate * rate;
	return true;
}

static uint64_t deadline(uint64_t last, uint64_t rate)
{
	return last ? last + rate : 0;
}

static uint64_t work_deadline(const struct consumer *c)
{
	const struct consumer_options *o = c->cfg.opt;
	uint64_t d = deadline(c->last_status, o->statusrate);

	if (c->stopped)
		return 0;
	if (c->snap_wanted && !c->in_turn && !output_full(&c->out))
		return 0;
	if (buffers_policy(c->cfg.buffers) != CG_SWITCH)
		return c->in_turn && !output_full(&c->out) ? 0 : d;
	if (output_full(&c->out)) /* nothing is switched until it has shrunk; poll() tells */
		return MIN(d, deadline(c->last_agg, o->aggrate));
	if (c->in_turn)
		return 0;
	d = MIN(d, deadline(c->last_switch, o->switchrate));
	return MIN(d, deadline(c->last_agg, o->aggrate));
}

static uint64_t next_deadline(const struct consumer *c)
{
	uint64_t d = work_deadline(c);

	if (c->stopped || !buffers_have_specs(c->cfg.buffers))
		return d;
	return MIN(d, deadline(c->last_clean, c->cfg.opt->cleanrate));
}

void consumer_clean(struct consumer *c)
{
	if (!c->stopped && buffers_have_specs(c->cfg.buffers) &&
	    is_due(&c->last_clean, c->cfg.opt->cleanrate, now_ns()))
		buffers_specs_clean(c->cfg.buffers);
}

/* ---- sleeping ------------------------------------------------------------------------------- */

int consumer_add_fd(struct consumer *c, int fd, void (*fn)(void *arg, int fd), void *arg)
{
	struct watch w = { fd, fn, arg };

	if (fd < 0)
		return -EBADF;
	vec_push(&c->watches, w);
	return 0;
}

void consumer_del_fd(struct consumer *c, int fd)
{
	size_t i;

	for (i = 0; i < c->watches.n; i++)
		if (c->watches.v[i].fd == fd) {
			memmove(&c->watches.v[i], &c->watches.v[i + 1],
				(c->watches.n - i - 1) * sizeof(c->watches.v[0]));
			c->watches.n--;
			return;
		}
}

/* Functions may remove themselves or others: each is looked up again before it is called. */
static void watches_run(struct consumer *c, const struct pollfd *p, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i++) {
		if (!p[i].revents)
			continue;
		for (k = 0; k < c->watches.n; k++)
			if (c->watches.v[k].fd == p[i].fd)
				break;
		if (k < c->watches.n)
			c->watches.v[k].fn(c->watches.v[k].arg, p[i].fd);
	}
}

int consumer_sleep(struct consumer *c, int64_t max_ns)
{
	size_t n = c->watches.n, i;
	struct pollfd *p = mem_alloc((n + 1) * sizeof(*p));
	bool output = c->out.fd >= 0 && !c->out.regular && output_backlog(&c->out) > 0;
	uint64_t now = now_ns(), until = next_deadline(c), ns = until > now ? until - now : 0;
	struct timespec t;
	int r, err = 0;

	if (c->stopped && output_full(&c->out))
		ns = 100000000;
	if (max_ns >= 0 && ns > (uint64_t)max_ns)
		ns = (uint64_t)max_ns;
	t.tv_sec = (time_t)(ns / 1000000000);
	t.tv_nsec = (long)(ns % 1000000000);
	for (i = 0; i < n; i++)
		p[i] = (struct pollfd){ .fd = c->watches.v[i].fd, .events = POLLIN };
	p[n] = (struct pollfd){ .fd = output ? c->out.fd : -1, .events = POLLOUT };
	r = ppoll(p, n + 1, &t, NULL);
	if (r < 0)
		err = -errno;
	if (r > 0) {
		watches_run(c, p, n);
		if (p[n].revents)
			output_poll(&c->out);
	}
	free(p);
	return err;
}

/* ---- working -------------------------------------------------------------------------------- */

/* A call that comes while this looks either is seen by it or sees that the number was answered, and wakes us. */
static void snapshots_check(struct consumer *c, struct abi_state *st)
{
	uint64_t n = __atomic_load_n(&st->snapshots, __ATOMIC_SEQ_CST);

	while (n != c->snapshots) {
		c->snap_wanted = 1;
		c->snapshots = n;
		__atomic_store_n(&st->answered, n, __ATOMIC_SEQ_CST);
		n = __atomic_load_n(&st->snapshots, __ATOMIC_SEQ_CST);
	}
}

static int status_check(struct consumer *c)
{
	struct abi_state *st = buffers_state(c->cfg.buffers);
	const struct consumer_hooks *h = hooks_of(c);
	uint32_t activity = __atomic_load_n(&st->activity, __ATOMIC_ACQUIRE);
	bool exiting = activity == ABI_DRAINING || __atomic_load_n(&st->exits, __ATOMIC_ACQUIRE);
	int err;

	snapshots_check(c, st);
	if (drops_report(c, DROP_WITH_STATUS, -1))
		return -1;
	if (output_full(&c->out) && drops_report(c, DROP_WITH_DATA, -1))
		return -1;
	if (buffers_policy(c->cfg.buffers) == CG_FILL &&
	    __atomic_load_n(&st->filled, __ATOMIC_ACQUIRE))
		c->filled = true;
	if (!exiting && !c->filled)
		return 0;
	err = h && h->stop ? h->stop(h->arg) : 0;
	if (err)
		return consumer_fail(c, "couldn't stop tracing: %s", strerror(-err));
	c->stopped = true;
	return 0;
}

int consumer_aggregate(struct consumer *c)
{
	int err;

	picture_before_sample(c);
	err = aggs_snapshot(c->aggs, c->cfg.buffers);
	picture_sample(c);

	if (err == -EINVAL)
		consumer_message(
			c,
			"an aggregation buffer holds an impossible entry: the rest of it is lost");
	if (drops_report(c, DROP_WITH_AGGS, -1))
		return -ECANCELED;
	return err == -EAGAIN ? err : 0;
}

static enum consumer_status output_status(struct consumer *c)
{
	return output_poll(&c->out) ? CONSUMER_ERROR : CONSUMER_OKAY;
}

/* -1: a hook aborts. */
static int aggregate_last(struct consumer *c)
{
	int err = consumer_aggregate(c);

	if (err == -EAGAIN && !c->agg_late)
		consumer_message(c, "a program did not leave an aggregation buffer: its data is lost");
	c->agg_late = err == -EAGAIN;
	return err == -ECANCELED ? -1 : 0;
}

/* All that is left, as far as the output takes it. */
static enum consumer_status work_stopped(struct consumer *c)
{
	int r;

	do { /* the turn under way began before the end; what printa() of END shows is taken after it */
		if (!c->in_turn && aggregate_last(c))
			return CONSUMER_ERROR;
		r = turn_run(c);
		if (r < 0)
			return CONSUMER_ERROR;
	} while (r == 1 && (c->turn_had_data || c->turn_late || !c->turn_after) && !c->abort);
	if (r == 0 && !c->abort)
		return output_status(c);
	if (drops_report(c, DROP_WITH_STATUS, -1) || drops_report(c, DROP_WITH_DATA, -1))
		return CONSUMER_ERROR;
	return output_status(c) == CONSUMER_ERROR ? CONSUMER_ERROR : CONSUMER_DONE;
}

/* A snapshot that was asked for, or is under way. 0 or -1. */
static int work_snapshot(struct consumer *c)
{
	enum cg_policy policy = buffers_policy(c->cfg.buffers);
	bool wanted = c->snap_wanted && !c->in_turn && !output_full(&c->out);

	if (wanted)
		c->snap_wanted = 0;
	if (wanted && policy == CG_FILL)
		consumer_message(c, "no snapshot: fill buffers are read when tracing has ended");
	else if (wanted || (c->in_turn && policy == CG_RING))
		return turn_run(c) < 0 ? -1 : 0;
	return 0;
}

enum consumer_status consumer_work(struct consumer *c)
{
	const struct consumer_options *o = c->cfg.opt;
	uint64_t now = now_ns();

	if (c->errmsg)
		return CONSUMER_ERROR;
	if (c->abort)
		return CONSUMER_DONE;
	consumer_clean(c);
	if (!c->stopped && is_due(&c->last_status, o->statusrate, now) && status_check(c))
		return CONSUMER_ERROR;
	if (c->stopped)
		return work_stopped(c);
	if (work_snapshot(c))
		return CONSUMER_ERROR;
	if (buffers_policy(c->cfg.buffers) != CG_SWITCH)
		return output_status(c);
	if (!c->in_turn && is_due(&c->last_agg, o->aggrate, now) &&
	    consumer_aggregate(c) == -ECANCELED)
		return CONSUMER_ERROR;
	if ((c->in_turn || is_due(&c->last_switch, o->switchrate, now)) && turn_run(c) < 0)
		return CONSUMER_ERROR;
	return output_status(c);
}

enum consumer_status consumer_drain(struct consumer *c)
{
	enum consumer_status s;

	while ((s = consumer_work(c)) == CONSUMER_OKAY && !c->abort)
		if (consumer_sleep(c, 100000000) == -EINTR && c->abort)
			break;
	return c->abort && s == CONSUMER_OKAY ? CONSUMER_DONE : s;
}

/* ---- the end -------------------------------------------------------------------------------- */

static bool asked_to_stop(void *arg)
{
	return ((struct consumer *)arg)->abort != 0;
}

static void aggregation_show(struct consumer *c, uint32_t id)
{
	picture_aggregation(c, id);
	if (c->cfg.opt->oformat == FORMAT_TEXT)
		decode_printa_all(c, id);
	else if (c->cfg.opt->oformat == FORMAT_JSON)
		json_aggregation(c, id);
}

void consumer_print_aggregations(struct consumer *c)
{
	uint32_t id;

	for (id = 1; id <= c->cfg.ecbs->aggs.n && !c->abort; id++)
		if (!aggs_printed(c->aggs, id) && aggs_count(c->aggs, id))
			aggregation_show(c, id);
	if (c->abort)
		return;
	if (c->cfg.opt->oformat == FORMAT_JSON)
		json_end(c);
	picture_end(c);
}

int consumer_finish(struct consumer *c)
{
	int err;

	if (!c->abort && !c->cfg.no_lines) {
		if (c->cfg.opt->oformat == FORMAT_TEXT)
			str_putc(&c->out.buf, '\n');
		consumer_print_aggregations(c);
	}
	err = output_flush(&c->out, asked_to_stop, c);
	if (c->cfg.opt->accounting)
		accounting_report(c);
	return err;
}
