/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of src/type share. Nothing else includes this. */
#ifndef TYPE_IMPL_H
#define TYPE_IMPL_H

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "type/type.h"

struct btf;

struct types {
	struct arena *arena;
	struct hmap *base;	  /* built-in names and typedefs */
	struct hmap *dscope;	  /* names declared in D: "foo_t", "struct foo" */
	struct hmap *names;	  /* type -> its spelling, for type_name() */
	VEC(struct type *) enums; /* made by declarations */
	struct type *string, *voidt, *dynamic;
	bool (*find)(void *arg, const char *name);
	void *find_arg;
	struct btf *btf; /* of the kernel, NULL until asked for */
	bool btf_tried;
	struct type **by_id; /* converted BTF types */
	uint32_t nids;
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

/* btf.c. Loading is tried once; a machine without BTF just knows no kernel types. */
struct type *btf_type_lookup(struct types *ts, const char *module, enum type_kind want,
			     const char *name, bool load);
void btf_type_complete(struct types *ts, struct type *t);
bool btf_type_enumerator(struct types *ts, const char *name, int64_t *value, struct type **of);
void btf_type_unload(struct types *ts);

#endif
