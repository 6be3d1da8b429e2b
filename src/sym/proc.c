/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes of -c and -p: creation, holding, end. What they run and load is left to others. */
#include "sym/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "kern/kern.h"
#include "sym/images.h"

enum { HOLD_OPTIONS = PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL };

enum proc_state { PROC_HELD, PROC_RUNNING, PROC_ENDED };

struct ps_prochandle {
	pid_t pid;
	int fd; /* pidfd */
	enum proc_state state;
	bool child;
	bool advanced;
	int wstatus;
};

static int open_pidfd(pid_t pid)
{
	int fd = syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : fd;
}

static pid_t reap(pid_t pid, int *status, int flags)
{
	pid_t got;

	do
		got = waitpid(pid, status, flags | __WALL);
	while (got < 0 && errno == EINTR);
	return got;
}

static bool is_event(int status, int event)
{
	return status >> 8 == (SIGTRAP | event << 8);
}

/* Handlers of the parent must not run in the child; what was ignored stays ignored. */
static void default_handlers(void)
{
	struct sigaction sa;

	for (int sig = 1; sig < NSIG; sig++) {
		if (sigaction(sig, NULL, &sa) < 0)
			continue;
		if (!(sa.sa_flags & SA_SIGINFO) &&
		    (sa.sa_handler == SIG_DFL || sa.sa_handler == SIG_IGN))
			continue;
		signal(sig, SIG_DFL);
	}
}

/*
 * Waits for the parent's word (end of file: it gave up), then executes. The error goes back
 * through `err`.
 */
static void __attribute__((noreturn))
child_main(int go, int err, const sigset_t *mask, const char *file, char *const *argv)
{
	char c;
	ssize_t n;
	int error;

	default_handlers();
	do
		n = read(go, &c, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(127);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(file, argv);
	error = errno;
	n = write(err, &error, sizeof(error));
	(void)n;
	_exit(127);
}

/*
 * Runs the traced child until exec is done. 0, or negative errno and the child is reaped. A signal
 * may have ended it: one from the keyboard goes to both of us, and exec sends one where it fails
 * with the old program gone.
 */
static int run_to_exec(pid_t pid, int err, int *sig)
{
	int status, error;

	for (;;) {
		if (reap(pid, &status, 0) < 0)
			return -errno;
		if (WIFSIGNALED(status)) {
			*sig = WTERMSIG(status);
			return -EINTR;
		}
		if (WIFEXITED(status))
			return read(err, &error, sizeof(error)) == sizeof(error) ? -error : -ECHILD;
		if (is_event(status, PTRACE_EVENT_EXEC))
			return 0;
		/* A signal on its way to the child, or (high bits set) an event of no interest. */
		ptrace(PTRACE_CONT, pid, NULL,
		       (void *)(uintptr_t)(status >> 16 ? 0 : WSTOPSIG(status)));
	}
}

static void kill_child(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	reap(pid, &status, 0);
}

static int hold(pid_t pid, int go, int err, int *sig)
{
	int rc;

	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)HOLD_OPTIONS) < 0 ||
	    write(go, "", 1) != 1) {
		rc = -errno;
		kill_child(pid);
		return rc;
	}
	return run_to_exec(pid, err, sig);
}

static void close_pair(int fd[2])
{
	close(fd[0]);
	close(fd[1]);
}

/*
 * pid of the child, or negative errno. With a child, the write end of `go` and the read end of
 * `err` are given.
 */
static int spawn(const char *file, char *const *argv, int *go, int *err)
{
	int gofd[2], errfd[2], rc;
	sigset_t all, mask;
	pid_t pid;

	if (pipe2(gofd, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(errfd, O_CLOEXEC) < 0) {
		rc = -errno;
		close_pair(gofd);
		return rc;
	}
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	pid = fork();
	if (pid == 0) {
		close(gofd[1]);
		child_main(gofd[0], errfd[1], &mask, file, argv);
	}
	rc = pid < 0 ? -errno : pid;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (rc < 0) {
		close_pair(gofd);
		close_pair(errfd);
		return rc;
	}
	close(gofd[0]);
	close(errfd[1]);
	*go = gofd[1];
	*err = errfd[0];
	return rc;
}

static struct ps_prochandle *make(pid_t pid, int fd, enum proc_state state)
{
	struct ps_prochandle *p = mem_alloc(sizeof(*p));

	p->pid = pid;
	p->fd = fd;
	p->state = state;
	p->child = state == PROC_HELD;
	return p;
}

int proc_create(struct ps_prochandle **out, const char *file, char *const *argv, int *sig)
{
	int go, err, fd, rc;
	pid_t pid = spawn(file, argv, &go, &err);

	*sig = 0;
	if (pid < 0)
		return pid;
	rc = hold(pid, go, err, sig);
	close(go);
	close(err);
	if (rc < 0)
		return rc;
	fd = open_pidfd(pid);
	if (fd < 0) {
		kill_child(pid);
		return fd;
	}
	*out = make(pid, fd, PROC_HELD);
	return 0;
}

int proc_grab(struct ps_prochandle **out, pid_t pid)
{
	int fd;

	if (pid == getpid())
		return -EPERM;
	fd = open_pidfd(pid);
	if (fd < 0)
		return fd;
	*out = make(pid, fd, PROC_RUNNING);
	return 0;
}

/* ---- points on the way to main --------------------------------------------------------------- */

/*
 * Breakpoints are those of the processor: nothing is written into the program, and neither
 * threads nor forks of its initialisers meet them.
 */
#define DEBUGREG(n) offsetof(struct user, u_debugreg[n])

static int breakpoint_set(pid_t pid, uint64_t addr)
{
	if (ptrace(PTRACE_POKEUSER, pid, DEBUGREG(7), 0) < 0)
		return -errno;
	if (!addr)
		return 0;
	if (ptrace(PTRACE_POKEUSER, pid, DEBUGREG(0), addr) < 0 ||
	    ptrace(PTRACE_POKEUSER, pid, DEBUGREG(6), 0) < 0 ||
	    ptrace(PTRACE_POKEUSER, pid, DEBUGREG(7), 1) < 0)
		return -errno;
	return 0;
}

/*
 * Some hypervisors take breakpoints and never report one. There an int3 is written instead, and
 * taken away again from forks of initialisers as they appear, however they were made; threads do not
 * come to these points.
 */
enum { INT3 = 0xcc, INT3_OPTIONS = HOLD_OPTIONS | PTRACE_O_TRACEFORK | PTRACE_O_TRACECLONE };

static int byte_set(pid_t pid, uint64_t addr, uint8_t to, uint8_t *was)
{
	uint64_t at = addr & ~7ull, word;
	unsigned shift = 8 * (addr & 7);

	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, pid, at, 0);
	if (errno)
		return -errno;
	*was = word >> shift;
	if (*was == to)
		return 0;
	word = (word & ~(0xffull << shift)) | (uint64_t)to << shift;
	return ptrace(PTRACE_POKETEXT, pid, at, word) < 0 ? -errno : 0;
}

static int int3_set(pid_t pid, uint64_t addr, uint8_t *was)
{
	int err = byte_set(pid, addr, INT3, was);

	if (!err && *was == INT3) /* a uprobe is there: the kernel would keep it for itself */
		return -EBUSY;
	if (!err && ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)INT3_OPTIONS) < 0)
		err = -errno;
	return err;
}

static void int3_leave_fork(pid_t pid, uint64_t addr, uint8_t was)
{
	unsigned long child;
	int status;

	if (ptrace(PTRACE_GETEVENTMSG, pid, NULL, &child) < 0 || reap(child, &status, 0) < 0 ||
	    !WIFSTOPPED(status))
		return;
	byte_set(child, addr, was, &(uint8_t){ 0 });
	/* A thread, or another process in the same memory: it is gone from both now. */
	byte_set(pid, addr, INT3, &(uint8_t){ 0 });
	ptrace(PTRACE_DETACH, child, NULL, NULL);
}

/* 1: it is there, and the int3 is gone; 0: something else stopped it. */
static int int3_reached(pid_t pid, uint64_t addr, uint8_t was)
{
	struct user_regs_struct regs;
	int err;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs) < 0)
		return -errno;
	if (regs.rip != addr + 1)
		return 0;
	err = byte_set(pid, addr, was, &(uint8_t){ 0 });
	regs.rip = addr;
	if (err || ptrace(PTRACE_SETREGS, pid, NULL, &regs) < 0 ||
	    ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)HOLD_OPTIONS) < 0)
		return err ? err : -errno;
	return 1;
}

/* 0: there; 1: it has executed another program; -ESRCH: it has ended; -EBUSY: it cannot be stopped there. */
static int run_to(struct ps_prochandle *p, uint64_t addr)
{
	bool hard = kern_feature(KERN_FEATURE_BREAKPOINT);
	uint8_t was = 0;
	int status, sig = 0, err = hard ? breakpoint_set(p->pid, addr) : int3_set(p->pid, addr, &was);

	if (err)
		return err;
	for (;;) {
		ptrace(PTRACE_CONT, p->pid, NULL, (void *)(intptr_t)sig);
		if (reap(p->pid, &status, 0) < 0)
			return -errno;
		if (!WIFSTOPPED(status)) {
			p->wstatus = status;
			p->state = PROC_ENDED;
			return -ESRCH;
		}
		if (is_event(status, PTRACE_EVENT_EXEC))
			return 1;
		if (is_event(status, PTRACE_EVENT_FORK) || is_event(status, PTRACE_EVENT_CLONE))
			int3_leave_fork(p->pid, addr, was);
		sig = status >> 16 ? 0 : WSTOPSIG(status);
		if (sig != SIGTRAP)
			continue;
		if (!hard && (err = int3_reached(p->pid, addr, was)))
			return err < 0 ? err : 0;
		if (hard && ptrace(PTRACE_PEEKUSER, p->pid, DEBUGREG(6), 0) & 1)
			return breakpoint_set(p->pid, 0);
	}
}

/* Address of a function in what the process has mapped; 0. */
static uint64_t function_address(const struct elf_images *im, const char *name)
{
	for (size_t i = 0; i < im->v.n; i++) {
		const struct elf_func *fn = elf_file_func(im->v.v[i].file, name);

		if (fn)
			return fn->addr + im->v.v[i].bias;
	}
	return 0;
}

/*
 * A program without symbols: its entry point calls the C library's start with main as first
 * argument, after the libraries have been initialised.
 */
static int run_to_hidden_main(struct ps_prochandle *p, struct elf_cache *c,
			      const struct elf_images *at_exec)
{
	const struct elf_image *exe = &at_exec->v.v[0];
	struct elf_images im = { 0 };
	struct user_regs_struct regs;
	uint64_t start;
	int rc;

	if (at_exec->v.n < 2) /* no dynamic linker: nothing that would tell */
		return 0;
	rc = run_to(p, exe->file->entry + exe->bias);
	if (rc)
		return rc;
	elf_images_read(c, p->pid, &im);
	start = function_address(&im, "__libc_start_main");
	elf_images_free(&im);
	if (!start)
		return 0;
	rc = run_to(p, start);
	if (rc)
		return rc;
	if (ptrace(PTRACE_GETREGS, p->pid, NULL, &regs) < 0)
		return 0;
	return run_to(p, regs.rdi);
}

/* The dynamic linker calls an empty function before and after it maps libraries. */
static int run_to_mapped(struct ps_prochandle *p, struct elf_cache *c,
			 const struct elf_images *at_exec)
{
	uint64_t state = at_exec->v.n > 1 ? function_address(at_exec, "_dl_debug_state") : 0;
	int rc = 0;

	for (int i = 0; state && i < 2 && !rc; i++) {
		struct elf_images im = { 0 };
		size_t n;

		rc = run_to(p, state);
		if (rc)
			break;
		elf_images_read(c, p->pid, &im);
		n = im.v.n;
		elf_images_free(&im);
		if (n > at_exec->v.n)
			break;
	}
	return rc;
}

int proc_advance(struct ps_prochandle *p, enum proc_stop to)
{
	struct elf_cache *c;
	struct elf_images im = { 0 };
	uint64_t addr;
	int rc = 0;

	if (p->state != PROC_HELD || p->advanced || to == PROC_STOP_EXEC)
		return 0;
	p->advanced = true;
	c = elf_cache_create(false);
	if (elf_images_read(c, p->pid, &im) == 0 && im.v.n && im.v.v[0].exe) {
		const struct elf_func *fn = elf_file_func(im.v.v[0].file, "main");

		addr = fn ? fn->addr + im.v.v[0].bias : 0;
		if (to == PROC_STOP_PREINIT)
			rc = run_to_mapped(p, c, &im);
		else if (addr)
			rc = run_to(p, addr);
		if (to != PROC_STOP_PREINIT && (!addr || rc == -EBUSY))
			rc = run_to_hidden_main(p, c, &im);
	}
	elf_images_free(&im);
	elf_cache_destroy(c);
	return rc < 0 ? rc : 0;
}

int proc_continue(struct ps_prochandle *p)
{
	if (p->state != PROC_HELD)
		return 0;
	p->state = PROC_RUNNING;
	return ptrace(PTRACE_DETACH, p->pid, NULL, NULL) < 0 ? -errno : 0;
}

void proc_release(struct ps_prochandle *p)
{
	if (!p)
		return;
	if (p->state == PROC_HELD)
		kill_child(p->pid);
	close(p->fd);
	free(p);
}

bool proc_created(const struct ps_prochandle *p)
{
	return p->child;
}

pid_t proc_pid(const struct ps_prochandle *p)
{
	return p->pid;
}

int proc_fd(const struct ps_prochandle *p)
{
	return p->fd;
}

bool proc_ended(struct ps_prochandle *p)
{
	struct pollfd pfd = { .fd = p->fd, .events = POLLIN };
	int status = 0;

	if (p->state == PROC_ENDED)
		return true;
	if (poll(&pfd, 1, 0) != 1)
		return false;
	if (p->child) {
		if (reap(p->pid, &status, WNOHANG) == 0)
			return false;
		/* While held, a stop may be told in place of the end. */
		p->wstatus = WIFEXITED(status) || WIFSIGNALED(status) ? status : 0;
	}
	p->state = PROC_ENDED;
	return true;
}

int proc_wstatus(const struct ps_prochandle *p)
{
	return p->wstatus;
}
