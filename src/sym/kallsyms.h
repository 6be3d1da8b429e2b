/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of the kernel and its modules, from /proc/kallsyms: read once, some 16 bytes and the
 * name for each. What is part of no module is in module "vmlinux".
 */
#ifndef SYM_KALLSYMS_H
#define SYM_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

struct ksyms;

struct ksym { /* texts live as long as the table */
	const char *module, *name;
	uint64_t addr, end; /* end: where the next symbol begins; 0: unknown */
};

/* 0 or negative errno: -EPERM if the kernel hides addresses from us. Takes some 60 ms. */
int ksyms_load(struct ksyms **out);
/* The same from text in the form of /proc/kallsyms. */
int ksyms_parse(struct ksyms **out, const char *text, size_t len);
void ksyms_destroy(struct ksyms *k); /* accepts NULL */

/*
 * The function around an address: 0 or -ENOENT. Of several at one address a global one is
 * preferred.
 */
int ksyms_find(const struct ksyms *k, uint64_t addr, struct ksym *out);
/* The first function of this name in any module: 0 or -ENOENT. Looks at all of them. */
int ksyms_lookup(const struct ksyms *k, const char *name, struct ksym *out);
/* The lowest address of a module's functions; 0: no such module. */
uint64_t ksyms_module_start(const struct ksyms *k, const char *module);
size_t ksyms_count(const struct ksyms *k);

#endif
