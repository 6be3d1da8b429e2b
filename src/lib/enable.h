/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Enabling: from checked clauses to programs in the kernel.
 *
 *	enable_prepare()	each clause once, as part of its compilation: record layout, needs
 *	dtrace_program_exec()	clauses x probes -> ECBs, sorted into probe groups
 *	dtrace_go()		sizes -> buffers -> programs -> attached -> BEGIN -> active
 *	dtrace_stop()		closed -> END -> detached
 */
#ifndef LIB_ENABLE_H
#define LIB_ENABLE_H

#include <stdio.h>

#include "lib/impl.h"

/* Prepares the clauses of a compiled program. 0, or -1 with *d set. */
int enable_prepare(dtrace_hdl_t *dtp, struct dtrace_prog *prog, struct diag *d);
/* The generated code of everything enabled, as -S shows it. Before dtrace_go() the sizes are those of the options. */
int enable_dump(dtrace_hdl_t *dtp, FILE *out);

#endif
