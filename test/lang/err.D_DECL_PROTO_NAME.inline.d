/* SPDX-License-Identifier: BSD-2-Clause */
/* what: parameters of an inline have names */

inline int x[int] = 1;
