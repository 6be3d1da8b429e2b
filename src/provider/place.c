/* SPDX-License-Identifier: BSD-2-Clause */
/* Placing many probes (provider/place.h). */
#include "provider/place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/str.h"

#define ENOTSUPP 524 /* of the kernel's own */

void place_refuse(struct placing *pl, const struct probe *p, int error)
{
	if (pl->refused < PLACE_NAMED)
		pl->first[pl->refused] = p;
	if (!pl->refused++)
		pl->error = error == -ENOTSUPP ? -EOPNOTSUPP : error;
}

/* What the kernel answers for a place that it cannot put a probe on, or that is not there. */
static bool is_refusal(int err)
{
	switch (-err) {
	case EOPNOTSUPP:
	case ENOTSUPP:
	case EINVAL:
	case EIO:
	case EFAULT:
	case EILSEQ:
	case ENOENT:
	case EADDRNOTAVAIL: return true;
	}
	return false;
}

int place_many(struct placing *pl, size_t from, size_t n)
{
	int fd = pl->link(pl->arg, from, n), err;

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
		place_refuse(pl, pl->probe(pl->arg, from), fd);
		return 0;
	}
	err = place_many(pl, from, n / 2);
	return err ? err : place_many(pl, from + n / 2, n - n / 2);
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

int place_each(struct placing *pl, size_t from, size_t n)
{
	raise_files(pl->g->fds.n + n);
	for (size_t i = from; i < from + n; i++) {
		int fd = pl->link(pl->arg, i, 1);

		if (is_refusal(fd)) {
			place_refuse(pl, pl->probe(pl->arg, i), fd);
			continue;
		}
		if (fd < 0)
			return fd;
		vec_push(&pl->g->fds, fd);
		pl->placed++;
	}
	return 0;
}

static void tell(const struct placing *pl, const struct attach_env *env)
{
	struct str text = {0};

	str_printf(&text, "%zu of %zu probes of %s cannot be placed (", pl->refused, pl->refused + pl->placed,
		   pl->g->name);
	for (size_t i = 0; i < pl->refused && i < PLACE_NAMED; i++)
		str_printf(&text, "%s%s:%s", i ? ", " : "", pl->first[i]->func, pl->first[i]->name);
	str_printf(&text, "%s): %s", pl->refused > PLACE_NAMED ? ", ..." : "", strerror(-pl->error));
	env->warn(env->arg, str_c(&text));
	str_free(&text);
}

/* None of the places can be had: the error names the first. */
static int nothing_placed(const struct placing *pl, const char **why)
{
	static _Thread_local char text[256];
	const struct probe *p = pl->first[0];

	if (!strcmp(p->name, "entry") || !strcmp(p->name, "return"))
		snprintf(text, sizeof(text), "failed to create %s probe for '%s'", p->name, p->func);
	else
		snprintf(text, sizeof(text), "failed to create probe at '%s+0x%s'", p->func, p->name);
	*why = text;
	return pl->error;
}

int place_end(const struct placing *pl, const struct attach_env *env, const char **why)
{
	if (pl->refused && !pl->placed && !pl->gone)
		return nothing_placed(pl, why);
	if (pl->refused)
		tell(pl, env);
	return 0;
}
