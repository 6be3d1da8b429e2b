/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracepoints: their list, their arguments, attaching. */
#include "provider/tracepoint.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

int tracepoint_events(void (*f)(void *arg, const char *group, const char *name), void *arg)
{
	char *text, *save = NULL;
	int err = kern_tracefs_read("available_events", &text);

	if (err < 0)
		return err;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *colon = strchr(line, ':');

		if (!colon)
			continue;
		*colon = 0;
		f(arg, line, colon + 1);
	}
	free(text);
	return 0;
}

vreg tracepoint_arg(struct cg *cg, vreg ctx, int nargs, int n)
{
	struct ir *ir = cg_ir(cg);

	return n < nargs ? ir_load(ir, 8, ctx, 8 * n) : ir_imm(ir, 0);
}

vreg tracepoint_read(struct cg *cg, vreg base, int64_t off, int size)
{
	return cg_read(cg, base, off, size);
}

/* Member of a kernel structure that an argument points to, 0 if this kernel has none of that name. */
vreg tracepoint_member(struct cg *cg, vreg base, const char *tag, const char *path, int size)
{
	int off = kern_btf_member_offset(tag, path);

	return off < 0 ? ir_imm(cg_ir(cg), 0) : tracepoint_read(cg, base, off, size);
}

vreg tracepoint_timer_regs(struct cg *cg, vreg timer)
{
	int64_t bases = kern_btf_percpu_offset("hrtimer_bases"), irq_regs = kern_btf_percpu_offset("__irq_regs");

	if (bases < 0 || irq_regs < 0)
		return ir_imm(cg_ir(cg), 0);
	vreg base = tracepoint_member(cg, timer, "hrtimer", "base", 8);
	vreg cpu_base = tracepoint_member(cg, base, "hrtimer_clock_base", "cpu_base", 8);

	return tracepoint_read(cg, cpu_base, irq_regs - bases, 8);
}

int tracepoint_attach(struct probe_group *g, const char *tracepoint, const char **why)
{
	int fd = kern_raw_tp_attach(g->prog_fd, tracepoint);

	if (fd < 0) {
		*why = "failed to attach to a tracepoint";
		return fd;
	}
	vec_push(&g->fds, fd);
	return 0;
}
