/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * C types as D sees them. A type is a node owned by its universe (struct types) and lives as long as it;
 * equal built-in types are equal pointers. Kernel types are read from BTF only when first asked for
 * (reading BTF costs milliseconds; BEGIN { exit(0); } must not pay for it).
 */
#ifndef TYPE_TYPE_H
#define TYPE_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum type_kind {
	TYPE_VOID,
	TYPE_INT,      /* every integer, char and _Bool too */
	TYPE_FLOAT,
	TYPE_STRING,   /* D string, strsize bytes */
	TYPE_POINTER,
	TYPE_ARRAY,
	TYPE_STRUCT,
	TYPE_UNION,
	TYPE_ENUM,
	TYPE_TYPEDEF,
	TYPE_FUNCTION,
	TYPE_FORWARD,  /* struct, union or enum without a definition */
	TYPE_DYNAMIC,  /* translated data, associative array as a whole ... */
	TYPE_STACK, TYPE_SYMADDR, TYPE_USYMADDR, /* internal typedefs of the address actions */
};

struct type;
struct btf_source;

struct type_member {
	const char *name;    /* "" for an anonymous struct or union member */
	struct type *type;
	uint32_t bit_offset; /* from the start of the struct */
	uint32_t bit_size;   /* 0: not a bit-field */
};

struct type_enumerator {
	const char *name;
	int64_t value;
};

struct type {
	enum type_kind kind;
	const char *name;    /* "int", tag of a struct ("" if none), name of a typedef */
	uint64_t size;	     /* bytes; 0 for void, function, forward */
	uint32_t align;
	bool is_signed;	     /* TYPE_INT, TYPE_ENUM */
	bool is_char;
	bool is_const, is_volatile, is_userland; /* qualifiers as written, on this node */
	struct type *ref;    /* pointer, array element, typedef target, function result */
	uint64_t nelems;     /* array; 0 = open */
	size_t nmembers;     /* struct, union: members; enum: enumerators; function: parameters */
	struct type_member *members;
	struct type_enumerator *enumerators;
	struct type **params;
	bool varargs;
	uint32_t btf_id;     /* kernel BTF id, 0 for D types */
	struct btf_source *btf; /* whose id it is */
	uint32_t strsize;    /* struct, union of D: bytes of a string in it, which strsize was then */
	enum type_kind fwd_kind; /* TYPE_FORWARD: struct, union or enum */
	bool complete;	     /* members read from BTF (lazily, by type_complete()) */
	struct type *ptr;    /* cached pointer to this type */
};

struct types;
struct str;

struct types *types_create(uint32_t strsize);
void types_destroy(struct types *ts);
/* Asked for a name that is in no scope of D's own; true: it may have entered the D scope. */
void types_set_finder(struct types *ts, bool (*find)(void *arg, const char *name), void *arg);
void types_set_strsize(struct types *ts, uint32_t strsize);
/* Kernel types are read from files here, "vmlinux" and one a module; before the first look-up. */
void types_set_btf_dir(struct types *ts, const char *dir);
/* Are there types of this kernel module? */
bool types_of_module(struct types *ts, const char *module);

/* Built-in types, equal by pointer. */
struct type *type_int(struct types *ts);
struct type *type_int64(struct types *ts);	/* int64_t: "long" underneath, typedef name kept */
struct type *type_uint64(struct types *ts);
struct type *type_builtin(struct types *ts, const char *name); /* "int", "unsigned long", "string", "void", "uint64_t" ...; NULL if none */
struct type *type_string(struct types *ts);
struct type *type_void(struct types *ts);
struct type *type_dynamic(struct types *ts);

/*
 * Look-up by C spelling without declarator: "struct task_struct", "pid_t", "enum pid_type", "vmlinux`foo_t".
 * What the program declares first, then what libraries declare, then the kernel, then its modules, those already read
 * first. NULL if unknown.
 */
struct type *type_lookup(struct types *ts, const char *name);
/* The same without touching kernel BTF unless it is already loaded (the lexer asks for each word). */
struct type *type_lookup_loaded(struct types *ts, const char *name);
/* Of a variable or function of the kernel, or of a function of a module; NULL if nothing tells it. */
struct type *type_symbol(struct types *ts, const char *module, const char *name);
/* "vmlinux", or "kernel" as other systems have it */
bool type_module_is_core(const char *module);
/*
 * From now on (or no more) a library is what looks up and declares: it sees no types of the program, which may be called
 * like those of the kernel. Gives what it was before.
 */
bool types_library(struct types *ts, bool library);
/* A spelling of the tables: a name, maybe "const " before and stars after it. NULL if unknown. Looked up as by a library.
 */
struct type *type_parse(struct types *ts, const char *text);
/* Adds a named type to the D scope ("struct foo", "foo_t"); false if the name is taken there. */
bool type_define(struct types *ts, const char *name, struct type *t);

struct type *type_pointer(struct types *ts, struct type *to);
struct type *type_array(struct types *ts, struct type *of, uint64_t nelems);
struct type *type_new(struct types *ts, enum type_kind kind, const char *name); /* for declarations */
struct type *type_qualified(struct types *ts, struct type *t, bool is_const, bool is_volatile);
void type_layout(struct types *ts, struct type *sou); /* offsets and size of a struct/union made with type_new */

/* Strips typedefs (and qualifiers on them); completes BTF structs lazily. */
struct type *type_resolve(struct type *t);
bool type_is_integer(struct type *t);	 /* integer or enum */
bool type_is_arith(struct type *t);	 /* integer or float */
bool type_is_scalar(struct type *t);	 /* integer, enum, pointer */
bool type_is_pointer(struct type *t);	 /* pointer or array */
bool type_is_string(struct type *t);
bool type_is_string_like(struct type *t); /* string, char *, char [] */
bool type_is_sou(struct type *t);
bool type_is_signed(struct type *t);
bool type_compatible(struct type *a, struct type *b); /* C compatibility after resolving */
/* Finds a member, through anonymous members; *bit_offset is from the start of t. NULL if none. */
const struct type_member *type_member(struct type *t, const char *name, uint64_t *bit_offset);
/* An enumerator of any known enum (D scope; kernel only if loaded). */
bool type_enumerator(struct types *ts, const char *name, int64_t *value, struct type **of);

/* The C spelling, as messages print it: "int", "struct foo *", "int [3]", "string". Static ring of 8 buffers
 * would not be reentrant: the result lives in the universe. */
const char *type_name(struct types *ts, struct type *t);
void type_spell(struct str *out, struct type *t); /* the same, appended */

#endif
