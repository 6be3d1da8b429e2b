/* SPDX-License-Identifier: BSD-2-Clause */
/* spin N [FILE]: calls getppid exactly N times; with FILE as soon as there is something in it. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct stat st = { 0 };
	unsigned long n;

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: spin N [FILE]\n");
		return 2;
	}
	while (argc > 2 && (stat(argv[2], &st) || !st.st_size))
		usleep(1000);
	for (n = strtoul(argv[1], NULL, 0); n > 0; n--)
		syscall(SYS_getppid);
	return 0;
}
