/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The providers fbt and rawfbt: entry and return of the kernel's functions (providers.md 6).
 *
 * Three ways, whichever the kernel has:
 *
 *   trampolines   a program for each probe. The cheapest firing, and no return is ever missed; loading and attaching
 *                 each takes milliseconds. For functions that a description names in full.
 *   multi-kprobe  one program and one link for all entries, or all returns; the attach cookie is the row.
 *   kprobes       the same program on a perf event for each.
 *
 * rawfbt has the names that the compiler makes as well (with a dot), untyped arguments, and never uses trampolines.
 *
 * A name can stand for several functions of a module: the probe is on all of them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "kern/insns.h"
#include "provider/place.h"
#include "provider/regs.h"
#include "sym/kfuncs.h"

enum kind { KIND_ENTRY, KIND_RETURN };
enum way { WAY_UNKNOWN, WAY_TRAMPOLINE, WAY_MULTI, WAY_KPROBE };

#define TRAMPOLINES_MAX 64 /* of a session */

/* Where a probe stands; probe->data is its index. */
struct place {
	uint64_t addr;
	uint32_t more; /* index + 1 in `more` of another function of that name, 0: there is none */
	uint8_t kind, way;
	bool named; /* by a description, in full */
};

struct other {
	uint64_t addr;
	uint32_t more;
};

struct fbt_data {
	VEC(struct place) places;
	VEC(struct other) others;
	size_t trampolines;
};

static struct place *place_of(const struct probe *probe)
{
	return &((struct fbt_data *)probe->provider->data)->places.v[probe->data];
}

static bool is_raw(const struct provider *p)
{
	return p->ops == &provider_rawfbt;
}

/* ---- publishing -------------------------------------------------------------------------------------- */

static bool have_kprobes(void)
{
	return kern_feature(KERN_FEATURE_KPROBE_MULTI) || kern_feature(KERN_FEATURE_KPROBE);
}

static void add(struct probes *t, struct provider *p, const struct kfunc *f, enum kind kind)
{
	static const char *const names[] = { "entry", "return" };
	struct fbt_data *fd = p->data;
	struct probe *probe = probes_add(t, p, f->module, f->name, names[kind], fd->places.n);
	struct place *pl;

	if (probe) {
		pl = vec_add(&fd->places);
		pl->addr = f->addr;
		pl->kind = kind;
		return;
	}
	pl = place_of(probes_lookup(t, p->ops->name, f->module, f->name, names[kind]));
	vec_push(&fd->others, ((struct other){ f->addr, pl->more }));
	pl->more = fd->others.n;
}

static int publish(struct probes *t, struct provider *p)
{
	struct kfuncs funcs;
	int err = kfuncs_load(&funcs);

	if (err)
		return err;
	p->data = mem_alloc(sizeof(struct fbt_data));
	for (size_t i = 0; i < funcs.v.n; i++) {
		const struct kfunc *f = &funcs.v.v[i];

		if (!is_raw(p) && strchr(f->name, '.'))
			continue;
		add(t, p, f, KIND_ENTRY);
		add(t, p, f, KIND_RETURN);
	}
	kfuncs_free(&funcs);
	return 0;
}

static int fbt_provide(struct probes *t, struct provider *p)
{
	return have_kprobes() || kern_feature(KERN_FEATURE_FENTRY) ? publish(t, p) : 0;
}

static int rawfbt_provide(struct probes *t, struct provider *p)
{
	return have_kprobes() ? publish(t, p) : 0;
}

static void fbt_destroy(struct provider *p)
{
	struct fbt_data *fd = p->data;

	if (!fd)
		return;
	vec_free(&fd->places);
	vec_free(&fd->others);
	free(fd);
	p->data = NULL;
}

static void lacking(struct str *text, enum kern_feature f)
{
	str_printf(text, "%s%s: %s", text->n ? "; " : "", kern_feature_text(f), kern_why(kern_feature_error(f)));
}

/* The kernel has the means, but does not show its functions. */
static const char *unlisted(void)
{
	static char why[128];
	struct kfuncs funcs;
	int err = kfuncs_load(&funcs);

	if (!err) {
		kfuncs_free(&funcs);
		return NULL;
	}
	snprintf(why, sizeof(why), "the kernel's list of functions cannot be read: %s", kern_why(err));
	return why;
}

static const char *unavailable(bool raw)
{
	static char why[512];
	struct str text = {0};

	if (have_kprobes() || (!raw && kern_feature(KERN_FEATURE_FENTRY)))
		return unlisted();
	if (!raw)
		lacking(&text, KERN_FEATURE_FENTRY);
	lacking(&text, KERN_FEATURE_KPROBE_MULTI);
	lacking(&text, KERN_FEATURE_KPROBE);
	snprintf(why, sizeof(why), "this kernel lets no functions be traced: %s", str_c(&text));
	str_free(&text);
	return why;
}

static const char *fbt_unavailable(const struct probespec *spec)
{
	(void)spec;
	return unavailable(false);
}

static const char *rawfbt_unavailable(const struct probespec *spec)
{
	(void)spec;
	return unavailable(true);
}

/* ---- arguments --------------------------------------------------------------------------------------- */

static const char *const *fbt_args(struct probes *t, const struct probe *probe)
{
	const struct place *pl = place_of(probe);
	struct kern_btf_args types;
	char value[96];
	const char **out;
	int n = 0;

	if (is_raw(probe->provider) || pl->more ||
	    kern_btf_func_args(probe->mod, probe->func, &types, value))
		return NULL;
	if (pl->kind == KIND_RETURN) {
		types.n = *value ? 2 : 1;
		snprintf(types.type[0], sizeof(types.type[0]), "int");
		memcpy(types.type[1], value, sizeof(value));
	}
	out = arena_alloc(t->arena, sizeof(*out) * (types.n + 1));
	for (; n < types.n; n++)
		out[n] = arena_strdup(t->arena, types.type[n]);
	return out;
}

static vreg kprobe_entry_arg(struct cg *cg, vreg ctx, void *data, int n)
{
	(void)data;
	return regs_entry_arg(cg, ctx, n, BPF_FUNC_probe_read_kernel);
}

/* Newer than the headers may be. */
enum { FUNC_GET_FUNC_ARG = 183, FUNC_GET_FUNC_RET = 184 };

/* By helper: what is loaded from the context is a typed pointer to the verifier, with which D could do little. */
static vreg trampoline_entry_arg(struct cg *cg, vreg ctx, void *data, int n)
{
	struct ir *ir = cg_ir(cg);
	int at = cg_probe_stack(cg);

	(void)data;
	ir_storei(ir, 8, ir_stack(ir, at), 0, 0);
	ir_call(ir, FUNC_GET_FUNC_ARG, 3, ctx, ir_imm(ir, n), ir_stack(ir, at));
	return ir_load(ir, 8, ir_stack(ir, at), 0);
}

static vreg trampoline_return_arg(struct cg *cg, vreg ctx, void *data, int n)
{
	struct ir *ir = cg_ir(cg);
	int at = cg_probe_stack(cg);

	(void)data;
	if (n != 1)
		return ir_imm(ir, n ? 0 : -1);
	ir_storei(ir, 8, ir_stack(ir, at), 0, 0);
	ir_call(ir, FUNC_GET_FUNC_RET, 2, ctx, ir_stack(ir, at));
	return ir_load(ir, 8, ir_stack(ir, at), 0);
}

static vreg fbt_prologue(struct cg *cg, vreg ctx, void *data, label out)
{
	const struct probe_group *g = data;

	(void)out;
	return g->nrows == 1 ? VREG_NONE : ir_call(cg_ir(cg), BPF_FUNC_get_attach_cookie, 1, ctx);
}

#define KPROBE_CG(attach, how)                                  \
	{                                                       \
		.prog_type = BPF_PROG_TYPE_KPROBE,              \
		.attach_type = (enum bpf_attach_type)(attach),  \
		.prologue = fbt_prologue,                       \
		.arg = how,                                     \
	}
#define TRAMPOLINE_CG(attach, how)                              \
	{                                                       \
		.prog_type = BPF_PROG_TYPE_TRACING,             \
		.attach_type = attach,                          \
		.prologue = fbt_prologue,                       \
		.arg = how,                                     \
		.own_frames = 2,                                \
	}

static const struct cg_probe_ops fbt_cg[][2] = {
	[WAY_TRAMPOLINE] = { TRAMPOLINE_CG(BPF_TRACE_FENTRY, trampoline_entry_arg),
			     TRAMPOLINE_CG(BPF_TRACE_FEXIT, trampoline_return_arg) },
	[WAY_MULTI] = { KPROBE_CG(KERN_KPROBE_MULTI, kprobe_entry_arg),
			KPROBE_CG(KERN_KPROBE_MULTI, regs_return_arg) },
	[WAY_KPROBE] = { KPROBE_CG(0, kprobe_entry_arg), KPROBE_CG(0, regs_return_arg) },
};

/* ---- which way --------------------------------------------------------------------------------------- */

/* A description marks what it names in full, before its probes are enabled. */
static int fbt_demand(struct probes *t, struct provider *p, const struct probespec *spec, struct diag *d)
{
	struct fbt_data *fd = p->data;

	(void)d;
	if (!fd || !*spec->func || glob_has(spec->func) || (*spec->prov && !glob_match(spec->prov, p->ops->name)))
		return 0;
	for (size_t i = 0; i < t->v.n; i++) {
		struct probe *probe = t->v.v[i];

		if (probe->provider == p && !strcmp(probe->func, spec->func))
			place_of(probe)->named = true;
	}
	return 0;
}

/* The kernel tells when a program for it is loaded: functions of odd arguments and some others are refused. */
static bool trampoline_fits(uint32_t id, enum kind kind)
{
	const struct bpf_insn insns[] = {
		INSN(BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, -8, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_3, BPF_REG_10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_3, 0, 0, -8),
		kind == KIND_ENTRY ? INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, 0)
				   : INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_2, BPF_REG_3, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, kind == KIND_ENTRY ? FUNC_GET_FUNC_ARG : FUNC_GET_FUNC_RET),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	struct kern_prog_attr attr = {
		.type = BPF_PROG_TYPE_TRACING,
		.expected_attach_type = fbt_cg[WAY_TRAMPOLINE][kind].attach_type,
		.attach_btf_id = id,
		.name = "fbt_trial",
		.insns = insns,
		.insn_cnt = ARRAY_SIZE(insns),
	};
	int fd = kern_prog_load(&attr);
	bool fits = fd >= 0;

	kern_close(&fd);
	return fits;
}

static int trampoline_id(const struct probe *probe)
{
	const struct place *pl = place_of(probe);
	int id;

	if (is_raw(probe->provider) || pl->more || strcmp(probe->mod, "vmlinux") ||
	    !kern_feature(KERN_FEATURE_FENTRY))
		return -EOPNOTSUPP;
	id = kern_btf_find_id(BTF_KIND_FUNC, probe->func);
	return id < 0 || trampoline_fits((uint32_t)id, pl->kind) ? id : -EOPNOTSUPP;
}

static enum way way_of(const struct probe *probe)
{
	struct fbt_data *fd = probe->provider->data;
	struct place *pl = place_of(probe);

	if (pl->way != WAY_UNKNOWN)
		return pl->way;
	pl->way = kern_feature(KERN_FEATURE_KPROBE_MULTI) ? WAY_MULTI : WAY_KPROBE;
	if ((!have_kprobes() || (pl->named && fd->trampolines < TRAMPOLINES_MAX)) && trampoline_id(probe) >= 0) {
		pl->way = WAY_TRAMPOLINE;
		fd->trampolines++;
	}
	return pl->way;
}

static uint64_t fbt_group_key(const struct probe *probe)
{
	return way_of(probe) == WAY_TRAMPOLINE ? 2 + probe->data : place_of(probe)->kind;
}

static void fbt_group_init(struct probe_group *g, const struct probe *probe)
{
	static const char *const kinds[] = { "entry", "return" };
	const struct place *pl = place_of(probe);

	g->ops = &fbt_cg[pl->way][pl->kind];
	g->ops_data = g;
	g->activity = ABI_ACTIVE;
	if (pl->way == WAY_TRAMPOLINE) {
		snprintf(g->name, sizeof(g->name), "fbt_%.11s", probe->func);
		g->nrows = 1;
		g->attach_btf_id = trampoline_id(probe);
	} else {
		snprintf(g->name, sizeof(g->name), "%.7s_%s", probe->provider->ops->name, kinds[pl->kind]);
		g->nrows = 0;
	}
}

/* ---- attaching --------------------------------------------------------------------------------------- */

struct site {
	uint64_t addr;
	uint32_t row;
	uint32_t turn; /* how many names before this one mean the same address */
};

struct sites {
	const struct probe_group *g;
	VEC(struct site) v;
	bool is_return, multi;
};

static int by_addr(const void *x, const void *y)
{
	const struct site *a = x, *b = y;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static int by_turn(const void *x, const void *y)
{
	const struct site *a = x, *b = y;

	if (a->turn != b->turn)
		return a->turn < b->turn ? -1 : 1;
	return by_addr(x, y);
}

static int link_sites(void *arg, size_t from, size_t n)
{
	const struct sites *s = arg;
	const struct site *v = s->v.v + from;
	uint64_t *addrs;
	int fd;

	if (!s->multi)
		return kern_kprobe_perf_link(s->g->prog_fd, s->is_return, v->addr, v->row);
	addrs = mem_alloc(2 * n * sizeof(*addrs));
	for (size_t i = 0; i < n; i++) {
		addrs[i] = v[i].addr;
		addrs[n + i] = v[i].row;
	}
	fd = kern_kprobe_multi_link(s->g->prog_fd, s->is_return, addrs, addrs + n, n);
	free(addrs);
	return fd;
}

static const struct probe *site_probe(void *arg, size_t i)
{
	const struct sites *s = arg;

	return s->g->probes.v[s->v.v[i].row];
}

static void sites_find(struct sites *s)
{
	for (size_t i = 0; i < s->g->probes.n; i++) {
		const struct fbt_data *fd = s->g->provider->data;
		const struct place *pl = place_of(s->g->probes.v[i]);

		vec_push(&s->v, ((struct site){ pl->addr, i, 0 }));
		for (uint32_t more = pl->more; more; more = fd->others.v[more - 1].more)
			vec_push(&s->v, ((struct site){ fd->others.v[more - 1].addr, i, 0 }));
	}
	/* A link finds the row by the address: names of one address are in links of their own. */
	qsort(s->v.v, s->v.n, sizeof(*s->v.v), by_addr);
	for (size_t i = 1; i < s->v.n; i++)
		if (s->v.v[i].addr == s->v.v[i - 1].addr)
			s->v.v[i].turn = s->v.v[i - 1].turn + 1;
	qsort(s->v.v, s->v.n, sizeof(*s->v.v), by_turn);
}

static int fbt_attach(struct probe_group *g, const struct attach_env *env, const char **why)
{
	const struct place *first = place_of(g->probes.v[0]);
	struct sites s = { .g = g, .is_return = first->kind == KIND_RETURN, .multi = first->way == WAY_MULTI };
	struct placing pl = { .g = g, .link = link_sites, .probe = site_probe, .arg = &s };
	int err = 0;

	*why = "failed to place probes on functions of the kernel";
	if (first->way == WAY_TRAMPOLINE) {
		int fd = kern_raw_tp_attach(g->prog_fd, NULL);

		if (fd >= 0)
			vec_push(&g->fds, fd);
		return fd < 0 ? fd : 0;
	}
	sites_find(&s);
	if (!s.multi)
		err = place_each(&pl, 0, s.v.n);
	for (size_t i = 0, end; i < s.v.n && s.multi && !err; i = end) {
		for (end = i + 1; end < s.v.n && s.v.v[end].turn == s.v.v[i].turn; end++)
			;
		err = place_many(&pl, i, end - i);
	}
	vec_free(&s.v);
	return err ? err : place_end(&pl, env, why);
}

static uint64_t fbt_skipped(struct probe_group *g)
{
	uint64_t all = 0, n;

	for (size_t i = 0; i < g->fds.n; i++)
		if (!kern_kprobe_missed(g->fds.v[i], &n))
			all += n;
	return all;
}

const struct provider_ops provider_fbt = {
	.name = "fbt",
	.stability = { "Evolving/Evolving/Common", "Private/Private/Unknown", "Private/Private/ISA",
		       "Evolving/Evolving/Common", "Private/Private/ISA" },
	.provide = fbt_provide,
	.unavailable = fbt_unavailable,
	.demand = fbt_demand,
	.args = fbt_args,
	.group_key = fbt_group_key,
	.group_init = fbt_group_init,
	.attach = fbt_attach,
	.skipped = fbt_skipped,
	.destroy = fbt_destroy,
};

const struct provider_ops provider_rawfbt = {
	.name = "rawfbt",
	.stability = { "Evolving/Evolving/Common", "Private/Private/Unknown", "Private/Private/ISA",
		       "Evolving/Evolving/Common", "Private/Private/ISA" },
	.provide = rawfbt_provide,
	.unavailable = rawfbt_unavailable,
	.args = fbt_args,
	.group_key = fbt_group_key,
	.group_init = fbt_group_init,
	.attach = fbt_attach,
	.skipped = fbt_skipped,
	.destroy = fbt_destroy,
};
