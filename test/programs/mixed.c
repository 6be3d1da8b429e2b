/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mixed: optimised functions that call through code of which no table tells: a function without .eh_frame, code made at
 * run time, both with frame pointers; code made at run time without one; and such code that calls the kernel itself. Each
 * ends in write(1, "", 0). x86-64.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#define FUNC __attribute__((noinline)) int
#define KEEP(p) __asm__ volatile("" ::"r"(p) : "memory")

/* push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret */
__asm__(".text\n.type bare, @function\nbare: push %rbp\nmov %rsp, %rbp\ncall *%rdi\npop %rbp\nret\n.size bare, . - bare\n");
int bare(int (*f)(void));
static const unsigned char pointed[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
/* push %rbp; mov $77, %ebp; call *%rdi; pop %rbp; ret */
static const unsigned char pointless[] = {0x55, 0xbd, 77, 0, 0, 0, 0xff, 0xd7, 0x5d, 0xc3};
/* mov $1, %eax; mov $1, %edi; xor %edx, %edx; syscall; ret */
#define WRITES 0xb8, 1, 0, 0, 0, 0xbf, 1, 0, 0, 0, 0x31, 0xd2, 0x0f, 0x05
static const unsigned char writes[] = {WRITES, 0xc3};
/* push %rbp; mov $77, %ebp; 20 times push $0; the same; add $160, %rsp; pop %rbp; ret */
#define PUSH5 0x6a, 0, 0x6a, 0, 0x6a, 0, 0x6a, 0, 0x6a, 0
static const unsigned char hides[] = {0x55, 0xbd, 77, 0, 0, 0, PUSH5, PUSH5, PUSH5, PUSH5, WRITES,
	0x48, 0x81, 0xc4, 160, 0, 0, 0, 0x5d, 0xc3};

static unsigned char *area;

FUNC inner(void)
{
	char room[100];

	KEEP(room);
	return (int)write(1, "", 0);
}
FUNC through_bare(int x)
{
	char room[40];

	KEEP(room);
	return bare(inner) + x;
}
FUNC through_made(int x)
{
	char room[72];

	KEEP(room);
	return ((int (*)(int (*)(void)))(area + x))(inner) + x;
}
int main(void)
{
	area = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		return 1;
	memcpy(area, pointed, sizeof(pointed));
	memcpy(area + 64, pointless, sizeof(pointless));
	memcpy(area + 128, writes, sizeof(writes));
	memcpy(area + 192, hides, sizeof(hides));
	return through_bare(1) + through_made(0) + through_made(64) + through_made(128) + through_made(192) == -99;
}
