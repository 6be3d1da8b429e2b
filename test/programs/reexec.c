/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reexec PROGRAM ARGS...: main -> g1 -> g2, where g2 calls write once, with no byte; then executes
 * PROGRAM.
 */
#include <unistd.h>

int g1(int x);
int g2(int x);

int g2(int x)
{
	return (int)write(STDOUT_FILENO, "", 0) + x;
}

int g1(int x)
{
	return g2(x + 1) - 1;
}

int main(int argc, char **argv)
{
	if (argc < 2 || g1(0) != 0)
		return 1;
	execv(argv[1], argv + 1);
	return 1;
}
