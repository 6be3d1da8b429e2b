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

static struct btf_area vmlinux;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int view_error;

int btf_area_check(struct btf_area *a)
{
	const struct btf_header *h = (const void *)a->data;
	uint64_t hdr, types, strings;

	if (a->len < sizeof(*h) || h->magic != BTF_MAGIC || h->hdr_len < sizeof(*h))
		return -EINVAL;
	hdr = h->hdr_len;
	types = hdr + h->type_off;
	strings = hdr + h->str_off;
	if (types + h->type_len > a->len || strings + h->str_len > a->len || !h->str_len ||
	    a->data[strings + h->str_len - 1] != '\0' || types % 4)
		return -EINVAL;
	a->types = a->data + types;
	a->types_end = a->types + h->type_len;
	a->strings = a->data + strings;
	a->strings_end = a->strings + h->str_len;
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
	view_error = area_get();
	if (!view_error)
		view_error = btf_area_check(&vmlinux);
}

static int view(void)
{
	pthread_once(&once, view_once);
	return view_error;
}

int btf_vmlinux(const struct btf_area **a)
{
	*a = &vmlinux;
	return view();
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

const struct btf_type *btf_next(const struct btf_area *a, const struct btf_type *t)
{
	const char *p = t ? (const char *)t + type_size(t) : a->types;
	size_t size;

	if ((size_t)(a->types_end - p) < sizeof(*t))
		return NULL;
	size = type_size((const void *)p);
	if (!size || size > (size_t)(a->types_end - p))
		return NULL;
	return (const void *)p;
}

static const struct btf_type *type_next(const struct btf_type *t)
{
	return btf_next(&vmlinux, t);
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

int64_t kern_btf_enumerator(const char *tag, const char *name)
{
	const struct btf_type *t;
	const struct btf_enum *e;
	int r = view();

	if (r < 0)
		return r;
	if (find(BTF_KIND_ENUM, tag, &t) < 0)
		return -ENOENT;
	e = (const void *)(t + 1);
	for (unsigned int i = 0; i < BTF_INFO_VLEN(t->info); i++, e++)
		if (name_is(e->name_off, name))
			return e->val;
	return -ENOENT;
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
