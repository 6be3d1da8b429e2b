/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BTF of the running kernel and of its modules, read when it is first asked for. A module's goes on where that of
 * the core kernel ends.
 */
#include <bpf/btf.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "type/impl.h"
#include "type/type.h"

#define BTF_DIR "/sys/kernel/btf"
#define CORE_FILE "vmlinux"

bool type_module_is_core(const char *module)
{
	return !strcmp(module, CORE_FILE) || !strcmp(module, "kernel");
}

void types_set_btf_dir(struct types *ts, const char *dir)
{
	ts->btf_dir = arena_strdup(ts->arena, dir);
}

static struct btf_source *source_new(const char *module, struct btf_source *base, struct btf *btf)
{
	struct btf_source *b = mem_alloc(sizeof(*b));

	b->module = module ? mem_strdup(module) : NULL;
	b->base = base;
	b->btf = btf;
	if (btf) {
		b->first = base ? base->end : 0;
		b->end = btf__type_cnt(btf);
		b->converted = mem_alloc((b->end - b->first + 1) * sizeof(*b->converted));
	}
	return b;
}

static void source_free(struct btf_source *b)
{
	if (!b)
		return;
	btf__free(b->btf);
	free(b->converted);
	free(b->module);
	free(b);
}

static struct btf *file_read(struct types *ts, const char *name, struct btf *base)
{
	char *path = mem_printf("%s/%s", ts->btf_dir ? ts->btf_dir : BTF_DIR, name);
	struct btf *btf = btf__parse_split(path, base);

	free(path);
	return btf;
}

struct btf_source *btf_source_kernel(struct types *ts, bool load)
{
	struct btf *btf;

	if (ts->kernel || !load || ts->kernel_tried)
		return ts->kernel;
	ts->kernel_tried = true;
	btf = ts->btf_dir ? file_read(ts, CORE_FILE, NULL) : btf__load_vmlinux_btf();
	if (btf)
		ts->kernel = source_new(NULL, NULL, btf);
	return ts->kernel;
}

/* The answer that a module has none is kept too. */
static struct btf_source *module_read(struct types *ts, struct btf_source **end, const char *module)
{
	bool file = *module != '.' && !strchr(module, '/');

	*end = source_new(module, ts->kernel, file ? file_read(ts, module, ts->kernel->btf) : NULL);
	return *end;
}

struct btf_source *btf_source_module(struct types *ts, const char *module, bool load)
{
	struct btf_source **b = &ts->modules;

	while (*b && strcmp((*b)->module, module) != 0)
		b = &(*b)->next;
	if (*b || !load || !btf_source_kernel(ts, true))
		return *b;
	return module_read(ts, b, module);
}

static int is_module(const struct dirent *d)
{
	return d->d_name[0] != '.' && strcmp(d->d_name, CORE_FILE) != 0;
}

struct btf_source *btf_source_modules(struct types *ts, bool load)
{
	struct dirent **names;
	int n;

	if (!load || ts->all_modules)
		return ts->modules;
	ts->all_modules = true;
	n = scandir(ts->btf_dir ? ts->btf_dir : BTF_DIR, &names, is_module, alphasort);
	for (int i = 0; i < n; i++) {
		btf_source_module(ts, names[i]->d_name, true);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return ts->modules;
}

bool types_of_module(struct types *ts, const char *module)
{
	struct btf_source *b = type_module_is_core(module) ? btf_source_kernel(ts, true)
							   : btf_source_module(ts, module, true);

	return b && b->btf;
}

void btf_sources_unload(struct types *ts)
{
	struct btf_source *b;

	while ((b = ts->modules)) {
		ts->modules = b->next;
		source_free(b);
	}
	source_free(ts->kernel);
	ts->kernel = NULL;
}
