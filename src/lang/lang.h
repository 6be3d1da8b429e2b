/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compilation of D text to a checked tree.
 *
 * A struct dsession lives as long as the handle: it owns the global names (variables, inlines, types,
 * aggregations), so that a later unit sees what an earlier one declared. lang_compile() makes one dprog.
 */
#ifndef LANG_LANG_H
#define LANG_LANG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lang/tree.h"

/* Field of a bare description: which flag gave the program. */
enum spec_field { SPEC_NAME, SPEC_FUNC, SPEC_MOD, SPEC_PROV };

struct lang_probe_arg {
	int nargs;	     /* how many args[] the probes have; 0: untyped */
	bool multi;	     /* the probes disagree */
	struct type *type;   /* of args[n]; NULL: out of range or unknown */
	struct type *native; /* what it is translated from, if it differs from type; else NULL */
	int from;	     /* the probe's own argument that it is made of */
};

/* A kernel symbol: type NULL if nothing tells it. */
struct lang_symbol {
	uint64_t addr;
	struct type *type;
	bool percpu;	/* addr is the offset in each CPU's area */
};

/* What the compiler asks of the world above it. `arg` is passed on. Unset members mean: nothing there. */
struct lang_hooks {
	void *arg;
	/* #pragma D option name[=value]: 0, or the reason text ("Invalid option name"); value NULL if none. */
	const char *(*set_option)(void *arg, const char *name, const char *value);
	/* Is there a probe for this description? Providers create what can be created on demand. 0 = none; *diag may be set to a provider's own error. */
	int (*probe_matches)(void *arg, const struct probespec *spec, struct diag *d);
	/* Why there is none: what the kernel lacks; NULL: nothing is known. */
	const char *(*probe_unavailable)(void *arg, const struct probespec *spec);
	/* What args[n] of the probes matching spec is. */
	void (*probe_arg)(void *arg, const struct probespec *spec, int n, struct lang_probe_arg *out);
	/* Kernel symbol `name (module may be NULL); false if unknown. */
	bool (*symbol)(void *arg, const char *module, const char *name, struct lang_symbol *sym);
	bool (*provider_exists)(void *arg, const char *name);
	bool (*module_exists)(void *arg, const char *name);
	/* A name ("psinfo_t", "struct psinfo", "SIGINT") is unknown: true if a library that defines it was compiled now. */
	bool (*find_name)(void *arg, const char *name);
	/* Compiles the library of that file name, if it is not yet. */
	bool (*load_library)(void *arg, const char *name);
};

/* Compile-time settings, written by the option table of the library before each compilation. */
struct lang_options {
	bool argref, defaultargs, empty, zdefs, pspec_file, errtags, knodefs, unodefs, caret, lex;
	uint32_t strsize;
	uint32_t maxframes; /* of any stack; 0: as many as the kernel gives */
	uint32_t stackframes, ustackframes, jstackframes, jstackstrsize;
	uint32_t nspec;
	uint64_t scratchsize;	/* of alloca() and copyin() */
	uint32_t printsize;	/* bytes that print() records */
	int64_t target;		/* $target */
	const char *amin;
	const char *version;
};

struct dsession {
	struct types *types;
	struct lang_options opt;
	struct lang_hooks hooks;
	struct arena *arena;	/* identifiers and everything that outlives one unit */
	struct arena *unit;	/* arena of the unit being compiled, set by lang_compile(); NULL: arena serves */
	struct hmap *globals;	/* name -> struct ident * (all global-scope kinds but aggregations) */
	struct hmap *threads;	/* self-> */
	struct hmap *locals;	/* this-> */
	struct hmap *aggs;
	VEC(struct ident *) all; /* every ident in order of creation */
	uint32_t globals_size;	/* bytes of the globals area given out so far */
	uint32_t locals_size;	/* bytes of the clause-local area */
	uint32_t nclauses;	/* clauses over all units */
	uint32_t nvars, naggs;
	int nsources; /* texts that have a number */
	VEC(struct translator *) translators;
	VEC(struct provdef *) providers; /* defined by programs */
	bool unmet;	 /* a library was given up since what it depends on is not there */
	uint32_t ntemps; /* clause-local variables made by the checker */
};

struct dsession *lang_session_create(void);
void lang_session_destroy(struct dsession *s);

struct lang_source {
	const char *text;	/* the whole text; not NUL-terminated */
	size_t len;
	const char *name;	/* file name for scripts, the text for -n and friends */
	bool library;		/* no program: declarations alone. Its name is part of every message */
	bool is_file;		/* errors say "line N:" instead of "in action list:" */
	int id; /* tells the text from all others of the session: lang_source_id() */
	enum spec_field field;
	int argc;		/* macro arguments $0 .. $argc-1 */
	char *const *argv;
};

/* A number for a text, so that the places of errors can be found in it. */
static inline int lang_source_id(struct dsession *s)
{
	return ++s->nsources;
}

/* Parses and checks one unit. NULL after an error, which is in *d. Free with lang_prog_destroy(). */
struct dprog *lang_compile(struct dsession *s, const struct lang_source *src, struct diag *d);
void lang_prog_destroy(struct dprog *p);

/* The text of an error as DTrace prints it after the program's prefix: "[TAG] line N: text" (errors.md 1.1). Caller frees. */
char *lang_diag_text(const struct diag *d, const struct lang_source *src, bool errtags);

/* With -x caret: adds the line of the place to the error, if it is in this text. Once is enough. */
void lang_diag_show(struct diag *d, const struct dsession *s, const struct lang_source *src);

/* Dumps for -x tree and golden tests. */
void lang_dump(const struct dprog *p, struct types *ts, FILE *out);

/*
 * What the parser leaves to the checker. The tree as parsed:
 * - NODE_INT has its type, NODE_STRING too; no other node but NODE_CAST and NODE_TYPE has one;
 * - NODE_IDENT: u.ident.name; for scope '`' it is as written ("`sym", "mod`sym"); also the parameters of an inline;
 * - NODE_INDEX: the base in a (any expression), u.index.keys, ident NULL; NODE_AGG: u.agg.name ("_" for a bare @);
 * - NODE_CALL: u.call.name and args, func NULL; if the callee is no plain name: name NULL and the callee in a;
 * - NODE_SIZEOF: a, which may be a NODE_TYPE; NODE_OFFSETOF: a is a NODE_TYPE, u.member.name;
 * - statements are STMT_EXPR and STMT_IF only: the checker turns `@a = f()` into STMT_AGG and calls of actions into
 *   STMT_ACTION; node->depth bounds every recursion over a tree (PARSE_MAX_DEPTH).
 */
int lang_check_clause(struct dsession *s, struct clause *c, struct diag *d);

#endif
