/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rare ROUNDS FAILURES FILE: ROUNDS times four system calls, which all have the number of the round as their
 * first, second or third argument. In FAILURES of the rounds, spread over all of them, the last call fails. Their
 * numbers are written to FILE.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned long rounds, failures, done = 0, i;
	int fd = open("/dev/null", O_RDONLY);
	FILE *out;

	if (argc != 4 || fd < 0) {
		fprintf(stderr, "usage: rare ROUNDS FAILURES FILE\n");
		return 2;
	}
	rounds = strtoul(argv[1], NULL, 0);
	failures = strtoul(argv[2], NULL, 0);
	out = fopen(argv[3], "w");
	if (!out || failures > rounds)
		return 2;
	for (i = 1; i <= rounds; i++) {
		/* As many as belong to the rounds up to this one. */
		int fails = done < (i * failures + rounds / 2) / rounds;

		syscall(SYS_getuid, i);
		syscall(SYS_lseek, fd, i, SEEK_SET);
		syscall(SYS_getgid, i);
		if ((syscall(SYS_fcntl, fails ? -1 : fd, F_GETFD, i) < 0) != fails)
			return 1;
		if (fails) {
			fprintf(out, "%lu\n", i);
			done++;
		}
	}
	return fclose(out) || done != failures;
}
