/* SPDX-License-Identifier: BSD-2-Clause */
/* what: an inline has no class */

inline self int x = 1;
