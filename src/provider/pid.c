/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The provider pid: functions and instructions of a process (providers.md 16).
 *
 * Probes are made when a description asks for them, from the symbols of the files that the process executes.
 * What their programs do is in pidcg.c.
 *
 * An entry probe stands behind endbr64, which the kernel would have to single-step (20 times the cost), if it can;
 * arguments and the stack are the same there.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "provider/pid.h"
#include "sym/ifunc.h"
#include "sym/insn.h"

static struct pid_data *data_get(struct probes *t, struct provider *p)
{
	struct pid_data *pd = p->data;

	if (pd)
		return pd;
	pd = p->data = mem_alloc(sizeof(*pd));
	pd->cache = elf_cache_create(false);
	pd->asked = hmap_create();
	pd->demangler = demangler_create();
	pd->follow = follow_create(t);
	return pd;
}

static void pid_destroy(struct provider *p)
{
	struct pid_data *pd = p->data;

	if (!pd)
		return;
	for (size_t i = 0; i < pd->targets.n; i++) {
		elf_images_free(&pd->targets.v[i]->images);
		free(pd->targets.v[i]);
	}
	watch_destroy(pd->watch);
	follow_destroy(pd->follow);
	vec_free(&pd->targets);
	vec_free(&pd->places);
	hmap_destroy(pd->asked);
	demangler_destroy(pd->demangler);
	elf_cache_destroy(pd->cache);
	free(pd);
	p->data = NULL;
}

/* ---- processes --------------------------------------------------------------------------------------- */

static bool pid_claims(const char *prov)
{
	size_t digits = !strncmp(prov, "pid", 3) ? strspn(prov + 3, "0123456789") : 0;

	return digits && !prov[3 + digits];
}

/* The process of a provider field: 0: it is none of ours, -1 with *d set: it cannot be one. */
static pid_t provider_pid_of(const struct probespec *spec, struct diag *d)
{
	unsigned long pid;
	char *end;

	if (strncmp(spec->prov, "pid", 3) || !isdigit((unsigned char)spec->prov[3]) || glob_has(spec->prov))
		return 0;
	errno = 0;
	pid = strtoul(spec->prov + 3, &end, 10);
	if (*end)
		return diag_error(d, "D_PROC_BADPROV", spec->loc, "'%s' is not a valid provider", spec->prov);
	if (errno || !pid || pid > INT32_MAX)
		return diag_error(d, "D_PROC_BADPID", spec->loc, "'%s' does not contain a valid pid", spec->prov);
	return (pid_t)pid;
}

static struct target *target_get(struct probes *t, struct pid_data *pd, const struct probespec *spec, pid_t pid,
				 struct diag *d)
{
	struct target *tg;

	for (size_t i = 0; i < pd->targets.n; i++)
		if (pd->targets.v[i]->pid == pid)
			return pd->targets.v[i];
	if (pid == getpid()) {
		diag_error(d, "D_PROC_DYN", spec->loc, "process %d is dtrace itself", (int)pid);
		return NULL;
	}
	tg = mem_alloc(sizeof(*tg));
	tg->pid = pid;
	tg->created = t->look && t->look(t->look_arg, pid);
	if (elf_images_read(pd->cache, pid, &tg->images) < 0) {
		free(tg);
		diag_error(d, "D_PROC_GRAB", spec->loc, "failed to grab process %d", (int)pid);
		return NULL;
	}
	vec_push(&pd->targets, tg);
	return tg;
}

/* ---- probes ------------------------------------------------------------------------------------------ */

struct making {
	struct probes *t;
	struct provider *p;
	struct pid_data *pd;
	const struct probespec *spec;
	struct diag *d;
	pid_t pid;
	const struct target *tg;
	const struct elf_image *image;
	bool whole; /* the description names one function: what it asks of it must be there */
};

/* Its file may have been executed before, with others in between: the kernel has kept what was placed on it. */
static bool has_probe(const struct probe *probe, const struct elf_file *file)
{
	for (; probe; probe = pid_place(probe)->other)
		if (pid_place(probe)->file == file)
			return true;
	return false;
}

static void add(struct making *m, const char *func, enum pid_kind kind, const char *name, uint64_t addr, uint64_t from)
{
	const char *mod = m->image->exe ? "a.out" : m->image->name;
	const struct probe *other = probes_lookup(m->t, m->spec->prov, mod, func, name);
	struct place *pl;
	uint64_t offset;
	struct probe *probe;

	if (!elf_file_offset(m->image->file, addr, &offset) || has_probe(other, m->image->file))
		return;
	probe = probes_add_again(m->t, m->p, m->spec->prov, mod, func, name, m->pd->places.n);
	pl = vec_add(&m->pd->places);
	pl->other = other;
	pl->file = m->image->file;
	pl->module = m->image->exe ? arena_strdup(m->t->arena, m->image->name) : probe->mod;
	pl->exe = m->image->exe;
	pl->pid = m->pid;
	pl->kind = kind;
	pl->offset = offset;
	pl->from = from;
}

/* On the marker itself only if the kernel refuses what is behind it. */
static uint64_t behind_pad(const struct elf_file *f, const struct elf_func *fn)
{
	size_t n = 16 + 4, pad;
	const uint8_t *code = elf_file_bytes(f, fn->addr, &n);

	pad = code ? insn_landing_pad(code, n) : 0;
	if (!pad || (fn->size && fn->size <= pad) || !insn_probeable(code + pad, n - pad))
		return fn->addr;
	return fn->addr + pad;
}

/* Calls f for each instruction of the function until it says stop. False: there is something else among them. */
static bool each_insn(const struct elf_file *file, const struct elf_func *fn, bool (*f)(void *arg, uint64_t off),
		      void *arg)
{
	size_t n = fn->size, len;
	const uint8_t *code = elf_file_bytes(file, fn->addr, &n);

	for (size_t off = 0; code && off < n; off += len) {
		if (!f(arg, off))
			return true;
		len = insn_length(code + off, n - off);
		if (!len)
			return false;
	}
	return true;
}

struct insn_search {
	struct making *m;
	const struct elf_func *fn;
	const char *func;
	uint64_t want;
	bool found;
};

static bool insn_is(void *arg, uint64_t off)
{
	struct insn_search *s = arg;

	s->found |= off == s->want;
	return off < s->want;
}

static bool insn_add(void *arg, uint64_t off)
{
	struct insn_search *s = arg;
	char name[24];

	snprintf(name, sizeof(name), "%llx", (unsigned long long)off);
	if (!*s->m->spec->name || glob_match(s->m->spec->name, name))
		add(s->m, s->func, PID_OFFSET, name, s->fn->addr + off, off);
	return true;
}

static bool name_offset(const char *name, uint64_t *off)
{
	char *end;

	if (!isxdigit((unsigned char)name[0]) || (name[0] == '0' && (name[1] | 32) == 'x'))
		return false;
	errno = 0;
	*off = strtoull(name, &end, 16);
	return !*end && !errno;
}

static int add_offset(struct making *m, const struct elf_func *fn, const char *func, uint64_t off)
{
	struct insn_search s = {.m = m, .fn = fn, .want = off};
	char name[24];

	if (off >= fn->size) {
		if (m->whole)
			return diag_error(m->d, "D_PROC_OFF", m->spec->loc, "offset 0x%llx outside of function '%s'",
					  (unsigned long long)off, func);
		return 0;
	}
	each_insn(m->image->file, fn, insn_is, &s);
	if (!s.found) {
		if (m->whole)
			return diag_error(m->d, "D_PROC_ALIGN", m->spec->loc,
					  "offset 0x%llx is not aligned on an instruction", (unsigned long long)off);
		return 0;
	}
	snprintf(name, sizeof(name), "%llx", (unsigned long long)off);
	add(m, func, PID_OFFSET, name, fn->addr + off, off);
	return 0;
}

/* The probes of one function, published under the name that was asked for. */
static int add_function(struct making *m, const struct elf_func *fn)
{
	const char *name = m->spec->name, *func = fn->name;
	struct insn_search s = {.m = m, .fn = fn, .func = func};
	uint64_t off;

	if (!glob_has(name) && *name) {
		if (name_offset(name, &off))
			return add_offset(m, fn, func, off);
		add(m, func, strcmp(name, "entry") ? PID_RETURN : PID_ENTRY, name, behind_pad(m->image->file, fn), 0);
		return 0;
	}
	if (!*name || glob_match(name, "entry"))
		add(m, func, PID_ENTRY, "entry", behind_pad(m->image->file, fn), 0);
	if (!*name || glob_match(name, "return"))
		add(m, func, PID_RETURN, "return", behind_pad(m->image->file, fn), 0);
	each_insn(m->image->file, fn, insn_add, &s);
	return 0;
}

/* C++ and Rust functions go by either name, that of the symbol or that of the source. */
static bool func_match(const struct pid_data *pd, const char *pattern, const char *func)
{
	return !*pattern || glob_match(pattern, func) ||
	       (glob_has(pattern) && glob_match(pattern, demangle(pd->demangler, func)));
}

/* A function that chooses among implementations has the probes of what was chosen, under its own name. */
static int add_chosen(struct making *m, const struct elf_func *fn, bool glob)
{
	const struct elf_images *im = &m->tg->images;
	const struct elf_func *impl;
	struct elf_func chosen = *fn;

	if (!ifunc_resolve(m->pid, im, m->image - im->v.v, fn, &chosen.addr))
		return 0;
	impl = elf_file_func_at(m->image->file, chosen.addr);
	if (impl && impl->addr != chosen.addr)
		impl = NULL;
	/* It is there under the name of the implementation. */
	if (impl && glob && func_match(m->pd, m->spec->func, impl->name))
		return 0;
	/* The size is that of the chooser. */
	chosen.size = impl ? impl->size : 0;
	return add_function(m, &chosen);
}

/* An address of several names has one probe: of those that match, the preferred one names it. */
static int add_functions(struct making *m)
{
	struct elf_file *f = m->image->file;
	const char *func = m->spec->func;
	uint64_t done = UINT64_MAX;

	if (*func && !glob_has(func)) {
		const struct elf_func *fn = elf_file_func(f, func);

		return !fn ? 0 : fn->ifunc ? add_chosen(m, fn, false) : add_function(m, fn);
	}
	elf_file_funcs(f);
	for (size_t i = 0; i < f->funcs.n; i++) {
		const struct elf_func *fn = &f->funcs.v[i];

		if (fn->addr == done || !func_match(m->pd, func, fn->name))
			continue;
		done = fn->addr;
		if ((fn->ifunc ? add_chosen(m, fn, true) : add_function(m, fn)) < 0)
			return -1;
	}
	return 0;
}

/* pidN:a.out:-:ADDRESS */
static int add_address(struct making *m)
{
	const struct probespec *s = m->spec;
	const struct elf_func *fn;
	uint64_t addr;

	if (!*s->mod || glob_has(s->mod) || !m->image->exe || !elf_module_match(m->image->name, true, s->mod))
		return diag_error(m->d, "D_PROC_LIB", s->loc, "only the a.out module is valid with the '-' function");
	if (!name_offset(s->name, &addr))
		return diag_error(m->d, "D_PROC_NAME", s->loc,
				  "only individual addresses may be specified with the '-' function");
	addr -= m->image->bias;
	fn = elf_file_func_at(m->image->file, addr);
	if (fn && fn->size) {
		struct insn_search is = {.want = addr - fn->addr};

		each_insn(m->image->file, fn, insn_is, &is);
		if (!is.found)
			return diag_error(m->d, "D_PROC_ALIGN", s->loc, "offset 0x%s is not aligned on an instruction",
					  s->name);
	}
	size_t before = m->pd->places.n;

	add(m, "-", PID_OFFSET, s->name, addr, addr + m->image->bias);
	if (m->pd->places.n == before && !probes_lookup(m->t, s->prov, "a.out", "-", s->name))
		return diag_error(m->d, "D_PROC_OFF", s->loc, "offset 0x%s outside of function '-'", s->name);
	return 0;
}

/* Puts the description to the images from `from` on. */
static int make_probes(struct making *m, struct target *tg, size_t from)
{
	const struct probespec *s = m->spec;
	bool found = from > 0;
	uint64_t off;

	m->tg = tg;
	if (!strcmp(s->func, "-")) {
		if (!tg->images.v.n || from)
			return 0;
		m->image = &tg->images.v.v[0];
		return add_address(m);
	}
	if (*s->name && !glob_has(s->name) && strcmp(s->name, "entry") && strcmp(s->name, "return") &&
	    !name_offset(s->name, &off))
		return diag_error(m->d, "D_PROC_NAME", s->loc, "'%s' is an invalid probe name", s->name);
	if (!*s->mod || glob_has(s->mod))
		tg->open = true;
	for (size_t i = from; i < tg->images.v.n; i++) {
		m->image = &tg->images.v.v[i];
		if (!elf_module_match(m->image->name, m->image->exe, s->mod))
			continue;
		found = true;
		if (add_functions(m) < 0)
			return -1;
	}
	tg->open |= !found;
	return 0;
}

static int pid_demand(struct probes *t, struct provider *p, const struct probespec *spec, struct diag *d)
{
	struct making m = {.t = t, .p = p, .spec = spec, .d = d};
	struct target *tg;
	size_t done;
	char *key;
	int err = 0;

	m.pid = provider_pid_of(spec, d);
	if (m.pid <= 0)
		return m.pid;
	m.pd = data_get(t, p);
	m.whole = *spec->func && !glob_has(spec->func);
	tg = target_get(t, m.pd, spec, m.pid, d);
	if (!tg)
		return -1;
	key = mem_printf("%u:%s:%s:%s:%s", tg->execs, spec->prov, spec->mod, spec->func,
			 spec->name);
	done = (uintptr_t)hmap_get(m.pd->asked, key);
	if (done < tg->images.v.n + 1) {
		err = make_probes(&m, tg, done ? done - 1 : 0);
		if (!err)
			hmap_put(m.pd->asked, key, (void *)(tg->images.v.n + 1));
	}
	free(key);
	/* What another program lacks is no fault of the description. */
	if (err && tg->execs) {
		diag_clear(d);
		return 0;
	}
	return err;
}

static bool pid_match(const struct probe *probe, const struct probespec *s)
{
	const struct place *pl = pid_place(probe);
	uint64_t off;

	if (*s->prov && !glob_match(s->prov, probe->prov))
		return false;
	if (!elf_module_match(pl->module, pl->exe, s->mod))
		return false;
	/* Addresses are not functions: no glob means them. */
	if (strcmp(probe->func, "-") ? !func_match(probe->provider->data, s->func, probe->func) : strcmp(s->func, "-"))
		return false;
	if (!*s->name || glob_match(s->name, probe->name))
		return true;
	return pl->kind == PID_OFFSET && !glob_has(s->name) && name_offset(s->name, &off) && off == pl->from;
}

/* ---- libraries and programs that come later ------------------------------------------------------------ */

static int pid_watch(struct probes *t, struct provider *p)
{
	struct pid_data *pd = p->data;

	for (size_t i = 0; pd && i < pd->targets.n; i++) {
		struct target *tg = pd->targets.v[i];

		if (!pd->watch)
			pd->watch = watch_create(&t->watches);
		if (!pd->watch)
			return -1;
		watch_exec(pd->watch, tg->pid, tg->created);
		if (tg->open)
			watch_libraries(pd->watch, tg->pid, &tg->images, tg->created);
	}
	return pd && pd->watch ? watch_fd(pd->watch) : -1;
}

static void changed(void *arg, const struct watch_news *news)
{
	pid_t pid = news->pid;
	struct pid_data *pd = arg;

	for (size_t i = 0; i < pd->targets.n; i++) {
		struct target *tg = pd->targets.v[i];

		if (tg->pid != pid)
			continue;
		if (!(news->kind & WATCH_EXEC)) {
			elf_images_update(pd->cache, pid, &tg->images);
			continue;
		}
		elf_images_free(&tg->images);
		elf_images_read(pd->cache, pid, &tg->images);
		tg->execs++;
		tg->news = true;
		tg->open = false;
	}
}

static void pid_refresh(struct probes *t, struct provider *p)
{
	struct pid_data *pd = p->data;

	(void)t;
	watch_read(pd->watch, changed, pd);
}

static void pid_refreshed(struct probes *t, struct provider *p)
{
	static const struct elf_images none;
	struct pid_data *pd = p->data;

	(void)t;
	for (size_t i = 0; i < pd->targets.n; i++) {
		struct target *tg = pd->targets.v[i];

		if (tg->news)
			watch_libraries(pd->watch, tg->pid, tg->open ? &tg->images : &none,
					tg->created);
		tg->news = false;
	}
	watch_go_on(pd->watch);
}

static void pid_unwatch(struct probes *t, struct provider *p)
{
	struct pid_data *pd = p->data;

	(void)t;
	if (!pd)
		return;
	watch_destroy(pd->watch);
	pd->watch = NULL;
}

static uint64_t pid_unfollowed(const struct provider *p)
{
	return p->data ? follow_lost(((const struct pid_data *)p->data)->follow) : 0;
}

const struct provider_ops provider_pid = {
	.name = "pid",
	.stability = {"Evolving/Evolving/ISA", "Private/Private/Unknown", "Private/Private/Unknown",
		      "Evolving/Evolving/ISA", "Private/Private/Unknown"},
	.demand = pid_demand,
	.match = pid_match,
	.claims = pid_claims,
	.group_key = pid_group_key,
	.group_init = pid_group_init,
	.attach = pid_attach,
	.skipped = pid_skipped,
	.skipped_row = pid_skipped_row,
	.unfollowed = pid_unfollowed,
	.group_destroy = pid_group_destroy,
	.destroy = pid_destroy,
	.watch = pid_watch,
	.refresh = pid_refresh,
	.refreshed = pid_refreshed,
	.unwatch = pid_unwatch,
};
