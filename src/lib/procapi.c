/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes of a consumer: the interface over sym/proc, and the news of their end. */
#include "lib/impl.h"

#include <errno.h>
#include <string.h>

enum { FORK_PARENT, FORK_FOLLOW }; /* -x fork */

static void watch(void *arg, int fd)
{
	dtrace_hdl_t *dtp = arg;

	for (size_t i = 0; i < dtp->procs.n; i++) {
		struct ps_prochandle *p = dtp->procs.v[i];

		if (proc_fd(p) != fd || !proc_ended(p))
			continue;
		consumer_del_fd(dtp->consumer, fd);
		/* The handler may release it. */
		if (dtp->on_proc)
			dtp->on_proc(p, NULL, dtp->on_proc_arg);
		return;
	}
}

/*
 * Of all processes (pid 0) or one: what is held at exec goes on to the point that evaltime
 * names.
 */
static bool advance(void *arg, pid_t pid)
{
	dtrace_hdl_t *dtp = arg;
	bool created = false;

	for (size_t i = 0; i < dtp->procs.n; i++) {
		struct ps_prochandle *p = dtp->procs.v[i];

		if (pid && proc_pid(p) != pid)
			continue;
		proc_advance(p, (enum proc_stop)dtp->opt[OPT_EVALTIME]);
		created |= proc_created(p);
	}
	return created;
}

static bool follows(void *arg, pid_t pid)
{
	dtrace_hdl_t *dtp = arg;

	for (size_t i = 0; dtp->opt[OPT_FORK] == FORK_FOLLOW && i < dtp->procs.n; i++)
		if (!pid || proc_pid(dtp->procs.v[i]) == pid)
			return true;
	return false;
}

static uint32_t follow_max(void *arg)
{
	const dtrace_hdl_t *dtp = arg;

	return (uint32_t)MIN(MAX(dtp->opt[OPT_FORKMAX], 1), 1 << 22); /* more numbers than that there are not */
}

void procapi_init(dtrace_hdl_t *dtp)
{
	dtp->probes->look = advance;
	dtp->probes->follows = follows;
	dtp->probes->follow_max = follow_max;
	dtp->probes->look_arg = dtp;
}

/*
 * Processes go to the point when probes are looked for in them, or, if another than the default
 * is asked for, at the start of tracing: what happens before is not traced, so that a script
 * which needs no such probes sees all.
 */
void procapi_start(dtrace_hdl_t *dtp)
{
	if (dtp->opt[OPT_EVALTIME] != PROC_STOP_POSTINIT)
		advance(dtp, 0);
}

static struct ps_prochandle *adopt(dtrace_hdl_t *dtp, struct ps_prochandle *p)
{
	int rc = dtp->consumer ? consumer_add_fd(dtp->consumer, proc_fd(p), watch, dtp) : 0;

	if (rc < 0) {
		proc_release(p);
		hdl_error(dtp, -rc);
		return NULL;
	}
	if (!dtp->target)
		dtp->target = proc_pid(p);
	vec_push(&dtp->procs, p);
	return p;
}

static void signal_error(dtrace_hdl_t *dtp, const char *file, int sig)
{
	const char *name = sigabbrev_np(sig);

	if (name)
		hdl_errorf(dtp, EINTR, "failed to execute %s: terminated by SIG%s", file, name);
	else
		hdl_errorf(dtp, EINTR, "failed to execute %s: terminated by signal %d", file, sig);
}

struct ps_prochandle *dtrace_proc_create(dtrace_hdl_t *dtp, const char *file, char *const *argv)
{
	struct ps_prochandle *p;
	int sig, rc = proc_create(&p, file, argv, &sig);

	if (rc == 0)
		return adopt(dtp, p);
	if (sig)
		signal_error(dtp, file, sig);
	else
		hdl_errorf(dtp, -rc, "failed to execute %s: %s", file, dtrace_errmsg(NULL, -rc));
	return NULL;
}

struct ps_prochandle *dtrace_proc_grab(dtrace_hdl_t *dtp, pid_t pid, int flags)
{
	struct ps_prochandle *p;
	int rc = flags || pid <= 0 ? -EINVAL : proc_grab(&p, pid);

	if (rc == 0)
		return adopt(dtp, p);
	hdl_errorf(dtp, -rc, "failed to grab pid %d: %s", (int)pid, dtrace_errmsg(NULL, -rc));
	return NULL;
}

void dtrace_proc_continue(dtrace_hdl_t *dtp, struct ps_prochandle *P)
{
	(void)dtp;
	/* One that was killed while it was held is found to have ended like any other. */
	proc_continue(P);
}

void dtrace_proc_release(dtrace_hdl_t *dtp, struct ps_prochandle *P)
{
	for (size_t i = 0; i < dtp->procs.n; i++) {
		if (dtp->procs.v[i] != P)
			continue;
		memmove(&dtp->procs.v[i], &dtp->procs.v[i + 1],
			(dtp->procs.n - i - 1) * sizeof(dtp->procs.v[0]));
		dtp->procs.n--;
		break;
	}
	if (dtp->consumer)
		consumer_del_fd(dtp->consumer, proc_fd(P));
	proc_release(P);
}

pid_t dtrace_proc_getpid(dtrace_hdl_t *dtp, struct ps_prochandle *P)
{
	(void)dtp;
	return proc_pid(P);
}

int dtrace_proc_status(dtrace_hdl_t *dtp, struct ps_prochandle *P, int *wstatus)
{
	bool ended = proc_ended(P);

	(void)dtp;
	if (wstatus)
		*wstatus = proc_wstatus(P);
	return ended;
}

int procapi_watch(dtrace_hdl_t *dtp)
{
	for (size_t i = 0; i < dtp->procs.n; i++) {
		int rc = consumer_add_fd(dtp->consumer, proc_fd(dtp->procs.v[i]), watch, dtp);

		if (rc < 0)
			return rc;
	}
	return 0;
}

void procapi_close(dtrace_hdl_t *dtp)
{
	while (dtp->procs.n)
		dtrace_proc_release(dtp, dtp->procs.v[dtp->procs.n - 1]);
	vec_free(&dtp->procs);
}
