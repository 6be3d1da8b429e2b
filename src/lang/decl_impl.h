/* SPDX-License-Identifier: BSD-2-Clause */
/* What decl.c gives decl_sou.c and decl_ident.c. */
#ifndef LANG_DECL_IMPL_H
#define LANG_DECL_IMPL_H

#include "lang/parse.h"

/* 256 MB: offsets, also those in bits, are 32 bits wide. */
#define DECL_MAX_SIZE ((uint64_t)1 << 28)

struct type *decl_fallback(struct parse *p);
bool decl_incomplete(struct type *t);
const char *decl_or_anonymous(const char *name);
bool decl_positive_constant(struct parse *p, struct node *n, uint64_t *value);
struct type **decl_param_types(struct parse *p, const struct param_list *l, const char *what,
			       size_t *n);
struct type *declarator_type(struct parse *p, struct type *t, const struct declarator *dr,
			     const struct derive **tuple);
struct type *declspec_type(struct parse *p, struct declspec *ds);

#endif
