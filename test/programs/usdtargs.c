/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usdtargs [N [wait|fork]]: static probes whose operands are of every form, N times (1); only once a line has been
 * read, with "fork" in each of 30 forks, which take 10 ms for each. Provider tprov:
 *
 *	forms__all	-1 -2 -3 200 60000 4000000000 7 -8 9 and the pass as the tenth
 *	second__place	the pass, from two places with different operands (1, then 2 in arg1)
 *	symbols		the pass, -21 and 22, from variables that the operands name
 *	own		the pass, -31, 32 and 33 from variables that each thread has; the fifth is in a vector register
 *	counted		only while its counter is raised: the pass
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "note.h"

void pass(int64_t n);

uint16_t counted_semaphore __attribute__((section(".probes"), used, visibility("hidden")));

static void __attribute__((noinline)) forms(int64_t n)
{
	volatile int64_t table[4] = {0, 0, -8, 0};
	struct {
		uint8_t b;
		int8_t sb;
		uint16_t w;
		int64_t d;
	} m = {200, -1, 60000, 9};

	__asm__ volatile("movq %0, %%rbx\nmovl $-2, %%ecx\nmovq $-3, %%rsi\nmovl $4000000000, %%edx\n"
			 "movq %1, %%r8\nmovl $2, %%r9d\nmovq $0x700, %%rax\nmovq %2, %%r10\n"
			 NOTE("tprov", "forms__all", "0",
			      "-1@1(%%rbx) -2@%%cx -4@%%esi 1@(%%rbx) 2@2(%%rbx) 4@%%edx 1@%%ah "
			      "-8@(%%r8,%%r9,8) 8@8(%%rbx) -8@%%r10")
			 : : "r"(&m), "r"(table), "r"(n)
			 : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "memory");
}

/* Where the program is mapped is not known before it runs, so that they are named relative to the program counter. */
static volatile int64_t symbol_pass;
volatile int32_t symbol_table[4] = { 0, -21, 22, 0 };

/* What goes before them has a size of its own, so that they are not at the end of what a thread has. */
static __thread volatile int64_t own_pass = 1;
static __thread volatile int32_t own_table[4] = { 0, -31, 32, 0 };
static __thread volatile char own_aligned[3] __attribute__((aligned(64)));

static void own(int64_t n)
{
	int64_t from;

	__asm__("movq %%fs:0, %0" : "=r"(from)); /* the thread pointer points to itself */
	from = (int64_t)own_table - from;
	own_pass = n;
	own_aligned[2] = 33;
	__asm__ volatile("pxor %%xmm7, %%xmm7\n" NOTE("tprov", "own", "0",
						      "-8@%%fs:own_pass@tpoff -4@%%fs:own_table@tpoff+4 4@%%fs:8(%%rax) "
						      "1@%%fs:own_aligned@tpoff+2 8f@%%xmm7")
			 :
			 : "a"(from), "m"(own_pass), "m"(own_table), "m"(own_aligned)
			 : "xmm7");
}

void pass(int64_t n)
{
	forms(n);
	own(n);
	symbol_pass = n;
	__asm__ volatile(
		NOTE("tprov", "symbols", "0",
		     "-8@symbol_pass(%%rip) -4@symbol_table+4(%%rip) 4@8+symbol_table(%%rip)")
		:
		: "m"(symbol_pass), "m"(symbol_table));
	__asm__ volatile(NOTE("tprov", "second__place", "0", "-8@%%rax -4@$1") : : "a"(n));
	__asm__ volatile(NOTE("tprov", "second__place", "0", "-8@%%rdx -4@$2") : : "d"(n));
	if (*(volatile uint16_t *)&counted_semaphore)
		__asm__ volatile(NOTE("tprov", "counted", "counted_semaphore", "-8@%%rax") : : "a"(n));
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1;

	if (argc > 2)
		getchar();
	bool forks = argc > 2 && !strcmp(argv[2], "fork");

	for (int i = 0; forks && i < 30 && fork(); i++)
		if (wait(NULL) < 0 || i == 29)
			return 0;
	for (long i = 1; i <= n; i++) {
		pass(i);
		if (forks)
			usleep(10000);
	}
	return 0;
}
