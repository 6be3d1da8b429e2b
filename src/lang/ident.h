/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Identifiers: the tables of a session, creation, storage. Everything returned lives as long as the
 * session.
 */
#ifndef LANG_IDENT_H
#define LANG_IDENT_H

#include "lang/lang.h"

enum builtin_flags {
	BUILTIN_BUILT = 1 << 0, /* the code generator has it */
	BUILTIN_ARRAY = 1 << 1, /* must be indexed */
};

enum ident_scope {
	SCOPE_GLOBAL = 0, /* as in node u.ident.scope */
	SCOPE_SELF = 's',
	SCOPE_THIS = 't',
	SCOPE_AGG = '@',
};

/*
 * Looks a name up in one scope. In the global scope this covers built-in variables, functions,
 * constants that every program sees (NULL, DTRACEFLT_*), D variables, inlines and enumerators
 * declared in D. NULL if unknown.
 */
struct ident *ident_lookup(struct dsession *s, int scope, const char *name);

/*
 * Makes an identifier of `kind` and enters it; the scope follows from the kind. The name must be
 * free there. With a type (not NULL) storage is given at once, otherwise by ident_set_type().
 */
struct ident *ident_create(struct dsession *s, enum ident_kind kind, const char *name,
			   struct type *type, int line);
void ident_set_type(struct dsession *s, struct ident *id, struct type *type);
void ident_set_keys(struct dsession *s, struct ident *id, struct type *const *keys, size_t nkeys);

/* Flags of a built-in variable (enum builtin_flags). */
unsigned int builtin_flags(enum builtin b);
const char *builtin_name(enum builtin b);

/* The word for its kind in messages: "scalar", "associative array", "function", "aggregation" ...
 */
const char *ident_kind_name(const struct ident *id);
/* Prefix in messages and source: "", "self->", "this->", "@", "`". */
const char *ident_prefix(const struct ident *id);

/* Bytes that a value of this type takes in a variable: abi_str for strings, else the size rounded
 * up to 8. */
uint32_t ident_value_size(const struct dsession *s, struct type *t);
/* Gives all offsets and sizes again, e.g. after strsize has changed; before code is generated. */
void ident_layout(struct dsession *s);

#endif
