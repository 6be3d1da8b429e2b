/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a clause records and how it is printed: made by the code generator, read by the consumer. The ECB
 * table is the one joint of enabling and tracing: it grows at its end only, also while tracing.
 */
#ifndef CODEGEN_LAYOUT_H
#define CODEGEN_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "lang/format.h"
#include "lang/func.h"
#include "type/type.h"

enum field_kind {
	FIELD_INT,    /* integer, enum, pointer: size bytes at offset, is_signed */
	FIELD_STRING, /* uint32_t length at offset (UINT32_MAX: NULL string); the bytes stand behind the fixed part, in order of the fields */
	FIELD_BYTES,  /* size bytes at offset: struct, array, tracemem */
	FIELD_STACK,  /* size / 8 kernel pcs at offset, ends at the first 0 */
	FIELD_USTACK, /* word pid | number of its last exec << 32, then pcs */
	FIELD_SYM,    /* sym, func, mod: 8-byte kernel address */
	FIELD_USYM,   /* usym, ufunc, umod, uaddr: word as in FIELD_USTACK, 8-byte address */
	FIELD_CONST_INT,    /* value, not recorded */
	FIELD_CONST_STRING, /* text, not recorded */
	FIELD_PROBE_STRING, /* not recorded: probeprov, probemod, probefunc, probename of the ECB's probe: value 0..3 */
	FIELD_AGG, /* argument of printa, clear ...: value is the aggregation id; not recorded */
};

struct field {
	enum field_kind kind;
	uint32_t offset;    /* from the start of the record (header included) */
	uint32_t size;	    /* bytes at offset; strings: 4 */
	bool is_signed;
	struct type *type;  /* D type of the value */
	int64_t value;
	const char *text;
	enum func_id func;  /* FIELD_SYM, FIELD_USYM: which one */
	uint32_t
		frames; /* FIELD_STACK, FIELD_USTACK: shown at most; a pc behind them tells that the stack goes on */
};

/* One action of a clause, in text order. */
struct action {
	enum func_id func;	/* FN_trace, FN_printf ... */
	struct format *fmt;	/* printf, printa, system, freopen */
	size_t nfields;
	struct field *fields;
	int number;		/* from 1 */
	int presence;		/* bit number in the presence words, -1: always there */
};

struct layout {
	uint32_t header;	/* 8 or 16 */
	uint32_t npresence;	/* uint64_t words of presence bits right behind the header */
	uint32_t fixed;		/* bytes of header, presence and fixed part, 8-aligned: strings start here */
	/*
	 * A stack that ends the fixed part, with no string behind it, may be cut behind its last pc:
	 * the record is then shorter than fixed, but not than least. NULL: there is none.
	 */
	const struct field *tail;
	uint32_t least;
	uint32_t max;		/* largest size of a record, 8-aligned; 0: this clause leaves no record */
	uint32_t nstrings;
	size_t nactions;
	struct action *actions;
	bool is_default;	/* default action: prints the probe line only */
	bool records;		/* does it print a line? */
	bool flow_hidden;
};

#define STACK_GOES_ON ABI_STACK_GOES_ON /* behind the pcs of a stack that were recorded: there are more */

/* A key component of an aggregation entry, in order. */
struct keypart {
	enum field_kind kind;	/* FIELD_INT (one word, already of the key type's width), FIELD_STRING (one word length; bytes later),
				   FIELD_PROBE_STRING / FIELD_CONST_STRING: one word, the strtab offset; FIELD_STACK ... */
	struct type *type;
	enum func_id func;
	uint32_t
		words; /* fixed words of this part; of a last one that is a stack there may be fewer */
	uint32_t frames; /* as in struct field */
};

/* What one aggregating statement writes: entries carry the shape's index. Same aggregation, other shape: the consumer merges. */
struct aggshape {
	uint32_t agg;		/* aggregation id */
	size_t nparts;
	struct keypart *parts;	/* fixed words first, one after the other; then the bytes of the strings, each padded to 8 */
	uint32_t value_words;
	uint32_t fixed_offset;	/* no key: offset of {touched word, value} in a half; else 0 */
	bool direct;		/* no key, count() alone in its clause: a counter at fixed_offset + 8 of half 0 that is never
				 * switched or cleared; the consumer takes differences */
};

struct aggdesc {
	uint32_t id;		/* from 1, in order of first appearance */
	const char *name;	/* without @ */
	enum func_id func;
	int64_t params[4];
	size_t nkeys;
	struct type **keys;	/* the signature */
	uint32_t value_words;
};

struct probe;	/* provider/probe.h */

struct ecb {
	uint32_t epid;
	const struct probe *probe;
	const struct layout *layout;
	uint32_t clause;	/* over the session, from 0 */
	const char *prov, *mod, *func, *name; /* of the probe */
	uint32_t probe_id;
};

struct ecbs {
	VEC(struct ecb) v;	/* index epid - 1 */
	VEC(struct aggshape) shapes;
	VEC(struct aggdesc) aggs; /* index id - 1 */
	VEC(struct layout *) layouts; /* owned */
};

static inline const struct ecb *ecb_get(const struct ecbs *t, uint32_t epid)
{
	return epid > 0 && epid <= t->v.n ? &t->v.v[epid - 1] : NULL;
}

#endif
