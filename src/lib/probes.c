/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The compiler's questions about the world: which probes a description names, what their arguments are,
 * where a kernel symbol is. The answers come from the providers.
 */
#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "kern/kern.h"
#include "lib/impl.h"
#include "sym/ksymaddr.h"

static int hook_matches(void *arg, const struct probespec *spec, struct diag *d)
{
	dtrace_hdl_t *dtp = arg;

	return probes_match(dtp->probes, spec, d, NULL, NULL);
}

static const char *hook_unavailable(void *arg, const struct probespec *spec)
{
	dtrace_hdl_t *dtp = arg;

	return probes_unavailable(dtp->probes, spec);
}

/* ---- args[] ------------------------------------------------------------------------------------------ */

/* A type as providers spell it: "const char *", "struct stat *", "size_t". Unknown names: what they are in a register. */
static struct type *spelled_type(dtrace_hdl_t *dtp, const char *text)
{
	char *base = mem_strdup(text);
	struct type *t;
	size_t n = strlen(base);
	int stars = 0;

	while (n && (base[n - 1] == '*' || isspace((unsigned char)base[n - 1]))) {
		stars += base[n - 1] == '*';
		base[--n] = 0;
	}
	char *name = base;

	while (!strncmp(name, "const ", 6))
		name += 6;
	t = type_builtin(dtp->ses->types, name);
	if (!t) { /* the kernel's and the libraries', unless only the program has it */
		bool was = types_library(dtp->ses->types, true);

		t = type_lookup(dtp->ses->types, name);
		types_library(dtp->ses->types, was);
	}
	if (!t)
		t = type_lookup(dtp->ses->types, name);
	if (!t)
		t = stars ? type_void(dtp->ses->types) : type_int64(dtp->ses->types);
	if (name != base)
		t = type_qualified(dtp->ses->types, t, true, false);
	while (stars--)
		t = type_pointer(dtp->ses->types, t);
	free(base);
	return t;
}

struct arg_search {
	dtrace_hdl_t *dtp;
	const char *const *args;
	const struct probe_xarg *xargs;
	bool any, differ;
};

static bool same_args(const char *const *a, const char *const *b)
{
	if (!a || !b)
		return a == b;
	while (*a && *b && !strcmp(*a, *b))
		a++, b++;
	return !*a && !*b;
}

static bool same_xargs(const struct probe_xarg *a, const struct probe_xarg *b)
{
	if (!a || !b)
		return a == b;
	while (a->type && b->type && !strcmp(a->type, b->type) && a->from == b->from)
		a++, b++;
	return !a->type && !b->type;
}

static void collect_args(void *arg, struct probe *p)
{
	struct arg_search *s = arg;
	const struct provider_ops *ops = p->provider->ops;
	const char *const *args = ops->args ? ops->args(s->dtp->probes, p) : NULL;
	const struct probe_xarg *xargs = ops->xargs ? ops->xargs(s->dtp->probes, p) : NULL;

	if (s->any && !(same_args(s->args, args) && same_xargs(s->xargs, xargs)))
		s->differ = true;
	s->any = true;
	s->args = args;
	s->xargs = xargs;
}

/* With an output prototype, args[n] is one of its arguments: a native one as it is, or translated. */
static void translated_arg(struct arg_search *s, int n, int natives, struct lang_probe_arg *out)
{
	int count = 0;

	while (s->xargs[count].type)
		count++;
	out->nargs = count;
	if (n >= count || s->xargs[n].from < 0 || s->xargs[n].from >= natives)
		return;
	out->from = s->xargs[n].from;
	out->type = spelled_type(s->dtp, s->xargs[n].type);
	out->native = spelled_type(s->dtp, s->args[out->from]);
	if (type_compatible(out->type, out->native))
		out->native = NULL;
}

static void hook_arg(void *arg, const struct probespec *spec, int n, struct lang_probe_arg *out)
{
	struct arg_search s = { .dtp = arg };
	struct diag d = {0};
	int count = 0;

	probes_match(s.dtp->probes, spec, &d, collect_args, &s);
	diag_clear(&d);
	out->multi = s.differ;
	if (s.differ)
		return;
	while (s.args && s.args[count])
		count++;
	if (s.xargs) {
		translated_arg(&s, n, count, out);
		return;
	}
	out->nargs = count;
	out->from = n;
	if (n < count)
		out->type = spelled_type(s.dtp, s.args[n]);
}

/* ---- names of providers and modules --------------------------------------------------------------------- */

static bool hook_provider(void *arg, const char *name)
{
	dtrace_hdl_t *dtp = arg;

	return probes_provider(dtp->probes, name) != NULL;
}

static bool hook_module(void *arg, const char *name)
{
	(void)arg;
	return kmodule_loaded(name);
}

/* ---- symbols --------------------------------------------------------------------------------------------- */

/*
 * Per-CPU variables are known from the kernel's type data, which tells where each CPU has them. A function of a module
 * has the type that its module's data gives.
 */
static bool hook_symbol(void *arg, const char *module, const char *name, struct lang_symbol *sym)
{
	dtrace_hdl_t *dtp = arg;
	int64_t offset = -1;
	char in[KSYM_MODULE_MAX];

	if (!module || type_module_is_core(module)) {
		sym->type = type_symbol(dtp->ses->types, "vmlinux", name);
		offset = sym->type ? kern_btf_percpu_offset(name) : -1;
	}
	sym->percpu = offset >= 0;
	sym->addr = (uint64_t)offset;
	if (sym->percpu)
		return true;
	if (ksym_address(module, name, &sym->addr, in))
		return false;
	if (!type_module_is_core(in))
		sym->type = type_symbol(dtp->ses->types, in, name);
	return true;
}

void probes_hooks(dtrace_hdl_t *dtp, struct lang_hooks *h)
{
	h->arg = dtp;
	h->probe_matches = hook_matches;
	h->probe_unavailable = hook_unavailable;
	h->probe_arg = hook_arg;
	h->provider_exists = hook_provider;
	h->module_exists = hook_module;
	h->symbol = hook_symbol;
}
