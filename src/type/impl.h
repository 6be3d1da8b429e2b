/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of src/type share. Nothing else includes this. */
#ifndef TYPE_IMPL_H
#define TYPE_IMPL_H

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "type/type.h"

struct btf;

/* Types of the core kernel, or those that a module adds. A module's ids go on where the kernel's end. */
struct btf_source {
	struct btf_source *next; /* modules */
	char *module;		 /* NULL: the core kernel */
	struct btf_source *base; /* of a module: the core kernel */
	struct btf *btf;	 /* NULL: it has none */
	uint32_t first, end;	 /* its own ids */
	struct type **converted; /* from first on */
};

struct types {
	struct arena *arena;
	struct hmap *base;	  /* built-in names and typedefs */
	struct hmap *dscope;	  /* names declared in D: "foo_t", "struct foo" */
	struct hmap *libscope;	  /* those that libraries declare, who do not see the program's */
	bool in_library;	  /* a library is being compiled, or what is built in is looked up */
	struct hmap *names;	  /* type -> its spelling, for type_name() */
	VEC(struct type *) enums; /* made by declarations */
	struct type *string, *voidt, *dynamic;
	bool (*find)(void *arg, const char *name);
	void *find_arg;
	const char *btf_dir;	   /* NULL: that of the running kernel */
	struct btf_source *kernel; /* NULL until asked for, and where there is none */
	bool kernel_tried;
	struct btf_source *modules; /* asked for so far, the latest at the end */
	bool all_modules;
};

/* Every type is the head of one of these, so that it finds its universe. Types are never copied by
 * value. */
struct type_node {
	struct type t;
	struct types *ts;
};

static inline struct types *type_universe(struct type *t)
{
	return ((struct type_node *)t)->ts;
}

/* What D declares under this name, where it is looked up from. */
struct type *type_declared(struct types *ts, const char *name);

/* source.c: what is there already, or is read now if load. NULL: none. */
struct btf_source *btf_source_kernel(struct types *ts, bool load);
struct btf_source *btf_source_module(struct types *ts, const char *module, bool load);
/* The first module; all of them are read before if load. */
struct btf_source *btf_source_modules(struct types *ts, bool load);
void btf_sources_unload(struct types *ts);

/* btf.c. Loading is tried once; a machine without BTF just knows no kernel types. */
struct type *btf_type_lookup(struct types *ts, const char *module, enum type_kind want,
			     const char *name, bool load);
void btf_type_complete(struct types *ts, struct type *t);
bool btf_type_enumerator(struct types *ts, const char *name, int64_t *value, struct type **of);

#endif
