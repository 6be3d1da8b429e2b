/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numbered FILE CALLS [MICROSECONDS STAY]: stays on one CPU and makes the system calls getuid, lseek, getgid and fcntl
 * in turn, CALLS of them, with the number of the call, from 1 on, as their first, second, first and third argument.
 *
 * With MICROSECONDS it is killed after that time, by a process that it forks first. FILE then has, as 8 bytes, the
 * number of the call that was about to be made, or made, when it was killed. With STAY it goes to another CPU after
 * so many calls.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static cpu_set_t all;

/* To the next CPU behind this one. */
static void move(void)
{
	int cpu = sched_getcpu();
	cpu_set_t one;

	CPU_ZERO(&one);
	for (int i = 1; i <= CPU_SETSIZE; i++) {
		int next = (cpu + i) % CPU_SETSIZE;

		if (CPU_ISSET(next, &all)) {
			CPU_SET(next, &one);
			break;
		}
	}
	sched_setaffinity(0, sizeof(one), &one);
}

static void kill_parent(unsigned long us)
{
	pid_t parent = getpid();

	if (fork() != 0)
		return;
	usleep(us);
	kill(parent, SIGKILL);
	_exit(0);
}

static void call(unsigned long n, int fd)
{
	switch (n % 4) {
	case 1: syscall(SYS_getuid, n); break;
	case 2: syscall(SYS_lseek, fd, n, SEEK_SET); break;
	case 3: syscall(SYS_getgid, n); break;
	case 0: syscall(SYS_fcntl, fd, F_GETFD, n); break;
	}
}

int main(int argc, char **argv)
{
	volatile uint64_t *number;
	unsigned long calls, stay;
	int fd;

	if (argc < 3)
		return 2;
	fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(*number)))
		return 2;
	number = mmap(NULL, sizeof(*number), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	calls = strtoul(argv[2], NULL, 0);
	if (number == MAP_FAILED || sched_getaffinity(0, sizeof(all), &all))
		return 2;
	move();
	stay = argc > 4 ? strtoul(argv[4], NULL, 0) : 0;
	if (argc > 3)
		kill_parent(strtoul(argv[3], NULL, 0));
	for (unsigned long n = 1; n <= calls; n++) {
		*number = n;
		call(n, fd);
		if (stay && n % stay == 0)
			move();
	}
	return 0;
}
