/* SPDX-License-Identifier: BSD-2-Clause */
/* deep: main -> f1 -> f2 -> f3, where f3 calls write once, with no byte. */
#include <unistd.h>

int f1(int x);
int f2(int x);
int f3(int x);

int f3(int x)
{
	return (int)write(STDOUT_FILENO, "", 0) + x;
}

int f2(int x)
{
	return f3(x + 1) - 1;
}

int f1(int x)
{
	return f2(x + 1) - 1;
}

int main(void)
{
	return f1(0) == 0 ? 0 : 1;
}
