/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hot N: computes in compute(), N million rounds, without a system call; before that, asks malloc() five times for
 * 100000 bytes in hoard().
 */
#include <stdio.h>
#include <stdlib.h>

volatile unsigned long sum;

void hoard(void)
{
	int i;

	for (i = 0; i < 5; i++)
		free(malloc(100000));
}

void compute(unsigned long rounds)
{
	unsigned long i;

	for (i = 0; i < rounds; i++)
		sum += i ^ (sum >> 3);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: hot N\n");
		return 2;
	}
	hoard();
	compute(strtoul(argv[1], NULL, 0) * 1000000);
	return 0;
}
