/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of the cleaner of speculations: loaded with the others, run when the consumer finds a
 * part that is to be moved. It runs on the CPU of the part, whose buffer it writes.
 */
#include "lib/cleaner.h"

#include <errno.h>
#include <string.h>

#include "codegen/bpf.h"
#include "kern/kern.h"

#define VERIFIER_LOG (4u << 20)

/* show: the verifier's own words, if it refuses. */
static int code_load(const struct bpf_code *code, bool show)
{
	struct kern_prog_attr attr = {
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.name = "cleaner",
		.insns = code->insns,
		.insn_cnt = code->n,
		.func_info = code->funcs,
		.func_info_cnt = code->nfuncs,
	};
	int fd, btf = kern_btf_load(code->btf, code->btf_size, NULL, 0, 0);

	if (btf < 0)
		return btf;
	attr.btf_fd = btf;
	fd = kern_prog_load(&attr);
	if (fd < 0 && show) {
		attr.log = mem_alloc(VERIFIER_LOG);
		attr.log_size = VERIFIER_LOG;
		attr.log_level = 1;
		fd = kern_prog_load(&attr);
		fprintf(stderr, "%s", attr.log);
		free(attr.log);
	}
	kern_close(&btf);
	return fd;
}

static bool move(void *arg, int cpu, uint32_t i, uint32_t len)
{
	const int *fd = arg;
	uint64_t ctx[2] = { i, len };
	uint32_t later = 1;

	return kern_prog_test_run(*fd, ctx, sizeof(ctx), cpu, &later) >= 0 && !later;
}

int cleaner_start(dtrace_hdl_t *dtp, struct cg_env *env, int *fd)
{
	struct arena *a = arena_create();
	struct bpf_code code = { 0 };
	struct diag d = { 0 };
	struct ir ir = { 0 };
	int maps[CG_MAP_MAX], err = -1;

	for (int m = 0; m < CG_MAP_MAX; m++)
		maps[m] = buffers_fd(dtp->buffers, m);
	ir_init(&ir, a);
	if (cg_cleaner_emit(env, &ir, &d) < 0)
		hdl_errorf(dtp, EDT_COMPILER, "%s", d.text);
	else if (bpf_assemble(&ir, "cleaner", maps, &code))
		hdl_errorf(dtp, EDT_NOREG, "failed to generate the cleaner of speculations: %s",
			   ir.error_text ? ir.error_text : "out of registers");
	else if ((*fd = code_load(&code, opt_on(dtp->opt, OPT_BPFLOG) && dtp->opt[OPT_BPFLOG])) < 0)
		hdl_errorf(dtp, EDT_ENABLING_ERR, "failed to load the cleaner of speculations: %s",
			   kern_why(*fd));
	else
		err = 0;
	if (!err)
		buffers_set_mover(dtp->buffers, move, fd);
	diag_clear(&d);
	bpf_code_free(&code);
	ir_destroy(&ir);
	arena_destroy(a);
	return err;
}
