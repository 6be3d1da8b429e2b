/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The provider sdt: the kernel's trace events with their fields as arguments (providers.md 7).
 *
 * Only the event's own code computes the fields, so its record must be made: these programs, unlike all others
 * of ours, are attached to the event, not to the raw tracepoint. The kernel skips them while another such
 * program runs on the CPU (counted) and takes some 40 ms each to detach (80 ms one by one); rawtp has neither cost.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "provider/tracepoint.h"

#define FIELDS_MAX 10 /* arg0 to arg9 */

enum event_field_kind {
	FIELD_VALUE,
	FIELD_ARRAY, /* in the record: the argument is its address */
	FIELD_DYNAMIC, /* a word tells where in the record: offset in the low half */
};

struct event_field {
	enum event_field_kind kind;
	uint16_t off;
	uint8_t size;
	bool is_signed;
	char type[64];
};

struct event {
	int id;
	int n;
	struct event_field f[FIELDS_MAX];
};

/* The number behind "key:" in a line of the format, -1: none. */
static long number_after(const char *line, const char *key)
{
	const char *s = strstr(line, key);

	return s ? strtol(s + strlen(key), NULL, 10) : -1;
}

/* "const char * name", "char comm[16]", "__data_loc char[] name": the type as args[] has it. */
static void field_type(struct event_field *f, const char *decl, size_t len)
{
	const char *array = memchr(decl, '[', len);
	size_t n = array ? (size_t)(array - decl) : len;

	f->kind = FIELD_VALUE;
	if (n > strlen("__data_loc ") && !strncmp(decl, "__data_loc ", strlen("__data_loc "))) {
		f->kind = FIELD_DYNAMIC;
		decl += strlen("__data_loc ");
		n -= strlen("__data_loc ");
	} else {
		/* The name stands last. */
		if (array)
			f->kind = FIELD_ARRAY;
		while (n && decl[n - 1] != ' ' && decl[n - 1] != '*')
			n--;
	}
	while (n && decl[n - 1] == ' ')
		n--;
	snprintf(f->type, sizeof(f->type), "%.*s%s", (int)n, decl, f->kind == FIELD_VALUE ? "" : " *");
}

static void add_field(struct event *fmt, const char *line)
{
	const char *decl = strstr(line, "field:");
	const char *end = decl ? strchr(decl, ';') : NULL;
	struct event_field *f = &fmt->f[fmt->n];
	long off, size;

	if (!end || fmt->n == FIELDS_MAX)
		return;
	decl += strlen("field:");
	off = number_after(end, "offset:");
	size = number_after(end, "size:");
	if (off < 0 || off > INT16_MAX || size < 0)
		return;
	field_type(f, decl, end - decl);
	f->off = (uint16_t)off;
	/* A structure within the record. */
	if (f->kind == FIELD_VALUE && size != 1 && size != 2 && size != 4 && size != 8) {
		f->kind = FIELD_ARRAY;
		snprintf(f->type, sizeof(f->type), "void *");
	}
	f->size = f->kind == FIELD_VALUE ? (uint8_t)size : 8;
	f->is_signed = number_after(end, "signed:") == 1;
	fmt->n++;
}

/* 0 or -errno. */
static int format_read(const struct probe *probe, struct event *fmt)
{
	char path[256], *text, *save = NULL;
	int err;

	*fmt = (struct event){ .id = -1 };
	snprintf(path, sizeof(path), "events/%s/%s/format", probe->mod, probe->name);
	err = kern_tracefs_read(path, &text);
	if (err < 0)
		return err;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, "ID:", 3))
			fmt->id = (int)number_after(line, "ID:");
		else if (!strncmp(line, "print fmt", 9))
			break;
		else if (!strstr(line, " common_") && !strstr(line, "__syscall_nr"))
			add_field(fmt, line);
	}
	free(text);
	return fmt->id < 0 ? -ENOENT : 0;
}

/* ---- hooks ------------------------------------------------------------------------------------------- */

struct publishing {
	struct probes *t;
	struct provider *p;
};

static void add_event(void *arg, const char *group, const char *name)
{
	struct publishing *pub = arg;

	/* ftrace's own records are no events that fire. */
	if (strcmp(group, "ftrace"))
		probes_add(pub->t, pub->p, group, "", name, 0);
}

static int sdt_provide(struct probes *t, struct provider *p)
{
	struct publishing pub = { t, p };

	return tracepoint_events(add_event, &pub);
}

static const char *const *sdt_args(struct probes *t, const struct probe *probe)
{
	struct event fmt;
	const char **out;

	if (format_read(probe, &fmt) < 0)
		return NULL;
	out = arena_alloc(t->arena, sizeof(*out) * (fmt.n + 1));
	for (int i = 0; i < fmt.n; i++)
		out[i] = arena_strdup(t->arena, fmt.f[i].type);
	return out;
}

static vreg sdt_prologue(struct cg *cg, vreg ctx, void *data, label out)
{
	(void)cg;
	(void)ctx;
	(void)data;
	(void)out;
	return VREG_NONE;
}

/* The address of the record as a number: the verifier allows no arithmetic on what it knows as a pointer to it. */
static vreg record_address(struct cg *cg, vreg ctx)
{
	struct ir *ir = cg_ir(cg);
	int at = cg_probe_stack(cg);

	ir_store(ir, 8, ir_stack(ir, at), 0, ctx);
	ir_call(ir, BPF_FUNC_probe_read_kernel, 3, ir_stack(ir, at), ir_imm(ir, 8), ir_stack(ir, at));
	return ir_load(ir, 8, ir_stack(ir, at), 0);
}

static vreg sdt_arg(struct cg *cg, vreg ctx, void *data, int n)
{
	const struct event *fmt = data;
	struct ir *ir = cg_ir(cg);
	const struct event_field *f;
	vreg v, at;

	if (n >= fmt->n)
		return ir_imm(ir, 0);
	f = &fmt->f[n];
	if (f->kind == FIELD_VALUE && f->off % f->size == 0) {
		v = ir_load(ir, f->size, ctx, f->off);
		ir_ext(ir, v, f->size, f->is_signed);
		return v;
	}
	at = record_address(cg, ctx);
	if (f->kind == FIELD_VALUE) {
		v = tracepoint_read(cg, at, f->off, f->size);
		ir_ext(ir, v, f->size, f->is_signed);
		return v;
	}
	if (f->kind == FIELD_ARRAY) {
		ir_alui(ir, IR_ADD, at, f->off);
		return at;
	}
	v = ir_load(ir, 4, ctx, f->off);
	ir_alui(ir, IR_AND, v, 0xffff);
	ir_alu(ir, IR_ADD, at, v);
	return at;
}

static const struct cg_probe_ops sdt_cg = {
	.prog_type = BPF_PROG_TYPE_TRACEPOINT,
	.prologue = sdt_prologue,
	.arg = sdt_arg,
};

static uint64_t sdt_group_key(const struct probe *probe)
{
	return probe->id;
}

static void sdt_group_init(struct probe_group *g, const struct probe *probe)
{
	struct event *fmt = mem_alloc(sizeof(*fmt));

	format_read(probe, fmt);
	snprintf(g->name, sizeof(g->name), "sdt_%.11s", probe->name);
	g->ops = &sdt_cg;
	g->ops_data = fmt;
	g->nrows = 1;
	g->activity = ABI_ACTIVE;
}

static void sdt_group_destroy(struct probe_group *g)
{
	free(g->ops_data);
	g->ops_data = NULL;
}

static int sdt_attach(struct probe_group *g, const struct attach_env *env, const char **why)
{
	const struct event *fmt = g->ops_data;
	int fd, err;

	*why = "failed to attach to a trace event";
	/* Its program is called on all CPUs, whichever one the event is opened for. */
	fd = kern_perf_tracepoint_open(env->cpus[0], fmt->id);
	if (fd < 0)
		return fd;
	vec_push(&g->fds, fd);
	err = kern_perf_set_prog(fd, g->prog_fd);
	return err < 0 ? err : kern_perf_enable(fd);
}

const struct provider_ops provider_sdt = {
	.name = "sdt",
	.stability = { "Evolving/Evolving/ISA", "Private/Private/Unknown", "Private/Private/Unknown",
		       "Private/Private/ISA", "Private/Private/ISA" },
	.provide = sdt_provide,
	.args = sdt_args,
	.group_key = sdt_group_key,
	.group_init = sdt_group_init,
	.group_destroy = sdt_group_destroy,
	.attach = sdt_attach,
};
