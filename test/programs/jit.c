/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jit: makes code at run time that calls getpid, tells of it in /tmp/perf-PID.map, runs it once and
 * leaves. With an argument the map is not removed at the end. x86-64.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5,	     /* push %rbp; mov %rsp, %rbp */
					      0xb8, 39,	  0,	0,   0,	     /* mov $39, %eax */
					      0x0f, 0x05, 0x5d, 0xc3 };	     /* syscall; pop %rbp; ret */
	char *area = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char name[64];
	FILE *f;
	int ok;

	(void)argv;
	if (area == MAP_FAILED)
		return 1;
	memcpy(area + 64, code, sizeof(code));
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(name, "w");
	if (!f)
		return 1;
	fprintf(f, "%lx %zx made at run time\n", (unsigned long)(area + 64), sizeof(code));
	fclose(f);
	ok = ((int (*)(void))(area + 64))() == getpid();
	if (argc < 2)
		unlink(name);
	return ok ? 0 : 1;
}
