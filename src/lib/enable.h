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
/*
 * dtrace_go() up to the point where the kernel has taken all programs; nothing is attached or fires. dtrace_close()
 * is all that may follow. For tests. 0, or -1 with the handle's error set.
 */
int enable_load(dtrace_hdl_t *dtp);

#endif
