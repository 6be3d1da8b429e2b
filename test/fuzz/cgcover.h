/* SPDX-License-Identifier: BSD-2-Clause */
/* What of the language the programs that were loaded have used, seen in their checked trees. */
#ifndef FUZZ_CGCOVER_H
#define FUZZ_CGCOVER_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/impl.h"

void cover_program(const dtrace_hdl_t *dtp, const struct dprog *prog);
/* Prints a line for each kind of thing. False if something that the language has was not used. */
bool cover_report(FILE *out);
/* Functions that are refused on this kernel alone, one a line. */
void cover_lacking(FILE *out);

#endif
