/* SPDX-License-Identifier: BSD-2-Clause */
/* what: an inline of a name that is taken */

int x;
inline int x = 1;
