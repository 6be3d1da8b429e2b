/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes under control: the targets of -c and -p.
 *
 * A created process is held by ptrace(2) right after exec, before its first instruction, until
 * proc_continue(); the kernel kills it if we end before (PTRACE_O_EXITKILL). From then on it is not traced
 * any more: its end is seen through a pidfd. A process held must be continued or released by the thread
 * that created it. A grabbed process is only followed through its pidfd.
 */
#ifndef SYM_PROC_H
#define SYM_PROC_H

#include <stdbool.h>
#include <sys/types.h>

struct ps_prochandle;

/*
 * Executes `file` (searched in PATH if it holds no slash) with argv; streams, directory, environment and
 * the caller's signal mask are inherited. 0, or negative errno (that of exec) and no process left.
 */
int proc_create(struct ps_prochandle **out, const char *file, char *const *argv);
/* 0 or negative errno: -ESRCH if there is no such process, -EPERM for ourselves. */
int proc_grab(struct ps_prochandle **out, pid_t pid);
/* Lets a held process run. 0; -ESRCH if it was killed meanwhile; a process that runs is left alone. */
int proc_continue(struct ps_prochandle *p);
/* Ends following it: one still held is killed and reaped, any other runs on. Accepts NULL. */
void proc_release(struct ps_prochandle *p);

pid_t proc_pid(const struct ps_prochandle *p);
int proc_fd(const struct ps_prochandle *p); /* pidfd: readable once the process has ended */
/* Looks whether it has ended (and reaps a child). Once true, always true. */
bool proc_ended(struct ps_prochandle *p);
/* As of waitpid(2); 0 before the end and for a grabbed process, whose status nobody tells us. */
int proc_wstatus(const struct ps_prochandle *p);

#endif
