/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by fold.c, flamegraph.c and heatmap.c. */
#ifndef CONSUMER_FOLD_IMPL_H
#define CONSUMER_FOLD_IMPL_H

#include "base/mem.h"
#include "base/vec.h"
#include "consumer/fold.h"
#include "consumer/print_impl.h"

struct fold_line {
	const char *text; /* of the table, not terminated */
	size_t n;
	uint64_t count;
};
struct fold_line *fold_lines(const struct fold *f, size_t *n); /* sorted; free() it */

void svg_text(struct str *out, const char *s, size_t n); /* escaped */
void svg_head(struct str *out, int width, int height, const char *title);

#endif
