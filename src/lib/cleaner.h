/* SPDX-License-Identifier: BSD-2-Clause */
/* The cleaner of speculations: its program (cleaner.c). When it runs: consumer/, enable_run.c at the end. */
#ifndef LIB_CLEANER_H
#define LIB_CLEANER_H

#include "codegen/cg.h"
#include "lib/impl.h"

/*
 * Loads the program, whose descriptor is left in *fd (to be closed by the caller, after the buffers have
 * been cleaned for the last time), and makes it the one that moves. 0, or -1 with the handle's error set.
 */
int cleaner_start(dtrace_hdl_t *dtp, struct cg_env *env, int *fd);

#endif
