/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Format strings of printf, printa, system and freopen: parsed and checked while compiling, executed by the
 * consumer (consumer/print.c). A format is a list of literal pieces and conversions.
 */
#ifndef LANG_FORMAT_H
#define LANG_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/mem.h"
#include "lang/tree.h"

enum format_flags {
	FMT_ALT = 1,	 /* # */
	FMT_ZERO = 2,	 /* 0 */
	FMT_LEFT = 4,	 /* - */
	FMT_PLUS = 8,	 /* + */
	FMT_SPACE = 16,
	FMT_GROUP = 32,	 /* ' */
	FMT_AGG = 64,	 /* @ */
	FMT_DYNWIDTH = 128, /* * */
	FMT_DYNPREC = 256,  /* .* */
	FMT_PTRWIDTH = 512, /* ? */
};

struct format_conv {
	const char *lit;     /* literal text before this conversion ("" if none), escapes and %% done */
	size_t lit_len;
	char name[8];	     /* "d", "hd", "lld", "s", "Y" ...; "" at the last piece, which has only literal text */
	char conv;	     /* last letter of name; 0 for the last piece */
	unsigned int flags;
	int width;	     /* -1: none */
	int prec;	     /* -1: none */
	/* Index of the first argument that this conversion takes: width, precision, value in this order. -1: aggregation value. */
	int arg;
};

struct format {
	size_t n;	     /* pieces; the last one has conv == 0 */
	struct format_conv *v;
	size_t nargs;	     /* arguments taken */
};

/* Parses; NULL after an error (tag D_SYNTAX, D_PRINTF_FMT_EMPTY). func is the name in messages. Allocated from a. */
struct format *format_parse(struct arena *a, struct diag *d, struct srcloc loc, const char *func, const char *text, size_t len);
/* Checks the argument nodes (already type-checked) against it; 0 or -1. is_agg: printa. */
int format_check(struct types *ts, struct format *f, struct diag *d, const char *func, const struct node_list *args,
		 size_t first_arg, bool is_printa);
/* Checks one %@ conversion of printa, the n-th (from 1), for an aggregation that is a number. */
int format_check_agg(struct types *ts, const struct format_conv *c, int n, struct diag *d,
		     struct srcloc loc, size_t argument);

#endif
