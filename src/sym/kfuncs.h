/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of the kernel and its modules that may be traced. */
#ifndef SYM_KFUNCS_H
#define SYM_KFUNCS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct kfunc {
	const char *module; /* "vmlinux" or that of a module */
	const char *name;
	uint64_t addr;
};

struct kfuncs {
	VEC(struct kfunc) v; /* in the order of kallsyms; one name can stand for several functions of a module */
	char *text;	     /* the names are in it */
	char *listed;
};

/* Of those of kallsyms, the ones that ftrace can trace. 0 or -errno: one of the two lists cannot be read. */
int kfuncs_load(struct kfuncs *k);
/*
 * The same from texts that are given away: kallsyms, and available_filter_functions (lines "NAME [MODULE]") or
 * available_filter_functions_addrs ("ADDRESS NAME [MODULE]").
 */
int kfuncs_parse(struct kfuncs *k, char *kallsyms, char *list, int with_addrs);
void kfuncs_free(struct kfuncs *k);

#endif
