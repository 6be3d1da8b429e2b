/* SPDX-License-Identifier: BSD-2-Clause */
/* Guards of processes that are stopped (sym/guard.h). */
#include "sym/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

struct guard {
	pid_t pid;   /* guarded */
	pid_t child; /* the guard */
};

/* Descriptors that a guard keeps: pidfds of us and of the process. */
enum { FD_MASTER, FD_OTHER };

/* Our last programs may still be running when we are gone, and stop it then. */
#define ROUNDS 10
#define ROUND_MS 10

/* ---- the guard: a fork, possibly of a process with threads: system calls only ---- */

/* By SIGSTOP; the state stands behind the name in parentheses. */
static bool is_stopped(const char *stat)
{
	char text[128], *state;
	int fd = open(stat, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	state = strrchr(text, ')');
	return state && !strncmp(state, ") T", 3);
}

static bool has_ended(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

static void __attribute__((noreturn)) guard_main(const char *stat)
{
	struct pollfd p[] = { { .fd = FD_MASTER, .events = POLLIN },
			      { .fd = FD_OTHER, .events = POLLIN } };

	while (poll(p, 2, -1) < 0)
		;
	for (int i = 0; i < ROUNDS && !has_ended(FD_OTHER, i ? ROUND_MS : 0); i++)
		if (is_stopped(stat))
			syscall(SYS_pidfd_send_signal, FD_OTHER, SIGCONT, NULL, 0);
	_exit(0);
}

/*
 * What is sent to our group or terminal is not for it. Descriptors are closed: they would keep probes alive, and the
 * readers of our output waiting.
 */
static void __attribute__((noreturn)) child_main(const int fd[2], const char *stat)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "dtrace-guard");
	if (dup2(fd[FD_MASTER], FD_MASTER) < 0 || dup2(fd[FD_OTHER], FD_OTHER) < 0 ||
	    syscall(SYS_close_range, FD_OTHER + 1, ~0u, 0) < 0)
		_exit(1);
	guard_main(stat);
}

/* ---- the master ---- */

/* Above those that the guard takes. */
static int pidfd_get(pid_t pid)
{
	int fd = syscall(SYS_pidfd_open, pid, 0), high;

	if (fd < 0 || fd > FD_OTHER)
		return fd;
	high = fcntl(fd, F_DUPFD_CLOEXEC, FD_OTHER + 1);
	close(fd);
	return high;
}

struct guard *guard_create(pid_t pid)
{
	int fd[] = { pidfd_get(getpid()), pidfd_get(pid) };
	pid_t child = -1;
	struct guard *g;
	char stat[32];

	snprintf(stat, sizeof(stat), "/proc/%d/stat", (int)pid);
	/* As fork(), but nobody is sent SIGCHLD for it, and no wait() for any child finds it. */
	if (fd[FD_MASTER] >= 0 && fd[FD_OTHER] >= 0)
		child = syscall(SYS_clone, 0, NULL, NULL, NULL, 0);
	if (child == 0)
		child_main(fd, stat);
	for (int i = 0; i < 2; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	if (child < 0)
		return NULL;
	g = mem_alloc(sizeof(*g));
	g->pid = pid;
	g->child = child;
	return g;
}

void guard_destroy(struct guard *g)
{
	if (!g)
		return;
	kill(g->child, SIGKILL);
	while (waitpid(g->child, NULL, __WALL) < 0 && errno == EINTR)
		;
	free(g);
}

pid_t guard_pid(const struct guard *g)
{
	return g->pid;
}
