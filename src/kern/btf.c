/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BTF of the kernel, by looking through its types from the start. A full index, as libbpf makes,
 * costs some 7 ms and 12 MB; a script asks for a few names, and each walk over the mapped file
 * costs 0.1 to 1 ms and no memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kern/impl.h"
#include "kern/kern.h"

#define BTF_PATH "/sys/kernel/btf/vmlinux"
#define PERCPU_SECTION ".data..percpu"
/* Deeper nesting of typedefs, qualifiers or anonymous members is not followed. */
#define DEPTH_MAX 32

static struct {
	pthread_once_t once;
	int error;
	const char *data;
	size_t len;
	const char *types, *types_end, *strings, *strings_end;
} vmlinux = { .once = PTHREAD_ONCE_INIT };

static int area_check(void)
{
	const struct btf_header *h = (const void *)vmlinux.data;
	uint64_t hdr, types, strings;

	if (vmlinux.len < sizeof(*h) || h->magic != BTF_MAGIC || h->hdr_len < sizeof(*h))
		return -EINVAL;
	hdr = h->hdr_len;
	types = hdr + h->type_off;
	strings = hdr + h->str_off;
	if (types + h->type_len > vmlinux.len || strings + h->str_len > vmlinux.len ||
	    !h->str_len || vmlinux.data[strings + h->str_len - 1] != '\0' || types % 4)
		return -EINVAL;
	vmlinux.types = vmlinux.data + types;
	vmlinux.types_end = vmlinux.types + h->type_len;
	vmlinux.strings = vmlinux.data + strings;
	vmlinux.strings_end = vmlinux.strings + h->str_len;
	return 0;
}

static int area_get(void)
{
	struct stat st;
	char *text;
	void *p;
	int fd, r;

	fd = open(BTF_PATH, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* Kernels before 6.16 cannot map it. */
	p = fstat(fd, &st) < 0 || st.st_size <= 0
		    ? MAP_FAILED
		    : mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (p != MAP_FAILED) {
		vmlinux.data = p;
		vmlinux.len = st.st_size;
		return 0;
	}
	r = kern_read_file(AT_FDCWD, BTF_PATH, &text, &vmlinux.len);
	if (r < 0)
		return r;
	vmlinux.data = text;
	return 0;
}

static void view_once(void)
{
	vmlinux.error = area_get();
	if (!vmlinux.error)
		vmlinux.error = area_check();
}

static int view(void)
{
	pthread_once(&vmlinux.once, view_once);
	return vmlinux.error;
}

int kern_btf_view(const void **data, size_t *len)
{
	int r = view();

	if (r < 0)
		return r;
	*data = vmlinux.data;
	*len = vmlinux.len;
	return 0;
}

/* ---- walking ---- */

/* Bytes of a type with what follows it; 0: a kind that we do not know, so that nothing behind it
 * can be found. */
static size_t type_size(const struct btf_type *t)
{
	static const struct {
		unsigned char fixed, each;
	} extra[] = {
		[BTF_KIND_INT] = { 4, 0 },	  [BTF_KIND_PTR] = { 0, 0 },
		[BTF_KIND_ARRAY] = { 12, 0 },	  [BTF_KIND_STRUCT] = { 0, 12 },
		[BTF_KIND_UNION] = { 0, 12 },	  [BTF_KIND_ENUM] = { 0, 8 },
		[BTF_KIND_FWD] = { 0, 0 },	  [BTF_KIND_TYPEDEF] = { 0, 0 },
		[BTF_KIND_VOLATILE] = { 0, 0 },	  [BTF_KIND_CONST] = { 0, 0 },
		[BTF_KIND_RESTRICT] = { 0, 0 },	  [BTF_KIND_FUNC] = { 0, 0 },
		[BTF_KIND_FUNC_PROTO] = { 0, 8 }, [BTF_KIND_VAR] = { 4, 0 },
		[BTF_KIND_DATASEC] = { 0, 12 },	  [BTF_KIND_FLOAT] = { 0, 0 },
		[BTF_KIND_DECL_TAG] = { 4, 0 },	  [BTF_KIND_TYPE_TAG] = { 0, 0 },
		[BTF_KIND_ENUM64] = { 0, 12 },
	};
	unsigned int kind = BTF_INFO_KIND(t->info);

	if (kind == BTF_KIND_UNKN || kind >= sizeof(extra) / sizeof(extra[0]))
		return 0;
	return sizeof(*t) + extra[kind].fixed + extra[kind].each * (size_t)BTF_INFO_VLEN(t->info);
}

/* The type after t (NULL: the first one), or NULL at the end. */
static const struct btf_type *type_next(const struct btf_type *t)
{
	const char *p = t ? (const char *)t + type_size(t) : vmlinux.types;
	size_t size;

	if ((size_t)(vmlinux.types_end - p) < sizeof(*t))
		return NULL;
	size = type_size((const void *)p);
	if (!size || size > (size_t)(vmlinux.types_end - p))
		return NULL;
	return (const void *)p;
}

static const struct btf_type *type_by_id(uint32_t id)
{
	const struct btf_type *t = NULL;

	while (id-- && (t = type_next(t)))
		;
	return t;
}

static bool name_is(uint32_t off, const char *name)
{
	const char *s = vmlinux.strings + off;

	return off < (size_t)(vmlinux.strings_end - vmlinux.strings) && *s == *name &&
	       !strcmp(s, name);
}

static int find(int kind, const char *name, const struct btf_type **found)
{
	const struct btf_type *t = NULL;
	int id = 0;

	while ((t = type_next(t))) {
		id++;
		if (BTF_INFO_KIND(t->info) == (unsigned int)kind && name_is(t->name_off, name)) {
			*found = t;
			return id;
		}
	}
	return -ENOENT;
}

int kern_btf_find_id(int kind, const char *name)
{
	const struct btf_type *t;
	int r = view();

	if (r < 0)
		return r;
	/* What has no name cannot be found by it. */
	return *name ? find(kind, name, &t) : -ENOENT;
}

/* ---- members ---- */

static bool is_composite(const struct btf_type *t)
{
	return t && (BTF_INFO_KIND(t->info) == BTF_KIND_STRUCT ||
		     BTF_INFO_KIND(t->info) == BTF_KIND_UNION);
}

static const struct btf_type *strip(uint32_t id)
{
	const struct btf_type *t = type_by_id(id);

	for (int depth = 0; t && depth < DEPTH_MAX; depth++) {
		switch (BTF_INFO_KIND(t->info)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG: t = type_by_id(t->type); break;
		default: return t;
		}
	}
	return NULL;
}

/* Offset in bits of a named member (fields: or bit-field), its type in *type; anonymous structs and unions are part of
 * their parent. */
static int64_t member_find(const struct btf_type *t, const char *name, int depth, bool fields, uint32_t *type)
{
	const struct btf_member *m = (const void *)(t + 1);
	unsigned int n = BTF_INFO_VLEN(t->info), i;
	bool bits = BTF_INFO_KFLAG(t->info);

	for (i = 0; i < n; i++, m++) {
		int64_t at = bits ? BTF_MEMBER_BIT_OFFSET(m->offset) : m->offset;

		if (m->name_off && !name_is(m->name_off, "")) {
			if (!name_is(m->name_off, name))
				continue;
			if (!fields && bits && BTF_MEMBER_BITFIELD_SIZE(m->offset))
				return -EINVAL;
			*type = m->type;
			return at;
		}
		const struct btf_type *inner = depth < DEPTH_MAX ? strip(m->type) : NULL;
		int64_t in =
			is_composite(inner) ? member_find(inner, name, depth + 1, fields, type) : -ENOENT;

		if (in != -ENOENT)
			return in < 0 ? in : at + in;
	}
	return -ENOENT;
}

int kern_btf_member_offset(const char *tag, const char *path)
{
	const struct btf_type *t;
	char name[128];
	int64_t off = 0;
	int r = view();

	if (r < 0)
		return r;
	if (find(BTF_KIND_STRUCT, tag, &t) < 0 && find(BTF_KIND_UNION, tag, &t) < 0)
		return -ENOENT;
	for (;;) {
		size_t n = strcspn(path, ".");
		uint32_t type = 0;
		int64_t at;

		if (!is_composite(t) || n >= sizeof(name))
			return -ENOENT;
		memcpy(name, path, n);
		name[n] = '\0';
		at = member_find(t, name, 0, false, &type);
		if (at < 0)
			return at;
		off += at;
		if (!path[n])
			break;
		path += n + 1;
		t = strip(type);
	}
	return off % 8 ? -EINVAL : (int)(off / 8);
}

int64_t kern_btf_member_bit(const char *tag, const char *name)
{
	const struct btf_type *t;
	uint32_t type;
	int r = view();

	if (r < 0)
		return r;
	return find(BTF_KIND_STRUCT, tag, &t) < 0 ? -ENOENT : member_find(t, name, 0, true, &type);
}

int64_t kern_btf_percpu_offset(const char *name)
{
	const struct btf_type *t = NULL, *section = NULL;
	const struct btf_var_secinfo *v;
	uint32_t id = 0, var = 0;
	int r = view();

	if (r < 0)
		return r;
	/* One walk for both: the section stands near the end, after all else. */
	while ((!var || !section) && (t = type_next(t))) {
		id++;
		if (BTF_INFO_KIND(t->info) == BTF_KIND_VAR && name_is(t->name_off, name))
			var = id;
		else if (BTF_INFO_KIND(t->info) == BTF_KIND_DATASEC &&
			 name_is(t->name_off, PERCPU_SECTION))
			section = t;
	}
	if (!var || !section)
		return -ENOENT;
	v = (const void *)(section + 1);
	for (unsigned int i = 0; i < BTF_INFO_VLEN(section->info); i++, v++)
		if (v->type == var)
			return v->offset;
	return -ENOENT;
}

/* ---- tracepoints ---- */

#define TRACEPOINT_PREFIX "btf_trace_"

/* Types by id, made when prototypes are first asked for: each has several steps by id. */
static struct {
	pthread_once_t once;
	uint32_t *at; /* offset from the first type, of id 1.. */
	uint32_t n;
} by_id = { .once = PTHREAD_ONCE_INIT };

static void by_id_once(void)
{
	const struct btf_type *t = NULL;
	uint32_t n = 1;

	while ((t = type_next(t)))
		n++;
	by_id.at = malloc(n * sizeof(*by_id.at));
	if (!by_id.at)
		return;
	for (n = 1, t = NULL; (t = type_next(t)); n++)
		by_id.at[n] = (const char *)t - vmlinux.types;
	by_id.n = n;
}

static const struct btf_type *type_at(uint32_t id)
{
	return id && id < by_id.n ? (const void *)(vmlinux.types + by_id.at[id]) : NULL;
}

static const char *type_text(const struct btf_type *t)
{
	size_t len = vmlinux.strings_end - vmlinux.strings;

	return t->name_off < len ? vmlinux.strings + t->name_off : "";
}

/* Their names, found by the first who asks: a walk over all types takes some 4 ms. */
static struct {
	pthread_once_t once;
	const char **name;
	size_t n;
} tracepoints = { .once = PTHREAD_ONCE_INIT };

static void tracepoints_once(void)
{
	const struct btf_type *t = NULL;
	size_t room = 0;

	while ((t = type_next(t))) {
		const char **more;

		if (BTF_INFO_KIND(t->info) != BTF_KIND_TYPEDEF ||
		    strncmp(type_text(t), TRACEPOINT_PREFIX, strlen(TRACEPOINT_PREFIX)))
			continue;
		if (tracepoints.n == room) {
			room = room ? 2 * room : 2048;
			more = realloc(tracepoints.name, room * sizeof(*more));
			if (!more)
				return;
			tracepoints.name = more;
		}
		tracepoints.name[tracepoints.n++] = type_text(t) + strlen(TRACEPOINT_PREFIX);
	}
}

int kern_btf_tracepoints(void (*f)(void *arg, const char *name), void *arg)
{
	int r = view();

	if (r < 0)
		return r;
	pthread_once(&tracepoints.once, tracepoints_once);
	for (size_t i = 0; i < tracepoints.n; i++)
		f(arg, tracepoints.name[i]);
	return 0;
}

/* "const struct foo *" */
static void type_spelling(uint32_t id, char *out, size_t size)
{
	const struct btf_type *t;
	const char *qualifier = "", *tag = "", *name;
	int stars = 0, n;

	for (int depth = 0; depth < DEPTH_MAX && (t = type_at(id)); depth++, id = t->type) {
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
	t = type_at(id);
	name = t ? type_text(t) : "void";
	switch (t ? BTF_INFO_KIND(t->info) : BTF_KIND_UNKN) {
	case BTF_KIND_STRUCT: tag = "struct "; break;
	case BTF_KIND_UNION: tag = "union "; break;
	case BTF_KIND_FWD: tag = BTF_INFO_KFLAG(t->info) ? "union " : "struct "; break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64: tag = *name ? "enum " : ""; break;
	}
	if (!*name) {
		tag = "";
		name = stars ? "void" : "int";
	}
	n = snprintf(out, size, "%s%s%s%s", qualifier, tag, name, stars ? " " : "");
	while (stars-- > 0 && n >= 0 && (size_t)n + 1 < size) {
		out[n++] = '*';
		out[n] = '\0';
	}
}

int kern_btf_tracepoint_args(const char *name, struct kern_btf_args *args)
{
	const struct btf_param *p;
	const struct btf_type *t;
	char full[128];
	int r = view();

	if (r < 0)
		return r;
	pthread_once(&by_id.once, by_id_once);
	snprintf(full, sizeof(full), TRACEPOINT_PREFIX "%s", name);
	if (find(BTF_KIND_TYPEDEF, full, &t) < 0)
		return -ENOENT;
	t = type_at(t->type);
	if (t && BTF_INFO_KIND(t->info) == BTF_KIND_PTR)
		t = type_at(t->type);
	if (!t || BTF_INFO_KIND(t->info) != BTF_KIND_FUNC_PROTO)
		return -ENOENT;
	p = (const void *)(t + 1);
	args->n = 0;
	/* The first parameter belongs to whoever traces. */
	for (unsigned int i = 1; i < BTF_INFO_VLEN(t->info) && args->n < KERN_BTF_ARGS_MAX; i++)
		type_spelling(p[i].type, args->type[args->n++], sizeof(args->type[0]));
	return 0;
}

/* ---- functions ---- */

/* By name: scripts ask for the types of thousands. */
static struct {
	pthread_once_t once;
	const struct btf_type **v;
	size_t n;
} funcs = { .once = PTHREAD_ONCE_INIT };

static int func_cmp(const void *x, const void *y)
{
	return strcmp(type_text(*(const struct btf_type *const *)x),
		      type_text(*(const struct btf_type *const *)y));
}

static void funcs_once(void)
{
	const struct btf_type *t = NULL;
	size_t n = 0;

	while ((t = type_next(t)))
		n += BTF_INFO_KIND(t->info) == BTF_KIND_FUNC;
	funcs.v = malloc(n * sizeof(*funcs.v));
	if (!funcs.v)
		return;
	while ((t = type_next(t)))
		if (BTF_INFO_KIND(t->info) == BTF_KIND_FUNC)
			funcs.v[funcs.n++] = t;
	qsort(funcs.v, funcs.n, sizeof(*funcs.v), func_cmp);
}

static const struct btf_type *func_find(const char *name)
{
	size_t low = 0, high = funcs.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = strcmp(type_text(funcs.v[mid]), name);

		if (!c)
			return funcs.v[mid];
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

static bool by_value(uint32_t id)
{
	const struct btf_type *t = type_at(id);

	for (int depth = 0; t && depth < DEPTH_MAX; depth++, t = type_at(t->type))
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

int kern_btf_func_args(const char *name, struct kern_btf_args *args, char value[96])
{
	const struct btf_type *t;
	const struct btf_param *p;
	int r = view();

	if (r < 0)
		return r;
	pthread_once(&by_id.once, by_id_once);
	pthread_once(&funcs.once, funcs_once);
	t = func_find(name);
	t = t ? type_at(t->type) : NULL;
	if (!t || BTF_INFO_KIND(t->info) != BTF_KIND_FUNC_PROTO)
		return -ENOENT;
	p = (const void *)(t + 1);
	args->n = 0;
	/* A parameter without a type stands for "...". */
	for (unsigned int i = 0; i < BTF_INFO_VLEN(t->info) && args->n < KERN_BTF_ARGS_MAX && p[i].type; i++) {
		if (by_value(p[i].type))
			return -EOPNOTSUPP;
		type_spelling(p[i].type, args->type[args->n++], sizeof(args->type[0]));
	}
	value[0] = '\0';
	if (by_value(t->type))
		return -EOPNOTSUPP;
	if (t->type)
		type_spelling(t->type, value, sizeof(args->type[0]));
	return 0;
}
