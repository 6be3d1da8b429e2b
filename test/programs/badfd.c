/* SPDX-License-Identifier: BSD-2-Clause */
/* Two system calls that fail, each once, with arguments that no other call has. */
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	syscall(SYS_ioctl, 0xdeadbeef, 0x1234, 0);
	syscall(SYS_close, 0xdeadbee0);
	return 0;
}
