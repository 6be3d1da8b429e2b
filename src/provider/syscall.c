/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The provider syscall: entry and return of every system call (providers.md 4).
 *
 * One BTF tracepoint program on sys_enter serves all entry probes and one on sys_exit all return probes; the
 * row of a probe is the number of the call. 32-bit callers have numbers of their own: their rows stand
 * behind those of the 64-bit ones and name the same probes.
 *
 * An alias (Solaris' name, or the name in the system call table where the kernel's event has another) is a
 * probe of its own that only its literal name matches. As a row names one probe only, aliases live in layers
 * of further programs, made when one is enabled: no call is traced twice unless it is asked for twice.
 *
 * Which calls this kernel has is read from tracefs; without tracefs the whole list is published.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "provider/provider.h"

#define NR64 512 /* rows for 64-bit numbers; 32-bit numbers follow */
#define NR32 512
#define NROWS (NR64 + NR32)

struct call {
	int nr;
	const char *name;  /* of the kernel's event */
	const char *table; /* in the system call table, if another */
	const char *nr32;
};

static const struct call calls[] = {
#define SYSCALL(nr, name, table, nr32) { nr, name, table, nr32 },
#include "provider/syscall_x86_64.def"
#undef SYSCALL
};

/* Names of other systems' scripts; one name may stand for several calls. */
static const struct {
	const char *name;
	const char *calls[4]; /* by event name */
} aliases[] = {
	{ "rexit", { "exit_group", "exit" } },
	{ "exece", { "execve" } },
	{ "fork1", { "fork", "clone", "clone3" } },
	{ "forkall", { "fork", "clone", "clone3" } },
	{ "forksys", { "fork", "clone", "clone3" } },
	{ "xstat", { "newstat" } },
	{ "lxstat", { "newlstat" } },
	{ "fxstat", { "newfstat" } },
	{ "open64", { "open", "openat" } },
	{ "pread", { "pread64" } },
	{ "pwrite", { "pwrite64" } },
	{ "sigaction", { "rt_sigaction" } },
	{ "gtime", { "time" } },
};

/*
 * probe->data: bit 0 return; bits 1..7 layer (0: the calls themselves); from bit 8 the index into calls[],
 * or, from NALIAS_BASE on, into aliases[].
 */
#define NALIAS_BASE 4096
#define DATA(is_return, layer, index) ((uint64_t)(is_return) | (uint64_t)(layer) << 1 | (uint64_t)(index) << 8)
#define DATA_RETURN(d) ((d) & 1)
#define DATA_LAYER(d) ((d) >> 1 & 0x7f)
#define DATA_INDEX(d) ((d) >> 8)

static int call_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (!strcmp(calls[i].name, name))
			return (int)i;
	return -1;
}

/* Layers: 1 holds the names of the system call table (one per call at most), 2.. one per row of aliases[]. */
static void publish_alias(struct probes *t, struct provider *p, const char *name, int layer, int index)
{
	for (int ret = 0; ret < 2; ret++) {
		struct probe *probe = probes_add(t, p, "vmlinux", name, ret ? "return" : "entry",
						 DATA(ret, layer, index));

		if (probe)
			probe->literal = true;
	}
}

static bool *kernel_calls(void)
{
	bool *have = mem_alloc(sizeof(*have) * ARRAY_SIZE(calls));
	char **names;
	size_t n;

	if (kern_tracefs_list("events/syscalls", &names, &n) < 0) {
		memset(have, true, sizeof(*have) * ARRAY_SIZE(calls));
		return have;
	}
	struct hmap *set = hmap_create();

	for (size_t i = 0; i < n; i++) {
		if (!strncmp(names[i], "sys_enter_", 10))
			hmap_put(set, names[i] + 10, set);
		free(names[i]);
	}
	free(names);
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		have[i] = hmap_get(set, calls[i].name) != NULL;
	hmap_destroy(set);
	return have;
}

static int syscall_provide(struct probes *t, struct provider *p)
{
	bool *have = kernel_calls();

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		if (!have[i])
			continue;
		probes_add(t, p, "vmlinux", calls[i].name, "entry", DATA(0, 0, i));
		probes_add(t, p, "vmlinux", calls[i].name, "return", DATA(1, 0, i));
	}
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (have[i] && calls[i].table)
			publish_alias(t, p, calls[i].table, 1, (int)i);
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		publish_alias(t, p, aliases[i].name, 2 + (int)i, NALIAS_BASE + (int)i);
	free(have);
	return 0;
}

static size_t call_rows(int index, uint32_t *rows, size_t n, size_t max)
{
	const char *s = calls[index].nr32;

	if (n < max)
		rows[n++] = calls[index].nr;
	while (s && *s && n < max) {
		char *end;
		unsigned long nr = strtoul(s, &end, 10);

		if (nr < NR32)
			rows[n++] = NR64 + nr;
		s = *end ? end + 1 : end;
	}
	return n;
}

static size_t syscall_rows(const struct probe *probe, uint32_t *rows, size_t max)
{
	size_t index = DATA_INDEX(probe->data), n = 0;

	if (index < NALIAS_BASE)
		return call_rows((int)index, rows, 0, max);
	for (size_t i = 0; i < 4 && aliases[index - NALIAS_BASE].calls[i]; i++) {
		int c = call_find(aliases[index - NALIAS_BASE].calls[i]);

		if (c >= 0)
			n = call_rows(c, rows, n, max);
	}
	return n;
}

static uint64_t syscall_group_key(const struct probe *probe)
{
	return DATA_LAYER(probe->data) << 1 | DATA_RETURN(probe->data);
}

/* ---- the programs ------------------------------------------------------------------------------------ */

/* struct pt_regs of x86-64. */
enum {
	REG_R10 = 56,
	REG_R9 = 64,
	REG_R8 = 72,
	REG_DX = 96,
	REG_SI = 104,
	REG_DI = 112,
	REG_ORIG_AX = 120,
	REG_CS = 136,
	REG_BP = 32,
	REG_BX = 40,
	REG_CX = 88,
	REG_SP = 152
};
#define USER32_CS 0x23

/* From the number of the call to its row: 32-bit code has its own table. */
static vreg number_to_row(struct ir *ir, vreg regs, vreg nr, label out)
{
	label is64 = ir_label(ir);
	vreg cs = ir_load(ir, 8, regs, REG_CS);

	ir_jcci(ir, IR_UGE, nr, NR64, out);
	ir_jcci(ir, IR_NE, cs, USER32_CS, is64);
	ir_comment(ir, "32-bit caller");
	ir_alui(ir, IR_ADD, nr, NR64);
	ir_place(ir, is64);
	return nr;
}

static vreg entry_prologue(struct cg *cg, vreg ctx, void *data, label out)
{
	struct ir *ir = cg_ir(cg);

	(void)data;
	vreg regs = ir_load(ir, 8, ctx, 0);

	return number_to_row(ir, regs, ir_load(ir, 8, ctx, 8), out);
}

static vreg entry_arg(struct cg *cg, vreg ctx, void *data, int n)
{
	static const int where[] = { REG_DI, REG_SI, REG_DX, REG_R10, REG_R8, REG_R9 };
	static const int where32[] = { REG_BX, REG_CX, REG_DX, REG_SI, REG_DI, REG_BP };
	struct ir *ir = cg_ir(cg);

	(void)data;
	if (n >= (int)ARRAY_SIZE(where))
		return ir_imm(ir, 0);
	label done = ir_label(ir);
	vreg regs = ir_load(ir, 8, ctx, 0);
	vreg v = ir_load(ir, 8, regs, where[n]);

	if (where[n] == where32[n])
		return v;
	vreg cs = ir_load(ir, 8, regs, REG_CS);

	ir_jcci(ir, IR_NE, cs, USER32_CS, done);
	ir_load_to(ir, v, 8, regs, where32[n]);
	ir_ext(ir, v, 4, false);
	ir_place(ir, done);
	return v;
}

static vreg return_prologue(struct cg *cg, vreg ctx, void *data, label out)
{
	struct ir *ir = cg_ir(cg);

	(void)data;
	vreg regs = ir_load(ir, 8, ctx, 0);

	return number_to_row(ir, regs, ir_load(ir, 8, regs, REG_ORIG_AX), out);
}

/*
 * System calls are made by small functions of libc that set up no frame: their caller is found on the
 * user's stack.
 */
static vreg user_caller(struct cg *cg, vreg ctx, void *data)
{
	struct ir *ir = cg_ir(cg);
	label done = ir_label(ir);

	(void)data;
	vreg regs = ir_load(ir, 8, ctx, 0);
	vreg cs = ir_load(ir, 8, regs, REG_CS);
	vreg caller = ir_imm(ir, 0);

	ir_jcci(ir, IR_EQ, cs, USER32_CS, done);
	ir_mov_to(ir, caller,
		  ir_callrt(ir, "rt_user_caller", 2, ir_load(ir, 8, regs, REG_SP),
			    ir_load(ir, 8, regs, REG_BP)));
	ir_place(ir, done);
	return caller;
}

#define ERRNO_MAX 4095

/* arg0 and arg1: the value the caller sees, -1 for a failure, with errno telling why. */
static vreg return_arg(struct cg *cg, vreg ctx, void *data, int n)
{
	struct ir *ir = cg_ir(cg);

	(void)data;
	if (n > 1)
		return ir_imm(ir, 0);
	label ok = ir_label(ir);
	vreg v = ir_load(ir, 8, ctx, 8);

	ir_jcci(ir, IR_ULT, v, -ERRNO_MAX, ok);
	ir_imm_to(ir, v, -1);
	ir_place(ir, ok);
	return v;
}

static vreg return_errno(struct cg *cg, vreg ctx, void *data)
{
	struct ir *ir = cg_ir(cg);
	label failed = ir_label(ir), done = ir_label(ir);

	(void)data;
	vreg v = ir_load(ir, 8, ctx, 8);

	ir_jcci(ir, IR_UGE, v, -ERRNO_MAX, failed);
	ir_imm_to(ir, v, 0);
	ir_jmp(ir, done);
	ir_place(ir, failed);
	ir_neg(ir, v);
	ir_place(ir, done);
	return v;
}

static const struct cg_probe_ops entry_cg = {
	.prog_type = BPF_PROG_TYPE_TRACING,
	.attach_type = BPF_TRACE_RAW_TP,
	.prologue = entry_prologue,
	.bounded = true,
	.arg = entry_arg,
	.user_caller = user_caller,
};

static const struct cg_probe_ops return_cg = {
	.prog_type = BPF_PROG_TYPE_TRACING,
	.attach_type = BPF_TRACE_RAW_TP,
	.prologue = return_prologue,
	.bounded = true,
	.arg = return_arg,
	.user_caller = user_caller,
	.err = return_errno,
};

static void syscall_group_init(struct probe_group *g, const struct probe *probe)
{
	bool ret = DATA_RETURN(probe->data);

	snprintf(g->name, sizeof(g->name), "syscall_%s", ret ? "return" : "entry");
	g->ops = ret ? &return_cg : &entry_cg;
	g->tracepoint = ret ? "sys_exit" : "sys_enter";
	g->nrows = NROWS;
	g->activity = ABI_ACTIVE;
}

static int syscall_attach(struct probe_group *g, const struct attach_env *env, const char **why)
{
	int fd = kern_raw_tp_attach(g->prog_fd, NULL);

	(void)env;
	if (fd < 0) {
		*why = "failed to attach to the system call tracepoint";
		return fd;
	}
	vec_push(&g->fds, fd);
	return 0;
}

/* ---- args[] ------------------------------------------------------------------------------------------ */

/* Return probes: the value twice. Entry probes: the fields of the call's trace event, read when first asked for. */
static const char *const *syscall_args(struct probes *t, const struct probe *probe)
{
	static const char *const ret[] = { "int64_t", "int64_t", NULL };
	size_t index = DATA_INDEX(probe->data);
	VEC(const char *) list = {0};
	char path[128];
	char *text = NULL;

	if (DATA_RETURN(probe->data))
		return ret;
	if (index >= NALIAS_BASE)
		index = call_find(aliases[index - NALIAS_BASE].calls[0]);
	snprintf(path, sizeof(path), "events/syscalls/sys_enter_%s/format", calls[index].name);
	if (kern_tracefs_read(path, &text) < 0)
		return NULL;
	/* "field:const char * filename;" lines; the common fields and the number itself come first. */
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		char *decl = strstr(line, "field:");
		char *end = decl ? strchr(decl, ';') : NULL;

		if (!end)
			continue;
		decl += strlen("field:");
		while (end > decl && end[-1] != ' ' && end[-1] != '*')
			end--;
		if (strstr(line, "common_") || strstr(line, "__syscall_nr"))
			continue;
		while (end > decl && end[-1] == ' ')
			end--;
		vec_push(&list, arena_strndup(t->arena, decl, end - decl));
	}
	free(text);
	const char **out = arena_alloc(t->arena, sizeof(*out) * (list.n + 1));

	if (list.n)
		memcpy(out, list.v, sizeof(*out) * list.n);
	vec_free(&list);
	return out;
}

const struct provider_ops provider_syscall = {
	.name = "syscall",
	.stability = { "Evolving/Evolving/Common", "Private/Private/Unknown", "Private/Private/ISA",
		       "Evolving/Evolving/Common", "Private/Private/ISA" },
	.provide = syscall_provide,
	.args = syscall_args,
	.group_key = syscall_group_key,
	.group_init = syscall_group_init,
	.rows = syscall_rows,
	.attach = syscall_attach,
};
