/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CODEGEN_LAYOUT_DUMP_H
#define CODEGEN_LAYOUT_DUMP_H

#include <stdio.h>

#include "codegen/layout.h"

/* What each enabled probe records. */
void layout_dump(const struct ecbs *ecbs, struct types *ts, FILE *out);

#endif
