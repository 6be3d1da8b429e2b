/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of kernel symbols by name, data too. */
#ifndef SYM_KSYMADDR_H
#define SYM_KSYMADDR_H

#include <stdbool.h>
#include <stdint.h>

/*
 * module: NULL for any, "vmlinux" or "kernel" for the core kernel. Looks through /proc/kallsyms,
 * some 40 ms,
 * less for the core kernel; kernels that list functions only there: then through the System.map of this kernel,
 * if there is one, moved by what _text was. 0, -ENOENT or another negative errno. in, KSYM_MODULE_MAX bytes or NULL:
 * the module that has it.
 */
#define KSYM_MODULE_MAX 64
int ksym_address(const char *module, const char *name, uint64_t *addr, char *in);

/* The same in texts of the two files (map may be NULL). */
int ksym_address_in(const char *kallsyms, const char *map, const char *module, const char *name,
		    uint64_t *addr, char *in);

bool kmodule_loaded(const char *name); /* "vmlinux" and "kernel" are */

#endif
