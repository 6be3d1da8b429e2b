/* SPDX-License-Identifier: BSD-2-Clause */
/* what: an inline has a tuple */

inline int x[] = 1;
