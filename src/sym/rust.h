/* SPDX-License-Identifier: BSD-2-Clause */
/* Rust's names of the form "_R...". */
#ifndef SYM_RUST_H
#define SYM_RUST_H

/* The name as it stands in the source; to be freed. NULL: it is none of this form. */
char *rust_demangle(const char *name);

#endif
