/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks folded into lines of text, "outermost;...;innermost", each with a number; and the
 * pictures made of them and of distributions over time. Knows no record and no aggregation.
 */
#ifndef CONSUMER_FOLD_H
#define CONSUMER_FOLD_H

#include "base/str.h"
#include "consumer/print.h"

struct fold;
struct fold *fold_create(void);
void fold_destroy(struct fold *f); /* accepts NULL */
/*
 * One line: fold_begin(), its values in any order, fold_end() with its number. What is no stack
 * stands before the stacks, a user stack before the kernel stack. Without a stack, or with a
 * number below 1, nothing is added.
 */
void fold_begin(struct fold *f);
void fold_value(struct fold *f, struct print *p, const struct print_value *v);
void fold_end(struct fold *f, int64_t count);
void fold_write(const struct fold *f, struct str *out);	     /* lines, sorted */
void fold_flamegraph(const struct fold *f, struct str *out); /* an SVG document */

/*
 * Columns of counts, one an interval; there are never more than HEAT_COLUMNS: neighbours are then
 * put together.
 */
#define HEAT_COLUMNS 480
struct heat_row {
	char *label;
	bool real; /* can hold something */
};
struct heat;
struct heat *heat_create(const char *title, const struct heat_row *rows,
			 size_t nrows); /* labels are copied */
void heat_destroy(struct heat *h);
void heat_add(struct heat *h, uint64_t from, uint64_t to,
	      const uint64_t *counts);				      /* times in ns, ascending */
void heat_write(struct heat *const *maps, size_t n, struct str *out); /* an SVG document */

#endif
