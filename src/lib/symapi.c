/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of addresses, over sym/. Tables are read when the first name is asked for. */
#include "lib/impl.h"

#include <errno.h>
#include <string.h>

static const struct ksyms *ksyms_get(dtrace_hdl_t *dtp)
{
	if (!dtp->ksyms_tried) {
		dtp->ksyms_tried = true;
		ksyms_load(&dtp->ksyms);
	}
	return dtp->ksyms;
}

static int hook_ksym(void *arg, uint64_t addr, struct consumer_sym *sym)
{
	const struct ksyms *k = ksyms_get(arg);
	struct ksym s;

	if (!k || ksyms_find(k, addr, &s))
		return -ENOENT;
	sym->module = s.module;
	sym->function = s.name;
	sym->offset = addr - s.addr;
	return 0;
}

int symapi_ksym_range(void *arg, const char *name, uint64_t *start, uint64_t *end)
{
	const struct ksyms *k = ksyms_get(arg);
	struct ksym s;

	if (!k || ksyms_lookup(k, name, &s) || !s.end)
		return -ENOENT;
	*start = s.addr;
	*end = s.end;
	return 0;
}

/* One number for all addresses that are shown by one name: where the function or module begins. */
static uint64_t hook_canon(void *arg, enum func_id func, uint64_t pid, uint64_t addr)
{
	const struct ksyms *k;
	struct ksym s;

	(void)pid;
	switch (func) {
	case FN_sym:
	case FN_func: k = ksyms_get(arg); return k && !ksyms_find(k, addr, &s) ? s.addr : addr;
	case FN_mod:
		k = ksyms_get(arg);
		return k && !ksyms_find(k, addr, &s) ? ksyms_module_start(k, s.module) : addr;
	default: return addr;
	}
}

void symapi_hooks(struct consumer_hooks *h)
{
	h->ksym = hook_ksym;
	h->canon = hook_canon;
}

void symapi_close(dtrace_hdl_t *dtp)
{
	ksyms_destroy(dtp->ksyms);
	dtp->ksyms = NULL;
}
