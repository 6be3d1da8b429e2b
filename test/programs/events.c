/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that sysinfo counts, each a known number of times: 5 forks, 4 of vfork, 3 execs of children, 14 messages, 6
 * operations on a semaphore; between two yields 11 reads of 1,100 bytes and 13 writes of 1,310. It prints how often it went
 * to another CPU, and the kernel's count of its switches. With an argument: barriers for a thread of its own on another CPU, until it is killed.
 */
#include <fcntl.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void *spin(void *arg)
{
	for (;;)
		__asm__ volatile("pause" ::: "memory");
	return arg;
}

static void barriers(void)
{
	pthread_t t;

	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	if (pthread_create(&t, NULL, spin, NULL))
		return;
	for (;;)
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

static void processes(void)
{
	for (int i = 0; i < 5; i++)
		if (!fork()) {
			if (i < 3)
				execl("/bin/true", "true", (char *)NULL);
			_exit(0);
		}
	for (int i = 0; i < 4; i++)
		if (!vfork())
			_exit(0);
	while (wait(NULL) > 0)
		;
}

static void messages(void)
{
	struct {
		long type;
		char text[8];
	} m = { 1, "hello" };
	struct sembuf up = { .sem_op = 1 };
	int q = msgget(IPC_PRIVATE, 0600), s = semget(IPC_PRIVATE, 1, 0600);

	for (int i = 0; i < 7; i++) {
		msgsnd(q, &m, sizeof(m.text), 0);
		msgrcv(q, &m, sizeof(m.text), 0, 0);
	}
	for (int i = 0; i < 6; i++)
		semop(s, &up, 1);
	msgctl(q, IPC_RMID, NULL);
	semctl(s, 0, IPC_RMID);
}

static void bytes(void)
{
	char b[101] = { 0 };
	struct iovec v = { b, 100 };
	int r = open("/dev/zero", O_RDONLY), w = open("/dev/null", O_WRONLY);

	for (int i = 0; i < 10; i++) {
		if (read(r, b, 100) != 100 || write(w, b, 101) != 101)
			_exit(1);
	}
	if (readv(r, &v, 1) != 100 || writev(w, &v, 1) != 100 || pwrite(w, b, 100, 0) != 100 || write(w, b, 100) != 100)
		_exit(1);
}

/* How often it was on another CPU than the one that it asked for then. */
static int moves(void)
{
	cpu_set_t all, one;
	int n = 0;

	sched_getaffinity(0, sizeof(all), &all);
	for (int i = 0; i < 20; i++)
		for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET(cpu, &all)) {
				CPU_ZERO(&one);
				CPU_SET(cpu, &one);
				n += sched_getcpu() != cpu;
				sched_setaffinity(0, sizeof(one), &one);
			}
	sched_setaffinity(0, sizeof(all), &all);
	return n;
}

static long switches(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return r.ru_nvcsw + r.ru_nivcsw;
}

int main(int argc, char **argv)
{
	long before = switches();

	(void)argv;
	if (argc > 1)
		barriers();
	processes();
	messages();
	sched_yield();
	bytes();
	sched_yield();
	printf("own moved %d\n", moves());
	printf("own switched %ld\n", switches() - before);
	return 0;
}
