/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * launch FILE CMD ARGS: runs CMD with its output thrown away and writes "SECONDS KIB" to FILE: its time from start to
 * end and its peak resident memory. A small program of its own, because a process counts the memory of the one
 * that it was forked from as its own peak.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct rusage use;
	int status = 1;
	double start;
	FILE *out;
	pid_t pid;

	if (argc < 3 || !(out = fopen(argv[1], "w")))
		return 2;
	start = now();
	pid = vfork();
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, 1);
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	wait4(pid, &status, 0, &use);
	fprintf(out, "%.6f %ld\n", now() - start, use.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
