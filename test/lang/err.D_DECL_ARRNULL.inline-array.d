/* SPDX-License-Identifier: BSD-2-Clause */
/* what: an inline is no array */

inline int x[5] = 1;
