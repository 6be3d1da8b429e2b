/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * emptytp CMD ARGS: runs CMD with an empty BPF program attached to the raw tracepoint sys_enter: what any
 * tracer of system calls pays at least.
 */
#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int prog, link, status = 1;
	pid_t pid;

	if (argc < 2)
		return 2;
	prog = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "empty", "Dual BSD/GPL", code, 2, NULL);
	link = prog < 0 ? prog : bpf_raw_tracepoint_open("sys_enter", prog);
	if (link < 0) {
		perror("emptytp");
		return 1;
	}
	pid = fork();
	if (pid == 0) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
