/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * family CHILDREN CALLS [wait|hold|loop|again|orphan]: forks CHILDREN processes, every tenth of which forks one more, and calls go(0) itself once.
 * When all are there they call go(n), n from 1, CALLS times each, and end, all at once; a thread of the first calls
 * too. loop: a child comes each 2 ms, and all call go() for as long as the first one lives, which is until the end of the
 * input. again: one child, calling go(1); after a line of input it ends and one of its number comes, calling go(2), until
 * the input ends. orphan: one child, calling go(1) until it is killed; the first process ends at once. hold: it waits for a line of input first. wait: each then waits for the end of the input, and prints a line if go() has a breakpoint then. Prints the number of calls of go(), in which are the static probes
 * fam:went and, while its counter is raised, fam:counted.
 */
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "note.h"

long go(long n);

unsigned short counted_semaphore __attribute__((section(".probes"), used, visibility("hidden")));

static long calls;

long go(long n)
{
	__asm__ volatile(NOTE("fam", "went", "0", "-8@%%rax") : : "a"(n));
	if (*(volatile unsigned short *)&counted_semaphore)
		__asm__ volatile(NOTE("fam", "counted", "counted_semaphore", "-8@%%rax")
				 :
				 : "a"(n));
	return 2 * n;
}

static void *work(void *arg)
{
	for (long i = 1; i <= calls; i++)
		go(i);
	return arg;
}

/* go() begins with a push, behind the mark of a place to jump to if it has one. */
static int has_breakpoint(void)
{
	const unsigned char *code = (const unsigned char *)go;

	return code[0] == 0xcc || (code[0] == 0xf3 && code[4] == 0xcc);
}

static void child(int start, int n, int wait_too)
{
	int more = n % 10 == 0 ? fork() : -1;
	pthread_t thread;
	char c;

	if (read(start, &c, 1) != 0)
		_exit(1);
	work(NULL);
	if (n == 0 && more) {
		pthread_create(&thread, NULL, work, NULL);
		pthread_join(thread, NULL);
	}
	if (wait_too && read(0, &c, 1) < 0)
		_exit(1);
	if (wait_too && has_breakpoint())
		puts("breakpoint"), fflush(stdout);
	if (more > 0)
		waitpid(more, NULL, 0);
	_exit(0);
}

static void __attribute__((noreturn)) calling(long n, pid_t first)
{
	while (!first || getppid() == first) {
		go(n);
		usleep(20000);
	}
	_exit(0);
}

static int loop(int children)
{
	pid_t first = getpid();
	char c;

	for (int i = 0; i < children; i++) {
		usleep(2000);
		if (fork() == 0)
			calling(1, first);
	}
	puts("all");
	fflush(stdout);
	return read(0, &c, 1) != 0;
}

static int again(void)
{
	pid_t first = getpid(), pid = fork();
	struct clone_args args = { .exit_signal = SIGCHLD,
				   .set_tid = (uintptr_t)&pid,
				   .set_tid_size = 1 };
	char c;
	long got;

	if (pid == 0)
		calling(1, first);
	if (read(0, &c, 1) != 1)
		return 1;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	got = syscall(SYS_clone3, &args, sizeof(args));
	if (got == 0)
		calling(2, first);
	puts(got == pid ? "again" : "no");
	fflush(stdout);
	return read(0, &c, 1) != 0;
}

static int orphan(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		close(1);
		calling(1, 0);
	}
	printf("%d\n", (int)pid);
	return 0;
}

int main(int argc, char **argv)
{
	int children = argc > 2 ? atoi(argv[1]) : 0, start[2], status, bad = 0;

	calls = argc > 2 ? atol(argv[2]) : 0;
	if (argc < 3 || pipe(start))
		return 2;
	if (argc > 3 && !strcmp(argv[3], "hold"))
		getchar();
	if (argc > 3 && !strcmp(argv[3], "loop"))
		return loop(children);
	if (argc > 3 && !strcmp(argv[3], "again"))
		return again();
	if (argc > 3 && !strcmp(argv[3], "orphan"))
		return orphan();
	for (int i = 0; i < children; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			close(start[1]);
			child(start[0], i, argc > 3 && !strcmp(argv[3], "wait"));
		}
		bad += pid < 0;
	}
	go(0);
	printf("%ld\n", 1 + calls * (children + (children + 9) / 10 + 1));
	fflush(stdout);
	close(start[1]);
	while (wait(&status) > 0)
		bad += status != 0;
	return bad != 0;
}
