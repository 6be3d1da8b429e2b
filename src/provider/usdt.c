/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Static probes of programs and libraries: provider PROVPID, from .note.stapsdt (providers.md 17).
 *
 * A probe is named by a process, a file, the function around it and its name; it may stand at several places
 * (the function was inlined, or names it twice). Every place has its own operands: the attach cookie holds the
 * row of the probe and the number of its operand text, and the program chooses by it where an argument is read.
 * Counters that tell the program that a probe is enabled are raised by the kernel.
 *
 * A provider field that ends in a process id is looked for there; a glob in all processes, and, while tracing, in
 * those that are forked, execute a program or map libraries from then on: their first milliseconds pass unseen, but for
 * a process that we have created, which is stopped where it executes or maps.
 */
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "provider/uprobe.h"
#include "provider/usdt.h"
#include "provider/watch.h"
#include "sym/pids.h"

static struct usdt_data *data_get(struct probes *t, struct provider *p)
{
	struct usdt_data *ud = p->data;

	if (ud)
		return ud;
	ud = p->data = mem_alloc(sizeof(*ud));
	ud->cache = elf_cache_create(true);
	ud->all = elf_cache_create(false);
	ud->by_pid = hmap_create();
	ud->follow = follow_create(t);
	return ud;
}

static void usdt_destroy(struct provider *p)
{
	struct usdt_data *ud = p->data;

	if (!ud)
		return;
	watch_destroy(ud->watch);
	for (size_t i = 0; i < ud->processes.n; i++) {
		elf_images_free(&ud->processes.v[i]->images);
		vec_free(&ud->processes.v[i]->published);
		free(ud->processes.v[i]);
	}
	for (size_t i = 0; i < ud->probes.n; i++) {
		vec_free(&ud->probes.v[i]->places);
		free(ud->probes.v[i]);
	}
	for (size_t i = 0; i < ud->operands.n; i++)
		free(ud->operands.v[i]);
	vec_free(&ud->processes);
	vec_free(&ud->probes);
	vec_free(&ud->operands);
	vec_free(&ud->open);
	hmap_destroy(ud->by_pid);
	follow_destroy(ud->follow);
	elf_cache_destroy(ud->cache);
	elf_cache_destroy(ud->all);
	free(ud);
	p->data = NULL;
}

/* ---- publishing -------------------------------------------------------------------------------------- */

/* Operands that name symbols hold for their place alone. False: there are none. */
static bool operands_resolve(struct operands *o, const struct elf_file *f, uint64_t addr)
{
	bool any = false;

	for (int i = 0; i < o->n; i++) {
		struct note_arg *a = &o->arg[i];
		int64_t distance = 0;
		bool known;

		if (a->kind == NOTE_ARG_NONE || !*a->symbol)
			continue;
		any = true;
		if (a->segment) {
			known = elf_file_thread_symbol(f, a->symbol, &distance);
			note_arg_resolve_thread(a, known, distance);
			continue;
		}
		note_arg_resolve(a, elf_file_private_symbol(f, a->symbol), addr,
				 f->type == ET_EXEC);
	}
	return any;
}

static uint32_t operands_get(struct usdt_data *ud, const struct elf_file *f,
			     const struct elf_note *note)
{
	struct operands *o;

	for (size_t i = 0; i < ud->operands.n; i++) {
		o = ud->operands.v[i];
		if (o->of ? o->of == note : !strcmp(o->text, note->args))
			return i;
	}
	o = mem_alloc(sizeof(*o));
	o->text = note->args;
	o->n = note_args_parse(note->args, o->arg);
	if (operands_resolve(o, f, note->addr))
		o->of = note;
	vec_push(&ud->operands, o);
	return ud->operands.n - 1;
}

/* "a__b" is written a-b. */
static void probe_name(const char *from, char *to, size_t size)
{
	size_t n = 0;

	while (*from && n + 1 < size) {
		bool dash = from[0] == '_' && from[1] == '_';

		to[n++] = dash ? '-' : *from;
		from += dash ? 2 : 1;
	}
	to[n] = 0;
}

static void publish_note(struct probes *t, struct provider *p, const struct process *pr, const struct elf_image *im,
			 const struct elf_note *note)
{
	const struct elf_func *fn = elf_file_func_at(im->file, note->addr);
	struct usdt_data *ud = p->data;
	const char *func = fn ? fn->name : "";
	struct place place = {0};
	char prov[128], name[256];
	struct probe *probe;
	struct sprobe *sp;

	if (!elf_file_offset(im->file, note->addr, &place.offset) ||
	    (note->semaphore && !elf_file_offset(im->file, note->semaphore, &place.ref_ctr)))
		return;
	place.ops = operands_get(ud, im->file, note);
	if (place.ops >> OPS_BITS)
		return;
	snprintf(prov, sizeof(prov), "%s%d", note->provider, (int)pr->pid);
	probe_name(note->name, name, sizeof(name));
	probe = probes_lookup(t, prov, im->name, func, name);
	if (!probe || (probe->provider == p && usdt_probe(probe)->turn < pr->turn)) {
		probe = probes_add_again(t, p, prov, im->name, func, name, ud->probes.n);
		sp = mem_alloc(sizeof(*sp));
		sp->pid = pr->pid;
		sp->turn = pr->turn;
		sp->file = im->file;
		sp->module = probe->mod;
		sp->exe = im->exe;
		sp->note = note;
		vec_push(&ud->probes, sp);
	} else if (probe->provider != p) {
		return;
	} else {
		sp = ud->probes.v[probe->data];
		/* Another file of this name. */
		if (sp->file != im->file)
			return;
	}
	vec_push(&sp->places, place);
}

/* Does a provider of the file have this field's name in the process? */
static bool field_means(const char *field, const struct elf_file *f, pid_t pid)
{
	char prov[128];

	for (size_t i = 0; i < f->notes.n; i++) {
		if (i && !strcmp(f->notes.v[i].provider, f->notes.v[i - 1].provider))
			continue;
		snprintf(prov, sizeof(prov), "%s%d", f->notes.v[i].provider, (int)pid);
		if (glob_match(field, prov))
			return true;
	}
	return false;
}

/* Do places in the file fire in the process under the name of a target already, that it was forked by? */
static bool inherited(const struct usdt_data *ud, pid_t pid, const struct elf_file *file)
{
	for (size_t i = 0; ud->follow && i < ud->processes.n; i++) {
		const struct process *pr = ud->processes.v[i];

		if (!follow_has(ud->follow, pid, pr->pid))
			continue;
		for (size_t k = 0; k < pr->published.n; k++)
			if (pr->published.v[k] && pr->images.v.v[k].file == file)
				return true;
	}
	return false;
}

void usdt_publish(struct probes *t, struct provider *p, struct process *pr, const char *field)
{
	const struct usdt_data *ud = p->data;

	for (size_t i = 0; i < pr->images.v.n; i++) {
		const struct elf_image *im = &pr->images.v.v[i];

		if (i == pr->published.n)
			vec_push(&pr->published, false);
		if (pr->published.v[i] || !field_means(field, im->file, pr->pid) || inherited(ud, pr->pid, im->file))
			continue;
		pr->published.v[i] = true;
		for (size_t k = 0; k < im->file->notes.n; k++)
			publish_note(t, p, pr, im, &im->file->notes.v[k]);
	}
}

/* ---- processes --------------------------------------------------------------------------------------- */

/* In ticks since the machine was started; 0: it is gone. */
static uint64_t start_of(pid_t pid)
{
	unsigned long long start = 0;
	char path[32], *text, *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (kern_read_file(AT_FDCWD, path, &text, NULL))
		return 0;
	/* The second field is a name in parentheses; the time is the 22nd. */
	end = strrchr(text, ')');
	if (!end || sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
			   &start) != 1)
		start = 0;
	free(text);
	return start;
}

static void read_anew(struct usdt_data *ud, struct process *pr, uint64_t start)
{
	elf_images_free(&pr->images);
	vec_free(&pr->published);
	pr->start = start;
	pr->unread = elf_images_read(ud->cache, pr->pid, &pr->images) < 0;
}

struct process *usdt_process(struct usdt_data *ud, pid_t pid, bool again)
{
	struct process *pr = hmap_get_u64(ud->by_pid, pid);
	uint64_t start = !pr || again ? start_of(pid) : 0;

	if (!pr) {
		pr = mem_alloc(sizeof(*pr));
		pr->pid = pid;
		read_anew(ud, pr, start);
		hmap_put_u64(ud->by_pid, pid, pr);
		vec_push(&ud->processes, pr);
	} else if (start && start != pr->start) {
		pr->turn++;
		pr->created = false;
		read_anew(ud, pr, start);
	} else if (start) {
		pr->unread = elf_images_update(ud->cache, pid, &pr->images) < 0;
	}
	return pr;
}

void usdt_scan(struct usdt_data *ud, bool again)
{
	struct pids p;

	pids_read(&p);
	for (size_t i = 0; i < p.v.n; i++)
		if (p.v.v[i] != getpid())
			usdt_process(ud, p.v.v[i], again);
	pids_free(&p);
}

static bool is_pid_provider(const char *prov)
{
	return !strncmp(prov, "pid", 3) && isdigit((unsigned char)prov[3]);
}

static void remember_open(struct probes *t, struct usdt_data *ud, const char *field)
{
	for (size_t i = 0; i < ud->open.n; i++)
		if (!strcmp(ud->open.v[i], field))
			return;
	vec_push(&ud->open, arena_strdup(t->arena, field));
}

/* "libfoo21234": the process may be 21234, 1234 ... */
static void demand_pid(struct probes *t, struct provider *p, const char *field)
{
	const char *end = field + strlen(field), *digits = end;

	while (digits > field && isdigit((unsigned char)digits[-1]))
		digits--;
	for (; digits < end; digits++) {
		char path[32];
		long pid = strtol(digits, NULL, 10);

		if (*digits == '0' || pid > INT32_MAX || pid == getpid())
			continue;
		snprintf(path, sizeof(path), "/proc/%ld", pid);
		if (access(path, F_OK) < 0)
			continue;
		bool created = t->look && t->look(t->look_arg, pid);
		struct process *pr = usdt_process(p->data, pid, false);

		pr->created |= created;
		if (created)
			remember_open(t, p->data, field);
		usdt_publish(t, p, pr, field);
	}
}

static int usdt_demand(struct probes *t, struct provider *p, const struct probespec *spec, struct diag *d)
{
	const char *field = spec->prov;
	struct usdt_data *ud;
	size_t n = strlen(field), before = t->v.n;

	(void)d;
	if (!n || is_pid_provider(field) || (!glob_has(field) && !isdigit((unsigned char)field[n - 1])))
		return 0;
	for (size_t i = 0; i < t->providers.n; i++)
		if (!strcmp(t->providers.v[i]->ops->name, field))
			return 0;
	ud = data_get(t, p);
	if (!glob_has(field)) {
		demand_pid(t, p, field);
		if (t->v.n == before) {
			remember_open(t, ud, field);
			ud->any = true;
		}
		return 0;
	}
	if (t->look)
		t->look(t->look_arg, 0);
	if (!ud->scanned)
		usdt_scan(ud, false);
	ud->scanned = true;
	remember_open(t, ud, field);
	ud->any = true;
	for (size_t i = 0; i < ud->processes.n; i++)
		usdt_publish(t, p, ud->processes.v[i], field);
	return 0;
}

static bool usdt_match(const struct probe *probe, const struct probespec *s)
{
	const struct sprobe *sp = usdt_probe(probe);

	return (!*s->prov || glob_match(s->prov, probe->prov)) && elf_module_match(sp->module, sp->exe, s->mod) &&
	       (!*s->func || glob_match(s->func, probe->func)) && (!*s->name || glob_match(s->name, probe->name));
}

static const struct elf_decl *decl_of(const struct sprobe *sp)
{
	for (size_t i = 0; i < sp->file->decls.n; i++) {
		const struct elf_decl *d = &sp->file->decls.v[i];

		if (!strcmp(d->provider, sp->note->provider) && !strcmp(d->name, sp->note->name))
			return d;
	}
	return NULL;
}

/* The lines of a text, at most max of them; gives their number. */
static int lines(struct arena *a, const char *text, const char **out, int max)
{
	int n = 0;

	while (*text && n < max) {
		size_t len = strcspn(text, "\n");

		out[n++] = arena_strndup(a, text, len);
		text += len + (text[len] != 0);
	}
	return n;
}

/*
 * As they were declared, or as many as the note has operands, of their sizes; what those point to is not told.
 */
static const char *const *usdt_args(struct probes *t, const struct probe *probe)
{
	static const char *const types[2][9] = {
		{ [1] = "uint8_t", [2] = "uint16_t", [4] = "uint32_t", [8] = "uint64_t" },
		{ [1] = "int8_t", [2] = "int16_t", [4] = "int32_t", [8] = "int64_t" },
	};
	const struct usdt_data *ud = probe->provider->data;
	const struct sprobe *sp = usdt_probe(probe);
	const struct operands *o = ud->operands.v[sp->places.v[0].ops];
	const char **out = arena_alloc(t->arena, sizeof(*out) * (o->n + 1));
	const struct elf_decl *decl = decl_of(sp);

	if (decl && lines(t->arena, decl->args, out, o->n) == o->n)
		return out;
	for (int i = 0; i < o->n; i++)
		out[i] = types[o->arg[i].is_signed][o->arg[i].size];
	return out;
}

static const struct probe_xarg *usdt_xargs(struct probes *t, const struct probe *probe)
{
	const struct elf_decl *decl = decl_of(usdt_probe(probe));
	const char *line[NOTE_ARGS];
	struct probe_xarg *out;
	int n;

	if (!decl || !*decl->out)
		return NULL;
	n = lines(t->arena, decl->out, line, NOTE_ARGS);
	out = arena_alloc(t->arena, sizeof(*out) * (n + 1));
	for (int i = 0; i < n; i++) {
		char *type;

		out[i].from = (int)strtol(line[i], &type, 10);
		out[i].type = type + (*type == ' ');
	}
	return out;
}

/* ---- groups ----------------------------------------------------------------------------------------------- */

static uint64_t usdt_group_key(const struct probe *probe)
{
	(void)probe;
	return 0;
}

static void usdt_group_init(struct probe_group *g, const struct probe *probe)
{
	const struct usdt_data *ud = probe->provider->data;

	snprintf(g->name, sizeof(g->name), "usdt");
	g->ops = usdt_cg();
	g->ops_data = g;
	if (ud->follow)
		g->aux_fd = follow_map(ud->follow);
	g->nrows = 0;
	g->activity = ABI_ACTIVE;
}

/* Arguments that the program asks for and cannot have. */
static void tell_unread(const struct usdt_data *ud, const struct probe *p, uint32_t ops, const struct attach_env *env)
{
	struct operands *o = ud->operands.v[ops];
	char text[512];

	for (int i = 0; i < o->n; i++) {
		if (!(o->asked & 1u << i))
			continue;
		snprintf(text, sizeof(text), "arg%d of %s:%s:%s:%s cannot be read, it is 0: %s", i, p->prov, p->mod,
			 p->func, p->name, o->arg[i].symbol);
		env->warn(env->arg, text);
	}
	o->asked = 0;
}

static int usdt_attach(struct probe_group *g, const struct attach_env *env, const char **why)
{
	const struct usdt_data *ud = g->provider->data;
	struct follow *f = ud->follow;
	VEC(struct uprobe_site) sites = {0};
	int err = 0;

	for (size_t i = 0; i < g->probes.n && !err; i++) {
		const struct sprobe *sp = usdt_probe(g->probes.v[i]);

		*why = "failed to follow forks";
		err = f ? follow_add(f, sp->pid) : 0;
		for (size_t k = 0; k < sp->places.n; k++) {
			struct uprobe_site *s = vec_add(&sites);

			tell_unread(ud, g->probes.v[i], sp->places.v[k].ops, env);
			s->probe = g->probes.v[i];
			s->file = sp->file;
			s->pid = follow_forks(f, sp->pid) ? 0 : sp->pid;
			s->u.offset = sp->places.v[k].offset;
			s->u.ref_ctr = sp->places.v[k].ref_ctr;
			s->u.cookie = i | (uint64_t)sp->places.v[k].ops << ROW_BITS;
			if (!usdt_is_confined(g))
				s->u.cookie |= (uint64_t)sp->pid << (ROW_BITS + OPS_BITS);
		}
	}
	if (!err)
		err = uprobes_attach(g, env, sites.v, sites.n, false, why);
	vec_free(&sites);
	return err;
}

static uint64_t usdt_unfollowed(const struct provider *p)
{
	return p->data ? follow_lost(((const struct usdt_data *)p->data)->follow) : 0;
}

const struct provider_ops provider_usdt = {
	.name = "usdt",
	.stability = { "Evolving/Evolving/ISA", "Private/Private/Unknown",
		       "Private/Private/Unknown", "Evolving/Evolving/ISA",
		       "Evolving/Evolving/ISA" },
	.demand = usdt_demand,
	.match = usdt_match,
	.args = usdt_args,
	.xargs = usdt_xargs,
	.group_key = usdt_group_key,
	.group_init = usdt_group_init,
	.attach = usdt_attach,
	.unfollowed = usdt_unfollowed,
	.watch = usdt_watch,
	.refresh = usdt_refresh,
	.refreshed = usdt_refreshed,
	.unwatch = usdt_unwatch,
	.destroy = usdt_destroy,
};
