/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes under control: the targets of -c and -p.
 *
 * A created process is held by ptrace(2) right after exec, before its first instruction, until
 * proc_continue(); the kernel kills it if we end before (PTRACE_O_EXITKILL). From then on it is
 * not traced any more: its end is seen through a pidfd. A process held must be continued or
 * released by the thread that created it. A grabbed process is only followed through its pidfd.
 */
#ifndef SYM_PROC_H
#define SYM_PROC_H

#include <stdbool.h>
#include <sys/types.h>

struct ps_prochandle;

/*
 * Executes `file` (searched in PATH if it holds no slash) with argv; streams, directory,
 * environment and the caller's signal mask are inherited. 0, or negative errno (that of exec)
 * and no process left; *sig is then the signal that ended it on its way, 0: none did.
 */
int proc_create(struct ps_prochandle **out, const char *file, char *const *argv, int *sig);
/* 0 or negative errno: -ESRCH if there is no such process, -EPERM for ourselves. */
int proc_grab(struct ps_prochandle **out, pid_t pid);
/* Points at which a created process can be held, in their order. */
enum proc_stop {
	PROC_STOP_EXEC,	    /* its first instruction: the dynamic linker's, if it has one */
	PROC_STOP_PREINIT,  /* the dynamic linker has mapped the libraries */
	PROC_STOP_POSTINIT, /* initialisers have run; main has not */
	PROC_STOP_MAIN,	    /* the same */
};
/*
 * Lets a process held at exec run to a point, where it is held again. Where the point cannot be
 * found (a static program without symbols) it stays where it is. 0; -ESRCH: it ended on the
 * way.
 */
int proc_advance(struct ps_prochandle *p, enum proc_stop to);
/*
 * Lets a held process run. 0; -ESRCH if it was killed meanwhile; a process that runs is left
 * alone.
 */
int proc_continue(struct ps_prochandle *p);
/* Ends following it: one still held is killed and reaped, any other runs on. Accepts NULL. */
void proc_release(struct ps_prochandle *p);

bool proc_created(const struct ps_prochandle *p); /* by us: a child */
pid_t proc_pid(const struct ps_prochandle *p);
int proc_fd(const struct ps_prochandle *p); /* pidfd: readable once the process has ended */
/* Looks whether it has ended (and reaps a child). Once true, always true. */
bool proc_ended(struct ps_prochandle *p);
/* As of waitpid(2); 0 before the end and for a grabbed process, whose status nobody tells us. */
int proc_wstatus(const struct ps_prochandle *p);

#endif
