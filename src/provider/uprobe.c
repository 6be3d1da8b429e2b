/* SPDX-License-Identifier: BSD-2-Clause */
/* Placing the probes of a group on files (provider/uprobe.h). */
#include "provider/uprobe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "provider/place.h"
#include "sym/insn.h"

struct sites {
	struct probe_group *g;
	int prog;
	const struct uprobe_site *v;
	bool is_return, multi;
};

static void path_of(const struct elf_file *f, char path[40])
{
	snprintf(path, 40, "/proc/self/fd/%d", f->fd);
}

static int link_sites(void *arg, size_t from, size_t n)
{
	const struct sites *sites = arg;
	const struct uprobe_site *s = sites->v + from;
	struct kern_uprobe *u;
	char path[40];
	int fd;

	path_of(s->file, path);
	if (!sites->multi)
		return kern_uprobe_perf_link(sites->prog, path, sites->is_return, &s->u);
	u = mem_alloc(sizeof(*u) * n);
	for (size_t i = 0; i < n; i++)
		u[i] = s[i].u;
	fd = kern_uprobe_multi_link(sites->prog, path, s->pid, sites->is_return, u, n);
	free(u);
	return fd;
}

static const struct probe *site_probe(void *arg, size_t i)
{
	return ((const struct sites *)arg)->v[i].probe;
}

static int by_file(const void *x, const void *y)
{
	const struct uprobe_site *a = x, *b = y;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->u.offset < b->u.offset ? -1 : a->u.offset > b->u.offset;
}

/* Known refusals are taken out before, for each would cost many attempts. Gives the number left. */
static size_t leave_out(struct placing *pl, struct uprobe_site *s, size_t n)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		const struct elf_file *f = s[i].file;

		if (s[i].u.offset < f->size && insn_probeable(f->data + s[i].u.offset, f->size - s[i].u.offset))
			s[left++] = s[i];
		else
			place_refuse(pl, s[i].probe, -EOPNOTSUPP);
	}
	return left;
}

static int place_all(struct placing *pl, const struct sites *s, size_t n)
{
	int err = 0;

	if (!s->multi)
		return place_each(pl, 0, n);
	for (size_t i = 0, end; i < n && !err; i = end) {
		for (end = i + 1; end < n && s->v[end].file == s->v[i].file && s->v[end].pid == s->v[i].pid; end++)
			;
		err = place_many(pl, i, end - i);
	}
	return err;
}

bool uprobes_multi(const struct probe_group *g)
{
	return g->ops->attach_type == (enum bpf_attach_type)KERN_UPROBE_MULTI;
}

int uprobes_attach(struct probe_group *g, const struct attach_env *env, struct uprobe_site *sites, size_t n,
		   bool is_return, const char **why)
{
	struct sites s = {.g = g, .prog = g->prog_fd, .v = sites, .is_return = is_return, .multi = uprobes_multi(g)};
	struct placing pl = {.g = g, .link = link_sites, .probe = site_probe, .arg = &s};
	int err;

	*why = "failed to place probes in user programs";
	n = leave_out(&pl, sites, n);
	qsort(sites, n, sizeof(*sites), by_file);
	err = place_all(&pl, &s, n);
	return err ? err : place_end(&pl, env, why);
}

int uprobes_attach_beside(struct probe_group *g, int prog_fd, struct uprobe_site *sites, size_t n)
{
	struct sites s = {.g = g, .prog = prog_fd, .v = sites, .multi = uprobes_multi(g)};
	struct placing pl = {.g = g, .link = link_sites, .probe = site_probe, .arg = &s};

	n = leave_out(&pl, sites, n);
	qsort(sites, n, sizeof(*sites), by_file);
	return place_all(&pl, &s, n);
}
