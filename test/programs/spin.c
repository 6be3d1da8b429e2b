/* SPDX-License-Identifier: BSD-2-Clause */
/* spin N: calls getppid exactly N times. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned long n;

	if (argc != 2) {
		fprintf(stderr, "usage: spin N\n");
		return 2;
	}
	for (n = strtoul(argv[1], NULL, 0); n > 0; n--)
		syscall(SYS_getppid);
	return 0;
}
