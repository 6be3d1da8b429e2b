/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One record: from EPID to layout to line. Actions of the consumer (printa, clear, system ...) take
 * effect here, in the order of the records.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "consumer/impl.h"

extern char **environ;

/* What one record's actions need. */
struct decode {
	struct consumer *c;
	struct consumer_data data;
	const struct layout *layout;
	const unsigned char *strs, *end; /* string bytes not yet taken; end of the record */
	struct print_value *args;	 /* of the action under way */
	size_t nargs;
};

/* ---- EPIDs ---------------------------------------------------------------------------------- */

static bool ends_with(const char *s, const char *tail)
{
	size_t n = strlen(s), m = strlen(tail);

	return n > m && s[n - m - 1] == '-' && !strcmp(s + n - m, tail);
}

static void info_make(struct ecb_info *i, const struct ecb *e)
{
	char both[512];

	i->known = true;
	if (!strcmp(e->prov, "dtrace"))
		i->kind = !strcmp(e->name, "BEGIN")   ? ECB_BEGIN
			  : !strcmp(e->name, "END")   ? ECB_END
			  : !strcmp(e->name, "ERROR") ? ECB_ERROR
						      : ECB_PLAIN;
	if (!strcmp(e->name, "entry") || ends_with(e->name, "entry"))
		i->flow = FLOW_ENTRY;
	else if (!strcmp(e->name, "return") || ends_with(e->name, "return"))
		i->flow = FLOW_RETURN;
	i->is_syscall = !strcmp(e->prov, "syscall");
	snprintf(both, sizeof(both), "%s:%s", e->func, e->name);
	i->line = mem_printf(" %6u %32s ", e->probe_id, both);
	i->line_len = (uint32_t)strlen(i->line);
}

const struct ecb_info *ecb_info_get(struct consumer *c, const struct ecb *e)
{
	struct ecb_info *i;

	while (c->info.n < e->epid)
		vec_add(&c->info);
	i = &c->info.v[e->epid - 1];
	if (!i->known)
		info_make(i, e);
	return i;
}

static void count_record(struct consumer *c, uint32_t epid, uint32_t slot)
{
	size_t at = (size_t)epid * c->nslots + slot;

	while (c->recorded.n <= at)
		vec_push(&c->recorded, 0);
	c->recorded.v[at]++;
	c->records++;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* Entry and return, with DTrace's corrections for several clauses on one probe. */
static void flow_find(struct decode *d, struct source *s, const struct ecb_info *info,
		      const struct abi_rec *next)
{
	const struct ecb *e = d->data.ecb, *last = ecb_get(d->c->cfg.ecbs, s->last_epid);
	const struct ecb *after = next ? ecb_get(d->c->cfg.ecbs, next->epid) : NULL;
	enum ecb_flow flow = info->flow;

	if (flow == FLOW_ENTRY && last && last->probe_id == e->probe_id && last->epid != e->epid)
		flow = FLOW_NONE;
	if (flow == FLOW_RETURN && after && after->probe_id == e->probe_id &&
	    after->epid != e->epid)
		flow = FLOW_NONE;
	if (flow == FLOW_RETURN)
		s->indent = s->indent > 2 ? s->indent - 2 : 0;
	d->data.is_entry = flow == FLOW_ENTRY;
	d->data.is_return = flow == FLOW_RETURN;
	d->data.indent = s->indent;
	d->data.prefix = flow == FLOW_ENTRY    ? info->is_syscall ? " => " : " -> "
			 : flow == FLOW_RETURN ? info->is_syscall ? " <= " : " <- "
					       : "| ";
	if (flow == FLOW_ENTRY)
		s->indent += 2;
}

static void line_begin(struct decode *d, const struct source *s, const struct ecb_info *info)
{
	struct consumer *c = d->c;
	const struct ecb *e = d->data.ecb;
	char name[512];

	if (c->cfg.no_lines || c->format == FORMAT_FOLDED)
		return;
	if (c->format == FORMAT_JSON) {
		json_record_begin(c, &d->data);
		return;
	}
	if (!c->header_done && (!c->cfg.opt->quiet || c->cfg.opt->flowindent)) {
		c->header_done = true;
		print_header(&c->print);
	}
	if (c->cfg.opt->flowindent) {
		bool plain = !d->data.is_entry && !d->data.is_return;

		snprintf(name, sizeof(name), plain ? "%s:%s" : "%s", e->func, e->name);
		print_flow(&c->print, d->data.cpu, d->data.indent, d->data.prefix, name);
	} else if (!c->cfg.opt->quiet) {
		str_add(c->print.out, s->cpu_text, s->cpu_len);
		str_add(c->print.out, info->line, info->line_len);
	}
}

static void line_end(struct decode *d)
{
	if (!d->c->cfg.no_lines && !d->c->cfg.opt->quiet && d->c->format == FORMAT_TEXT)
		str_putc(d->c->print.out, '\n');
}

/* ---- printa() ------------------------------------------------------------------------------- */

struct printa {
	struct consumer *c;
	const struct format *fmt;
	const uint32_t *ids;
	size_t n;
	struct print_value *keys;
	size_t nkeys;
	struct print_agg *aggs;
};

static int printa_entry(void *arg, const struct agg_entry *key, const uint64_t *const *values,
			size_t n)
{
	struct printa *pa = arg;
	struct agg_keypart k;
	size_t i;

	for (i = 0; i < pa->nkeys; i++) {
		agg_key_part(pa->c->aggs, key, i, &k);
		print_value_key(&pa->keys[i], &k);
	}
	for (i = 0; i < n; i++)
		pa->aggs[i].value = values[i];
	if (pa->aggs[0].group)
		print_agg_drawn(&pa->c->print, pa->keys, pa->nkeys, pa->aggs);
	else if (pa->fmt)
		print_format_agg(&pa->c->print, pa->fmt, pa->keys, pa->nkeys, pa->aggs, n);
	else
		print_agg_line(&pa->c->print, pa->keys, pa->nkeys, pa->aggs, n);
	for (i = 0; i < n; i++)
		aggs_set_printed(pa->c->aggs, pa->ids[i]);
	return pa->c->abort ? 1 : 0;
}

static int printa_single(void *arg, const struct agg_entry *e)
{
	const uint64_t *value = e->value;
	struct printa *pa = arg;

	pa->aggs[0].cpu = e->cpu;
	return printa_entry(arg, e, &value, 1);
}

struct agg_sort consumer_sort(const struct consumer *c)
{
	const struct consumer_options *o = c->cfg.opt;

	return (struct agg_sort){ o->aggsortkey, o->aggsortrev, o->aggsortkeypos, o->aggsortpos };
}

/* All entries, before the first is drawn. */
struct grouping {
	struct printa *pa;
	struct agg_group *group;
	size_t width; /* of the keys; 0: none seen, or they cannot stand in a line */
};

static int group_entry(void *arg, const struct agg_entry *e)
{
	struct grouping *g = arg;
	struct agg_keypart k;

	for (size_t i = 0; i < g->pa->nkeys && !g->width; i++) {
		agg_key_part(g->pa->c->aggs, e, i, &k);
		print_value_key(&g->pa->keys[i], &k);
	}
	if (!g->width)
		g->width = print_keys_width(g->pa->keys, g->pa->nkeys);
	agg_group_add(g->pa->aggs[0].desc, e->value, g->group);
	return !g->width;
}

/* agghist: counts and sums; aggpack: distributions with keys, but for llquantize. */
static void printa_group(struct printa *pa, struct agg_group *group)
{
	const struct consumer_options *o = pa->c->cfg.opt;
	const struct aggdesc *d = pa->aggs[0].desc;
	struct grouping g = { .pa = pa, .group = group };
	bool hist = o->agghist && (d->func == FN_count || d->func == FN_sum);
	bool pack = o->aggpack && pa->nkeys && (d->func == FN_quantize || d->func == FN_lquantize);

	if (!hist && !pack)
		return;
	aggs_walk(pa->c->aggs, d->id, NULL, group_entry, &g);
	if (!g.width)
		return;
	agg_group_head(pa->c->print.out, d, group, (int)g.width, pa->nkeys ? "key" : "value",
		       &o->agg_style);
	pa->aggs[0].group = group;
}

static void printa_run(struct consumer *c, const struct format *fmt, const uint32_t *ids, size_t n)
{
	struct agg_sort sort = consumer_sort(c);
	struct printa pa = { .c = c, .fmt = fmt, .ids = ids, .n = n };
	struct agg_group group = { 0 };
	size_t i;

	pa.nkeys = aggs_desc(c->aggs, ids[0])->nkeys;
	pa.keys = mem_alloc((pa.nkeys + 1) * sizeof(*pa.keys));
	pa.aggs = mem_alloc(n * sizeof(*pa.aggs));
	for (i = 0; i < n; i++)
		pa.aggs[i] = (struct print_agg){ .desc = aggs_desc(c->aggs, ids[i]),
						 .normal = aggs_normal(c->aggs, ids[i]),
						 .cpus = c->cpus,
						 .ncpus = c->nslots };
	if (n == 1 && !fmt)
		printa_group(&pa, &group);
	if (n == 1)
		aggs_walk(c->aggs, ids[0], &sort, printa_single, &pa);
	else
		aggs_walk_joined(c->aggs, ids, n, &sort, printa_entry, &pa);
	agg_group_free(&group);
	free(pa.aggs);
	free(pa.keys);
}

int decode_printa_all(struct consumer *c, uint32_t agg)
{
	printa_run(c, NULL, &agg, 1);
	return 0;
}

static int do_printa(struct decode *d, const struct action *a)
{
	VEC(uint32_t) ids = { 0 };
	size_t i;

	for (i = 0; i < a->nfields; i++)
		if (a->fields[i].kind == FIELD_AGG &&
		    aggs_desc(d->c->aggs, (uint32_t)a->fields[i].value))
			vec_push(&ids, (uint32_t)a->fields[i].value);
	if (!a->fmt)
		str_putc(d->c->print.out, '\n');
	if (ids.n)
		printa_run(d->c, a->fmt, ids.v, ids.n);
	vec_free(&ids);
	return 0;
}

/* ---- other actions of the consumer ---------------------------------------------------------- */

static uint32_t agg_arg(const struct decode *d)
{
	return d->nargs ? (uint32_t)d->args[0].value : 0;
}

static int do_trunc(struct decode *d)
{
	aggs_trunc(d->c->aggs, agg_arg(d), d->nargs > 1 ? (int64_t)d->args[1].value : 0);
	return 0;
}

static int do_normalize(struct decode *d)
{
	if (aggs_normalize(d->c->aggs, agg_arg(d), d->nargs > 1 ? d->args[1].value : 1))
		return error_report(d->c, d->data.cpu, d->data.ecb, "Invalid normalization");
	return 0;
}

static int do_exit(struct decode *d)
{
	d->c->exited = true;
	d->c->exit_status = d->nargs ? (int)d->args[0].value : 0;
	return 0;
}

static int do_tracemem(struct decode *d)
{
	size_t n = d->nargs ? d->args[0].size : 0;

	if (d->nargs > 1) {
		int64_t dyn = (int64_t)d->args[1].value;

		if (dyn >= 0 && (size_t)dyn < n)
			n = (size_t)dyn;
	}
	if (n)
		print_bytes(&d->c->print, d->args[0].data, n);
	return 0;
}

/* Of a pointer: its value, then what it points to. A line of its own ends with the line. */
static int do_print(struct decode *d)
{
	if (d->nargs > 1)
		print_tree(&d->c->print, d->args[0].value, &d->args[1]);
	else if (d->nargs)
		print_typed(&d->c->print, &d->args[0]);
	if (d->c->cfg.opt->quiet)
		str_putc(d->c->print.out, '\n');
	return 0;
}

static bool asked_to_stop(void *arg)
{
	return ((struct consumer *)arg)->abort != 0;
}

/* The text of a format as a string of its own. */
static char *format_text(struct decode *d, const struct action *a)
{
	struct str s = { 0 }, *out = d->c->print.out;

	d->c->print.out = &s;
	if (a->fmt)
		print_format(&d->c->print, a->fmt, d->args, d->nargs);
	d->c->print.out = out;
	str_reserve(&s, 0);
	return s.s;
}

/* Signals get their default action back and are not blocked in the child. */
static void run_shell(const char *command)
{
	char *argv[] = { "sh", "-c", (char *)command, NULL };
	posix_spawnattr_t attr;
	sigset_t all, none;
	pid_t pid;

	sigfillset(&all);
	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	if (!posix_spawn(&pid, "/bin/sh", NULL, &attr, argv, environ))
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	posix_spawnattr_destroy(&attr);
}

static int do_system(struct decode *d, const struct action *a)
{
	const struct consumer_hooks *h = hooks_of(d->c);
	char *command = format_text(d, a);

	output_flush(&d->c->out, asked_to_stop, d->c);
	if (h && h->system)
		h->system(h->arg, command);
	else
		run_shell(command);
	free(command);
	return 0;
}

static int do_freopen(struct decode *d, const struct action *a)
{
	struct consumer *c = d->c;
	char *path = format_text(d, a), *why;
	int fd = -1, r = 0;

	if (*path) { /* opened first, so that a failure leaves the old stream as it is */
		fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
		if (fd < 0 || !strcmp(path, ".")) {
			why = mem_printf("couldn't freopen() \"%s\": %s", path, strerror(errno));
			r = error_report(c, d->data.cpu, d->data.ecb, why);
			free(why);
			free(path);
			return r;
		}
	}
	output_flush(&c->out, asked_to_stop, c);
	if (c->out.error) { /* told before it is forgotten */
		if (fd >= 0)
			close(fd);
		free(path);
		return -1;
	}
	output_set_fd(&c->out, fd >= 0 ? fd : c->cfg.out_fd);
	if (c->own_fd >= 0)
		close(c->own_fd);
	free(c->own_path);
	c->own_fd = fd;
	c->own_path = path;
	return 0;
}

static int do_ftruncate(struct decode *d)
{
	struct output *o = &d->c->out;

	if (!o->regular)
		return 0;
	output_flush(o, asked_to_stop, d->c);
	if (!ftruncate(o->fd, 0))
		lseek(o->fd, 0, SEEK_SET);
	return 0;
}

static int do_setopt(struct decode *d)
{
	const struct consumer_hooks *h = hooks_of(d->c);
	char *name, *value, *text;
	const char *why = NULL;
	int r = 0;

	if (!d->nargs)
		return 0;
	name = mem_strndup(d->args[0].data, d->args[0].size);
	value = d->nargs > 1 ? mem_strndup(d->args[1].data, d->args[1].size) : mem_strdup("1");
	if (h && h->setopt)
		why = h->setopt(h->arg, &d->data, name, value);
	if (why) {
		text = mem_printf("couldn't set option \"%s\" to \"%s\": %s", name, value, why);
		r = error_report(d->c, d->data.cpu, d->data.ecb, text);
		free(text);
	}
	free(name);
	free(value);
	return r;
}

/* ---- actions -------------------------------------------------------------------------------- */

/* Does it do nothing but show something? */
static bool only_shows(enum func_id func)
{
	switch (func) {
	case FN_exit:
	case FN_clear:
	case FN_trunc:
	case FN_normalize:
	case FN_denormalize:
	case FN_system:
	case FN_freopen:
	case FN_ftruncate:
	case FN_setopt: return false;
	default: return true;
	}
}

static int action_run(struct decode *d, const struct action *a)
{
	size_t i;

	picture_action(d->c, a, d->args, d->nargs);
	if (d->c->format == FORMAT_JSON && !d->c->cfg.no_lines)
		json_action(d->c, a, d->args, d->nargs);
	if (d->c->format != FORMAT_TEXT && only_shows(a->func))
		return 0;

	switch (a->func) {
	case FN_printf:
		if (a->fmt)
			print_format(&d->c->print, a->fmt, d->args, d->nargs);
		return 0;
	case FN_printa: return do_printa(d, a);
	case FN_exit: return do_exit(d);
	case FN_clear: aggs_clear(d->c->aggs, agg_arg(d)); return 0;
	case FN_trunc: return do_trunc(d);
	case FN_normalize: return do_normalize(d);
	case FN_denormalize: aggs_normalize(d->c->aggs, agg_arg(d), 1); return 0;
	case FN_tracemem: return do_tracemem(d);
	case FN_print: return do_print(d);
	case FN_system: return do_system(d, a);
	case FN_freopen: return do_freopen(d, a);
	case FN_ftruncate: return do_ftruncate(d);
	case FN_setopt: return do_setopt(d);
	default: /* trace, stack, sym ... */
		for (i = 0; i < d->nargs; i++)
			print_trace(&d->c->print, &d->args[i]);
		return 0;
	}
}

/* Takes the values of an action's fields out of the record. */
static int args_get(struct decode *d, const struct action *a)
{
	struct consumer *c = d->c;
	const struct abi_rec *r = d->data.rec;
	size_t i;

	vec_reserve(&c->args, a->nfields + 1);
	d->args = c->args.v;
	d->nargs = a->nfields;
	for (i = 0; i < a->nfields; i++) {
		const struct field *f = &a->fields[i];
		uint32_t len;

		if (f->kind == FIELD_STRING) {
			memcpy(&len, (const char *)r + f->offset, 4);
			if (len != UINT32_MAX && len > (size_t)(d->end - d->strs))
				return -EINVAL;
		}
		print_value_get(&d->args[i], f, d->data.ecb, r, &d->strs);
	}
	return 0;
}

static bool is_present(const struct decode *d, const struct action *a)
{
	uint64_t word;

	if (a->presence < 0)
		return true;
	memcpy(&word, (const char *)d->data.rec + d->layout->header + (size_t)a->presence / 64 * 8,
	       8);
	return word >> (a->presence % 64) & 1;
}

static int actions_run(struct decode *d)
{
	const struct consumer_hooks *h = hooks_of(d->c);
	size_t i;

	for (i = 0; i < d->layout->nactions; i++) {
		const struct action *a = &d->layout->actions[i];
		enum consumer_answer answer = CONSUMER_THIS;

		if (!is_present(d, a))
			continue;
		if (d->c->in_snapshot && (func_get(a->func)->flags & FUNC_CONSUMER))
			continue;
		if (args_get(d, a))
			return -EINVAL;
		if (h && h->action)
			answer = h->action(h->arg, &d->data, a);
		if (answer == CONSUMER_ABORT)
			return -ECANCELED;
		if (answer == CONSUMER_THIS && action_run(d, a))
			return -ECANCELED;
	}
	return 0;
}

/* ---- records -------------------------------------------------------------------------------- */

static int decode_fault(struct consumer *c, struct source *s, const struct abi_rec *r)
{
	struct abi_fault_data f;

	if (r->size < s->snap.header + sizeof(f))
		return -EINVAL;
	memcpy(&f, (const char *)r + s->snap.header, sizeof(f));
	return fault_report(c, s->snap.cpu, &f) ? -ECANCELED : 0;
}

int decode_record(struct consumer *c, struct source *s, const struct abi_rec *r,
		  const struct abi_rec *next)
{
	const struct consumer_hooks *h = hooks_of(c);
	const struct ecb *e = ecb_get(c->cfg.ecbs, r->epid);
	const struct ecb_info *info;
	struct decode d = { .c = c,
			    .data = { .cpu = s->snap.cpu, .ecb = e, .rec = r, .prefix = "" } };
	enum consumer_answer answer = CONSUMER_THIS;
	bool line;
	int err;

	if (r->epid == ABI_EPID_FAULT)
		return decode_fault(c, s, r);
	if (!e || !e->layout ||
	    r->size < (e->layout->tail ? e->layout->least : e->layout->fixed))
		return -EINVAL;
	info = ecb_info_get(c, e);
	if (!c->in_snapshot)
		count_record(c, r->epid, s->snap.slot);
	d.layout = e->layout;
	d.strs = (const unsigned char *)r + e->layout->fixed;
	d.end = (const unsigned char *)r + r->size;
	if (s->snap.header == sizeof(struct abi_rec_time))
		d.data.time = ((const struct abi_rec_time *)r)->time;
	if (c->cfg.opt->flowindent)
		flow_find(&d, s, info, next);
	s->last_epid = r->epid;
	if (h && h->probe)
		answer = h->probe(h->arg, &d.data, false);
	if (answer != CONSUMER_THIS)
		return answer == CONSUMER_ABORT ? -ECANCELED : 0;
	c->format = c->cfg.opt->oformat; /* setopt() of it changes the next record */
	line = e->layout->records || e->layout->is_default;
	if (line)
		line_begin(&d, s, info);
	picture_record_begin(c);
	err = actions_run(&d);
	json_record_end(c, !err);
	if (err)
		return err;
	picture_record_end(c);
	if (h && h->probe && h->probe(h->arg, &d.data, true) == CONSUMER_ABORT)
		return -ECANCELED;
	if (line)
		line_end(&d);
	return 0;
}
