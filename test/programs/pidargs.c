/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pidargs [N]: calls f10 with 1 .. 10 and the functions below, N times (1). What must be seen of it: f10
 * gets ten arguments, twice returns 2 * i, alias and aliased are one address, recurse is entered 4 times and
 * returns 4 times, locked begins with an instruction that cannot bear a probe.
 */
#include <stdlib.h>

long f10(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j);
long twice(long x);
long recurse(long depth);
long aliased(long x);
long alias(long x) __attribute__((weak, alias("aliased")));
void locked(long *p);

long f10(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)
{
	return a + b + c + d + e + f + g + h + i + j;
}

long twice(long x)
{
	return 2 * x;
}

long recurse(long depth)
{
	return depth ? 1 + recurse(depth - 1) : 0;
}

long aliased(long x)
{
	return x;
}

__asm__(".text\n.globl locked\n.type locked, @function\nlocked:\n\tlock incq (%rdi)\n\tret\n"
	".size locked, . - locked\n");

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1, count = 0;

	for (long i = 1; i <= n; i++) {
		f10(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
		twice(i);
		recurse(3);
		alias(i);
		locked(&count);
	}
	return count == n ? 0 : 1;
}
