/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names as the programmer wrote them. C++ names are taken apart by the C++ runtime library of
 * this machine, which is loaded when the first such name is met; where there is none they stay as
 * they are. Rust's older names have the form of C++ names and are tidied up behind it; its newer
 * ones are read by sym/rust.h.
 */
#ifndef SYM_DEMANGLE_H
#define SYM_DEMANGLE_H

struct demangler;

struct demangler *demangler_create(void);
void demangler_destroy(struct demangler *d); /* accepts NULL */
/*
 * The name itself if it is not mangled. name must live as long as the demangler; so does the
 * result.
 */
const char *demangle(struct demangler *d, const char *name);

#endif
