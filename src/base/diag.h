/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Diagnostics for the user's D: a tag of errors.md, a place, a text. Only the first one is kept, as
 * DTrace reports one error per compilation; stages return at once after it (diag_set() tells).
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdarg.h>
#include <stdbool.h>

/* Where in a clause an error was found: decides the words "in predicate: " and "in action list: ". */
enum diag_where {
	DIAG_TEXT,	/* lexical, grammar, probe description, macro, declaration */
	DIAG_PREDICATE, /* while the predicate is checked or compiled */
	DIAG_ACTION,	/* while the body is checked or compiled */
};

struct srcloc {
	const char *file; /* named by #line or a library file; NULL for the main text */
	int line;	  /* from 1; 0 = no place known */
	int pos;	  /* byte of the text, from 1; 0 = unknown */
	int source;	  /* which text: lang_source.id; 0 = unknown */
};

struct diag {
	bool set;
	const char *tag; /* "D_SYNTAX" ..., NULL for untagged errors */
	struct srcloc loc;
	enum diag_where where;	     /* of the error */
	enum diag_where where_now;   /* stage under way: set by the checker and the code generator */
	char *text;		     /* owned */
	char *shown;		     /* the line of the place with a caret below, or NULL; owned */
};

void diag_clear(struct diag *d);
/* Records the error unless one is set already. Always returns -1, so that callers may `return diag_error(...)`. */
int diag_error(struct diag *d, const char *tag, struct srcloc loc, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int diag_verror(struct diag *d, const char *tag, struct srcloc loc, const char *fmt, va_list ap)
	__attribute__((format(printf, 4, 0)));

#endif
