/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prototypes in BTF: of tracepoints, and of functions of the kernel and its modules. Each takes several steps by id, and
 * scripts ask for thousands: there are indexes by id and by name, made when they are first asked for.
 *
 * The BTF of a module goes on where that of the kernel ends: ids and offsets of strings below are the kernel's.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kern/impl.h"
#include "kern/kern.h"

#define TRACEPOINT_PREFIX "btf_trace_"
/* Deeper nesting of pointers and qualifiers is not followed. */
#define DEPTH_MAX 32

struct func {
	const char *name;
	const struct btf_type *type;
};

struct btf {
	struct btf *next;
	char *module;
	int error;
	struct btf_area area;
	const struct btf *base; /* of a module: that of the kernel */
	uint32_t first_id;
	size_t first_string;
	const struct btf_type **at; /* of id first_id.. */
	uint32_t n;
	const char **tracepoints; /* their names */
	size_t ntracepoints;
	struct func *funcs; /* by name */
	size_t nfuncs;
};

/* ---- types ---- */

static const struct btf_type *type_at(const struct btf *b, uint32_t id)
{
	if (b->base && id < b->first_id)
		b = b->base;
	return id >= b->first_id && id - b->first_id < b->n ? b->at[id - b->first_id] : NULL;
}

static const char *type_text(const struct btf *b, const struct btf_type *t)
{
	size_t off = t->name_off;

	if (b->base && off < b->first_string)
		b = b->base;
	off -= b->first_string;
	return off < (size_t)(b->area.strings_end - b->area.strings) ? b->area.strings + off : "";
}

static int func_cmp(const void *x, const void *y)
{
	return strcmp(((const struct func *)x)->name, ((const struct func *)y)->name);
}

/* A walk over all types of the kernel takes some 4 ms, and sorting its functions 20: each index is made when it is needed. */
static int index_types(struct btf *b)
{
	const struct btf_type *t = NULL;
	uint32_t n = 0;

	while ((t = btf_next(&b->area, t)))
		n++;
	b->at = malloc((n + 1) * sizeof(*b->at));
	if (!b->at)
		return -ENOMEM;
	while ((t = btf_next(&b->area, t)))
		b->at[b->n++] = t;
	return 0;
}

static int index_funcs(struct btf *b)
{
	b->funcs = malloc((b->n + 1) * sizeof(*b->funcs));
	if (!b->funcs)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->n; i++)
		if (BTF_INFO_KIND(b->at[i]->info) == BTF_KIND_FUNC)
			b->funcs[b->nfuncs++] = (struct func){ type_text(b, b->at[i]), b->at[i] };
	qsort(b->funcs, b->nfuncs, sizeof(*b->funcs), func_cmp);
	return 0;
}

static const struct btf_type *func_find(const struct btf *b, const char *name)
{
	size_t low = 0, high = b->nfuncs;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = strcmp(b->funcs[mid].name, name);

		if (!c)
			return b->funcs[mid].type;
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* ---- the kernel and its modules ---- */

static struct btf kernel = { .first_id = 1 };

static void kernel_view(void)
{
	const struct btf_area *a;

	kernel.error = btf_vmlinux(&a);
	if (!kernel.error)
		kernel.area = *a;
}

static void kernel_types(void)
{
	if (!kernel.error)
		kernel.error = index_types(&kernel);
}

static void kernel_funcs(void)
{
	if (!kernel.error)
		kernel.error = index_funcs(&kernel);
}

static void kernel_tracepoints(void)
{
	const struct btf_type *t = NULL;
	size_t room = 0, n = strlen(TRACEPOINT_PREFIX);

	while (!kernel.error && (t = btf_next(&kernel.area, t))) {
		const char *name = type_text(&kernel, t), **more;

		if (BTF_INFO_KIND(t->info) != BTF_KIND_TYPEDEF ||
		    strncmp(name, TRACEPOINT_PREFIX, n))
			continue;
		if (kernel.ntracepoints == room) {
			room = room ? 2 * room : 2048;
			more = realloc(kernel.tracepoints, room * sizeof(*more));
			if (!more)
				return;
			kernel.tracepoints = more;
		}
		kernel.tracepoints[kernel.ntracepoints++] = name + n;
	}
}

enum index { INDEX_TRACEPOINTS, INDEX_TYPES, INDEX_FUNCS };

static int kernel_get(const struct btf **b, enum index what)
{
	static pthread_once_t view = PTHREAD_ONCE_INIT, types = PTHREAD_ONCE_INIT,
			      funcs = PTHREAD_ONCE_INIT, tracepoints = PTHREAD_ONCE_INIT;

	pthread_once(&view, kernel_view);
	if (what == INDEX_TRACEPOINTS)
		pthread_once(&tracepoints, kernel_tracepoints);
	else
		pthread_once(&types, kernel_types);
	if (what == INDEX_FUNCS)
		pthread_once(&funcs, kernel_funcs);
	*b = &kernel;
	return kernel.error;
}

static int module_read(struct btf *b, const char *module)
{
	char path[256], *text;
	int r;

	if (strchr(module, '/') ||
	    snprintf(path, sizeof(path), "/sys/kernel/btf/%s", module) >= (int)sizeof(path))
		return -ENOENT;
	r = kern_read_file(AT_FDCWD, path, &text, &b->area.len);
	if (r < 0)
		return r;
	b->area.data = text;
	r = btf_area_check(&b->area);
	if (!r)
		r = index_types(b);
	return r ? r : index_funcs(b);
}

/* Those that were asked for stay, as does the answer that a module has none. */
static int module_get(const char *module, const struct btf **out)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct btf *known;
	const struct btf *base;
	struct btf *b;
	int r = kernel_get(&base, INDEX_TYPES);

	if (r < 0)
		return r;
	pthread_mutex_lock(&lock);
	for (b = known; b && strcmp(b->module, module); b = b->next)
		;
	if (!b) {
		b = calloc(1, sizeof(*b));
		if (!b || !(b->module = strdup(module))) {
			free(b);
			pthread_mutex_unlock(&lock);
			return -ENOMEM;
		}
		b->base = base;
		b->first_id = base->first_id + base->n;
		b->first_string = base->area.strings_end - base->area.strings;
		b->error = module_read(b, module);
		b->next = known;
		known = b;
	}
	pthread_mutex_unlock(&lock);
	*out = b;
	return b->error;
}

/* ---- prototypes ---- */

/* "const struct foo *"; "struct mod`foo *" of what a module adds to the kernel's types. */
static void type_spelling(const struct btf *b, uint32_t id, char *out, size_t size)
{
	const struct btf_type *t;
	const char *qualifier = "", *tag = "", *name, *module = "";
	int stars = 0, n;

	for (int depth = 0; depth < DEPTH_MAX && (t = type_at(b, id)); depth++, id = t->type) {
		unsigned int kind = BTF_INFO_KIND(t->info);

		if (kind == BTF_KIND_PTR)
			stars++;
		else if (kind == BTF_KIND_CONST)
			/* Of what is pointed to; the argument itself is a value. */
			qualifier = stars ? "const " : "";
		else if (kind != BTF_KIND_VOLATILE && kind != BTF_KIND_RESTRICT &&
			 kind != BTF_KIND_TYPE_TAG)
			break;
	}
	t = type_at(b, id);
	name = t ? type_text(b, t) : "void";
	switch (t ? BTF_INFO_KIND(t->info) : BTF_KIND_UNKN) {
	case BTF_KIND_STRUCT: tag = "struct "; break;
	case BTF_KIND_UNION: tag = "union "; break;
	case BTF_KIND_FWD: tag = BTF_INFO_KFLAG(t->info) ? "union " : "struct "; break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64: tag = *name ? "enum " : ""; break;
	}
	if (b->base && id >= b->first_id && (*tag || (t && BTF_INFO_KIND(t->info) == BTF_KIND_TYPEDEF)) &&
	    BTF_INFO_KIND(t->info) != BTF_KIND_FWD)
		module = b->module;
	if (!*name) {
		tag = module = "";
		name = stars ? "void" : "int";
	}
	n = snprintf(out, size, "%s%s%s%s%s%s", qualifier, tag, module, *module ? "`" : "", name, stars ? " " : "");
	while (stars-- > 0 && n >= 0 && (size_t)n + 1 < size) {
		out[n++] = '*';
		out[n] = '\0';
	}
}

static bool by_value(const struct btf *b, uint32_t id)
{
	const struct btf_type *t = type_at(b, id);

	for (int depth = 0; t && depth < DEPTH_MAX; depth++, t = type_at(b, t->type))
		switch (BTF_INFO_KIND(t->info)) {
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION: return true;
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG: break;
		default: return false;
		}
	return false;
}

int kern_btf_tracepoints(void (*f)(void *arg, const char *name), void *arg)
{
	const struct btf *b;
	int r = kernel_get(&b, INDEX_TRACEPOINTS);

	if (r < 0)
		return r;
	for (size_t i = 0; i < b->ntracepoints; i++)
		f(arg, b->tracepoints[i]);
	return 0;
}

int kern_btf_tracepoint_args(const char *name, struct kern_btf_args *args)
{
	const struct btf_param *p;
	const struct btf_type *t;
	const struct btf *b;
	char full[128];
	int r = kernel_get(&b, INDEX_TYPES);

	if (r < 0)
		return r;
	snprintf(full, sizeof(full), TRACEPOINT_PREFIX "%s", name);
	r = kern_btf_find_id(BTF_KIND_TYPEDEF, full);
	if (r < 0)
		return -ENOENT;
	t = type_at(b, r);
	t = t ? type_at(b, t->type) : NULL;
	if (t && BTF_INFO_KIND(t->info) == BTF_KIND_PTR)
		t = type_at(b, t->type);
	if (!t || BTF_INFO_KIND(t->info) != BTF_KIND_FUNC_PROTO)
		return -ENOENT;
	p = (const void *)(t + 1);
	args->n = 0;
	/* The first parameter belongs to whoever traces. */
	for (unsigned int i = 1; i < BTF_INFO_VLEN(t->info) && args->n < KERN_BTF_ARGS_MAX; i++)
		type_spelling(b, p[i].type, args->type[args->n++], sizeof(args->type[0]));
	return 0;
}

int kern_btf_func_args(const char *module, const char *name, struct kern_btf_args *args,
		       char value[96])
{
	const struct btf_type *t;
	const struct btf_param *p;
	const struct btf *b;
	int r = strcmp(module, "vmlinux") ? module_get(module, &b) : kernel_get(&b, INDEX_FUNCS);

	if (r < 0)
		return r;
	t = func_find(b, name);
	t = t ? type_at(b, t->type) : NULL;
	if (!t || BTF_INFO_KIND(t->info) != BTF_KIND_FUNC_PROTO)
		return -ENOENT;
	p = (const void *)(t + 1);
	args->n = 0;
	/* A parameter without a type stands for "...". */
	for (unsigned int i = 0;
	     i < BTF_INFO_VLEN(t->info) && args->n < KERN_BTF_ARGS_MAX && p[i].type; i++) {
		if (by_value(b, p[i].type))
			return -EOPNOTSUPP;
		type_spelling(b, p[i].type, args->type[args->n++], sizeof(args->type[0]));
	}
	value[0] = '\0';
	if (by_value(b, t->type))
		return -EOPNOTSUPP;
	if (t->type)
		type_spelling(b, t->type, value, sizeof(args->type[0]));
	return 0;
}
