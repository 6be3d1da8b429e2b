/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Actions, subroutines and aggregating functions: one row each in lang/func.def.
 *   FUNC(id, name, kind, flags, prototype)
 * The prototype is in D: "string (string, string)"; "@" stands for any value, "[" before optional
 * arguments, "..." for more. The checker of an odd one is chk_<id> (flag FUNC_CHECK), the emitter in the
 * code generator is emit_<id> (flag FUNC_EMIT tells that it is built; a row without it is refused at
 * compile time as "NAME( ) is not implemented (yet)", tag D_UNKNOWN).
 */
#ifndef LANG_FUNC_H
#define LANG_FUNC_H

enum func_kind {
	FUNC_SUBR,   /* subroutine: may be used in any expression */
	FUNC_ACTION, /* may only be a whole statement */
	FUNC_AGG,    /* aggregating function */
};

enum func_flags {
	FUNC_EMIT = 1 << 0,	   /* built */
	FUNC_CHECK = 1 << 1,	   /* has a checker of its own, chk_<id> */
	FUNC_RECORDS = 1 << 2,	   /* records data (class D of the reference) */
	FUNC_DESTRUCTIVE = 1 << 3, /* class X */
	FUNC_CONSUMER = 1 << 4,	   /* class U: takes effect in the consumer */
	FUNC_FORMAT = 1 << 5,	   /* the first argument is a format string */
	FUNC_AGGARG = 1 << 6,	   /* works on an aggregation: clear, trunc, normalize, denormalize, printa */
	FUNC_ADDRESS = 1 << 7,	   /* stack, ustack, sym ...: usable as an aggregation key */
	FUNC_REFUSED = 1 << 8,	   /* cannot exist on Linux: refused with a reason */
};

enum func_id {
	FUNC_NONE,
#define FUNC(id, name, kind, flags, proto) FN_##id,
#include "lang/func.def"
#undef FUNC
	FN_MAX
};

struct func {
	enum func_id id;
	const char *name;
	enum func_kind kind;
	unsigned int flags;
	const char *proto;
};

const struct func *func_lookup(const char *name); /* NULL if unknown */
const struct func *func_get(enum func_id id);

#endif
