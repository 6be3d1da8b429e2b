/* SPDX-License-Identifier: BSD-2-Clause */
/* what: no void inlines */

inline void x = 1;
