/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of the checker that declarations need. All return 0, or -1 with the error in *d. */
#ifndef LANG_CHECK_H
#define LANG_CHECK_H

#include "lang/lang.h"

/*
 * Checks and folds an expression outside a clause (array dimension, bit-field width, enumerator):
 * *np is replaced by the checked tree. The caller then looks for NODE_INT. New nodes come from the
 * unit's arena.
 */
int lang_check_const(struct dsession *s, struct node **np, struct diag *d);

/*
 * Checks the expression of an inline against the declared type, on a copy: id->inl keeps the
 * unresolved tree, which is copied again at each use. id->name, type, inl, inl_params must be set;
 * the identifier must not be entered yet (an inline may not name itself).
 */
int lang_check_inline(struct dsession *s, struct ident *id, struct diag *d);

/* Checks one member of a translator that is not entered yet. */
int lang_check_xlate_member(struct dsession *s, const struct translator *xl,
			    const struct xlate_member *m, struct diag *d);

#endif
