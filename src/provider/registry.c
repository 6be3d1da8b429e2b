/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The probe table: providers in the order of the list below, probes in order of creation, look-up and
 * matching. What a probe is and how it fires is left to the provider's own file.
 */
#include "provider/provider.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

/* One row per provider. dtrace comes first: BEGIN, END and ERROR are probes 1, 2 and 3. */
static const struct provider_ops *const registry[] = {
	&provider_dtrace,
	&provider_profile,
	&provider_syscall,
	&provider_pid,
	&provider_usdt,
	&provider_proc,
	&provider_sched,
	&provider_io,
	&provider_fsinfo,
	&provider_ip,
	&provider_tcp,
	&provider_udp,
	&provider_vminfo,
	&provider_sysinfo,
	&provider_mib,
	&provider_lockstat,
	&provider_cpc,
	&provider_sdt,
	&provider_rawtp,
	&provider_fbt,
	&provider_rawfbt,
};

struct probes *probes_create(void)
{
	struct probes *t = mem_alloc(sizeof(*t));

	t->arena = arena_create();
	t->by_name = hmap_create();
	for (size_t i = 0; i < ARRAY_SIZE(registry); i++) {
		struct provider *p = arena_new(t->arena, struct provider);

		p->ops = registry[i];
		vec_push(&t->providers, p);
	}
	return t;
}

void probes_destroy(struct probes *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->providers.n; i++)
		if (t->providers.v[i]->ops->destroy)
			t->providers.v[i]->ops->destroy(t->providers.v[i]);
	vec_free(&t->providers);
	vec_free(&t->v);
	hmap_destroy(t->by_name);
	arena_destroy(t->arena);
	free(t);
}

/* The four fields, each with its NUL, one behind the other. */
static size_t name_key(struct str *b, const char *prov, const char *mod, const char *func, const char *name)
{
	str_add(b, prov, strlen(prov) + 1);
	str_add(b, mod, strlen(mod) + 1);
	str_add(b, func, strlen(func) + 1);
	str_add(b, name, strlen(name) + 1);
	return b->n;
}

struct probe *probes_lookup(struct probes *t, const char *prov, const char *mod, const char *func, const char *name)
{
	struct str key = {0};
	size_t n = name_key(&key, prov, mod, func, name);
	struct probe *p = hmap_get_n(t->by_name, key.s, n);

	str_free(&key);
	return p;
}

struct probe *probes_add_again(struct probes *t, struct provider *prov, const char *own,
			       const char *mod, const char *func, const char *name, uint64_t data)
{
	struct str key = {0};
	size_t n = name_key(&key, own, mod, func, name);
	struct probe *p = arena_new(t->arena, struct probe);

	p->id = t->v.n + 1;
	p->prov = own == prov->ops->name ? own : arena_strdup(t->arena, own);
	p->mod = arena_strdup(t->arena, mod);
	p->func = arena_strdup(t->arena, func);
	p->name = arena_strdup(t->arena, name);
	p->provider = prov;
	p->data = data;
	vec_push(&t->v, p);
	hmap_put_n(t->by_name, key.s, n, p);
	str_free(&key);
	return p;
}

struct probe *probes_add_as(struct probes *t, struct provider *prov, const char *own,
			    const char *mod, const char *func, const char *name, uint64_t data)
{
	if (probes_lookup(t, own, mod, func, name))
		return NULL;
	return probes_add_again(t, prov, own, mod, func, name, data);
}

struct probe *probes_add(struct probes *t, struct provider *prov, const char *mod, const char *func,
			 const char *name, uint64_t data)
{
	return probes_add_as(t, prov, prov->ops->name, mod, func, name, data);
}

struct provider *probes_provider(const struct probes *t, const char *prov)
{
	for (size_t i = 0; i < t->providers.n; i++) {
		const struct provider_ops *ops = t->providers.v[i]->ops;

		if (!strcmp(ops->name, prov) || (ops->claims && ops->claims(prov)))
			return t->providers.v[i];
	}
	return NULL;
}

const char *probes_unavailable(const struct probes *t, const struct probespec *spec)
{
	struct provider *p = spec->by_id || !*spec->prov ? NULL : probes_provider(t, spec->prov);

	return p && p->ops->unavailable ? p->ops->unavailable(spec) : NULL;
}

static int provide(struct probes *t, struct provider *p)
{
	if (p->provided)
		return 0;
	p->provided = true;
	return p->ops->provide ? p->ops->provide(t, p) : 0;
}

/*
 * Ids are given in order of publication, and they must not depend on what is asked for: a provider is
 * published together with all those before it in the registry.
 */
static int provide_upto(struct probes *t, size_t last)
{
	int err = 0;

	for (size_t i = 0; i <= last && i < t->providers.n; i++) {
		int e = provide(t, t->providers.v[i]);

		if (e && !err)
			err = e;
	}
	return err;
}

int probes_provide_all(struct probes *t)
{
	return provide_upto(t, t->providers.n);
}

static bool field_match(const char *pattern, const char *s)
{
	return !*pattern || glob_match(pattern, s);
}

static bool probe_match(const struct probe *p, const struct probespec *s)
{
	if (p->literal && strcmp(s->func, p->func))
		return false;
	if (p->provider->ops->match)
		return p->provider->ops->match(p, s);
	return field_match(s->prov, p->prov) && field_match(s->mod, p->mod) &&
	       field_match(s->func, p->func) && field_match(s->name, p->name);
}

/*
 * The commonest descriptions are names alone that one provider has: BEGIN, tick-1s. The rest need not be published
 * (which takes milliseconds) to answer for them. Its index; -1: any may have such probes.
 */
static int sole_owner(const struct probes *t, const struct probespec *s)
{
	if (s->by_id || *s->prov || *s->mod || *s->func)
		return -1;
	for (size_t i = 0; i < t->providers.n; i++) {
		const struct provider_ops *ops = t->providers.v[i]->ops;

		if (ops->owns && ops->owns(s->name))
			return (int)i;
	}
	return -1;
}

static int demand(struct probes *t, struct provider *p, const struct probespec *s, struct diag *d)
{
	return p->ops->demand ? p->ops->demand(t, p, s, d) : 0;
}

#define DTRACE_IDS 3 /* BEGIN, END and ERROR: of the first provider */

static int prepare(struct probes *t, const struct probespec *s, struct diag *d)
{
	int owner = sole_owner(t, s);
	size_t last = 0;

	if (s->by_id && s->id >= 1 && s->id <= DTRACE_IDS)
		return provide_upto(t, 0);
	if (owner >= 0) {
		provide_upto(t, owner);
		return demand(t, t->providers.v[owner], s, d) ? -1 : 0;
	}
	for (size_t i = 0; i < t->providers.n; i++)
		if (s->by_id || field_match(s->prov, t->providers.v[i]->ops->name))
			last = i;
	provide_upto(t, last);
	for (size_t i = 0; i < t->providers.n && !s->by_id; i++)
		if (demand(t, t->providers.v[i], s, d))
			return -1;
	return 0;
}

int probes_match(struct probes *t, const struct probespec *spec, struct diag *d,
		 void (*f)(void *arg, struct probe *p), void *arg)
{
	int n = 0;

	if (prepare(t, spec, d) < 0 && d->set)
		return -1;
	if (spec->by_id) {
		if (!spec->id || spec->id > t->v.n)
			return 0;
		if (f)
			f(arg, t->v.v[spec->id - 1]);
		return 1;
	}
	for (size_t i = 0; i < t->v.n; i++) {
		if (!probe_match(t->v.v[i], spec))
			continue;
		if (f)
			f(arg, t->v.v[i]);
		n++;
	}
	return n;
}
