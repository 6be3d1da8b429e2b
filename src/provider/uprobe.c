/* SPDX-License-Identifier: BSD-2-Clause */
/* Placing the probes of a group on files (provider/uprobe.h). */
#include "provider/uprobe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/str.h"
#include "sym/insn.h"

#define NAMED 3 /* refused places that are named; the others are counted */

struct placing {
	struct probe_group *g;
	bool is_return;
	size_t placed, refused, gone;
	const struct probe *first[NAMED];
	int error; /* of the first that was refused */
};

static void refuse(struct placing *pl, const struct uprobe_site *s, int error)
{
	if (pl->refused < NAMED)
		pl->first[pl->refused] = s->probe;
	if (!pl->refused++)
		pl->error = error;
}

/* What the kernel answers for an instruction that it cannot place a probe on, or that is not there. */
static bool is_refusal(int err)
{
	return err == -EOPNOTSUPP || err == -524 /* ENOTSUPP */ || err == -EINVAL || err == -EIO || err == -EFAULT;
}

static void path_of(const struct elf_file *f, char path[40])
{
	snprintf(path, 40, "/proc/self/fd/%d", f->fd);
}

static int link_many(struct placing *pl, const struct uprobe_site *s, size_t n)
{
	struct kern_uprobe *u = mem_alloc(sizeof(*u) * n);
	char path[40];
	int fd;

	path_of(s->file, path);
	for (size_t i = 0; i < n; i++)
		u[i] = s[i].u;
	fd = kern_uprobe_multi_link(pl->g->prog_fd, path, s->pid, pl->is_return, u, n);
	free(u);
	return fd;
}

/* One refused place refuses the whole link: halves are tried, down to the culprit. */
static int place_many(struct placing *pl, const struct uprobe_site *s, size_t n)
{
	int fd = link_many(pl, s, n), err;

	if (fd >= 0) {
		vec_push(&pl->g->fds, fd);
		pl->placed += n;
		return 0;
	}
	if (fd == -ESRCH) {
		pl->gone += n;
		return 0;
	}
	if (!is_refusal(fd))
		return fd;
	if (n == 1) {
		refuse(pl, s, fd);
		return 0;
	}
	err = place_many(pl, s, n / 2);
	return err ? err : place_many(pl, s + n / 2, n - n / 2);
}

static int place_each(struct placing *pl, const struct uprobe_site *s, size_t n)
{
	char path[40];

	path_of(s->file, path);
	for (size_t i = 0; i < n; i++) {
		int fd = kern_uprobe_perf_link(pl->g->prog_fd, path, pl->is_return, &s[i].u);

		if (is_refusal(fd)) {
			refuse(pl, &s[i], fd);
			continue;
		}
		if (fd < 0)
			return fd;
		vec_push(&pl->g->fds, fd);
		pl->placed++;
	}
	return 0;
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
			refuse(pl, &s[i], -EOPNOTSUPP);
	}
	return left;
}

static void tell(const struct placing *pl, const struct attach_env *env)
{
	struct str text = {0};

	str_printf(&text, "%zu of %zu probes of %s cannot be placed (", pl->refused, pl->refused + pl->placed,
		   pl->g->name);
	for (size_t i = 0; i < pl->refused && i < NAMED; i++)
		str_printf(&text, "%s%s:%s", i ? ", " : "", pl->first[i]->func, pl->first[i]->name);
	str_printf(&text, "%s): %s", pl->refused > NAMED ? ", ..." : "",
		   strerror(pl->error == -524 ? EOPNOTSUPP : -pl->error));
	env->warn(env->arg, str_c(&text));
	str_free(&text);
}

/* None of the places can be had: the error names the first. */
static int nothing_placed(struct placing *pl, const char **why)
{
	static _Thread_local char text[256];
	const struct probe *p = pl->first[0];

	if (!strcmp(p->name, "entry") || !strcmp(p->name, "return"))
		snprintf(text, sizeof(text), "failed to create %s probe for '%s'", p->name, p->func);
	else
		snprintf(text, sizeof(text), "failed to create probe at '%s+0x%s'", p->func, p->name);
	*why = text;
	return pl->error == -524 ? -EOPNOTSUPP : pl->error;
}

/* Each perf event is a descriptor. */
static void raise_files(size_t n)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0 || r.rlim_cur == RLIM_INFINITY || r.rlim_cur >= n + 256)
		return;
	r.rlim_cur = n + 256 < r.rlim_max ? n + 256 : r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
}

int uprobes_attach(struct probe_group *g, const struct attach_env *env, struct uprobe_site *sites, size_t n,
		   bool is_return, const char **why)
{
	bool multi = g->ops->attach_type == (enum bpf_attach_type)KERN_UPROBE_MULTI;
	struct placing pl = {.g = g, .is_return = is_return};
	size_t end;

	*why = "failed to place probes in user programs";
	n = leave_out(&pl, sites, n);
	qsort(sites, n, sizeof(*sites), by_file);
	if (!multi)
		raise_files(n);
	for (size_t i = 0; i < n; i = end) {
		int err;

		for (end = i + 1; end < n && sites[end].file == sites[i].file && sites[end].pid == sites[i].pid; end++)
			;
		err = multi ? place_many(&pl, sites + i, end - i) : place_each(&pl, sites + i, end - i);
		if (err)
			return err;
	}
	if (pl.refused && !pl.placed && !pl.gone)
		return nothing_placed(&pl, why);
	if (pl.refused)
		tell(&pl, env);
	return 0;
}
