/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that may be traced (sym/kfuncs.h).
 *
 * kallsyms has the addresses, of data and of discarded functions too; ftrace's list has the functions that have a place
 * for tracing, which leaves out those that the kernel must not be interrupted in. Newer kernels list addresses too, which
 * tell functions of one name apart: those of the places, behind the landing pad of a function.
 */
#include "sym/kfuncs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "kern/kern.h"

#define PAD 4 /* bytes of endbr64 */

/* Tracing one of these calls it again, or happens where RCU is not watching. */
static bool used_by_tracing(const char *name)
{
	static const char *const starts[] = { "rcu_", "__rcu_", "bpf_dispatcher_", "__bpf_", "bpf_trace_run",
					      "trace_call_bpf", "arch_cpu_idle", "default_idle", "migrate_" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* Cuts "NAME[ or tab][MODULE]" in two. */
static void cut(char *s, const char **name, const char **module)
{
	char *sp = s + strcspn(s, " \t"), *open, *close;

	*name = s;
	*module = "vmlinux";
	open = strchr(sp, '[');
	*sp = '\0';
	if (!open)
		return;
	close = strchr(open, ']');
	if (close)
		*close = '\0';
	*module = open + 1;
}

static char *key_of(const char *module, const char *name)
{
	return mem_printf("%s:%s", module, name);
}

static void list_read(struct hmap *have, char *list, bool with_addrs)
{
	char *save = NULL;

	for (char *line = strtok_r(list, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		const char *name, *module;
		char *rest = line, *key;

		if (with_addrs) {
			hmap_put_u64(have, strtoull(line, &rest, 16), have);
			continue;
		}
		cut(rest, &name, &module);
		key = key_of(module, name);
		hmap_put(have, key, have);
		free(key);
	}
}

static bool is_listed(const struct hmap *have, bool with_addrs, const struct kfunc *f)
{
	bool yes;
	char *key;

	if (with_addrs)
		return hmap_get_u64(have, f->addr) || hmap_get_u64(have, f->addr + PAD);
	key = key_of(f->module, f->name);
	yes = hmap_get(have, key);
	free(key);
	return yes;
}

int kfuncs_parse(struct kfuncs *k, char *kallsyms, char *list, int with_addrs)
{
	struct hmap *have = hmap_create();
	char *save = NULL;

	k->text = kallsyms;
	k->listed = list;
	list_read(have, list, with_addrs);
	/* "ADDRESS TYPE NAME[\t[MODULE]]" */
	for (char *line = strtok_r(kallsyms, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct kfunc f;
		char *end;

		f.addr = strtoull(line, &end, 16);
		if (!f.addr || !*end || !end[1] || !strchr("tTwW", end[1]) || end[2] != ' ')
			continue;
		cut(end + 3, &f.name, &f.module);
		if (!used_by_tracing(f.name) && is_listed(have, with_addrs, &f))
			vec_push(&k->v, f);
	}
	hmap_destroy(have);
	return k->v.n ? 0 : -ENOENT;
}

int kfuncs_load(struct kfuncs *k)
{
	char *kallsyms, *list;
	bool with_addrs;
	int err;

	*k = (struct kfuncs){0};
	err = kern_tracefs_read("available_filter_functions_addrs", &list);
	with_addrs = err >= 0;
	if (!with_addrs)
		err = kern_tracefs_read("available_filter_functions", &list);
	if (err < 0)
		return err;
	err = kern_read_file(AT_FDCWD, "/proc/kallsyms", &kallsyms, NULL);
	if (err < 0) {
		free(list);
		return err;
	}
	err = kfuncs_parse(k, kallsyms, list, with_addrs);
	if (err)
		kfuncs_free(k);
	return err;
}

void kfuncs_free(struct kfuncs *k)
{
	vec_free(&k->v);
	free(k->text);
	free(k->listed);
	*k = (struct kfuncs){0};
}
