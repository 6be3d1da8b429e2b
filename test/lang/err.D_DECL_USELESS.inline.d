/* SPDX-License-Identifier: BSD-2-Clause */
/* what: an inline has a name */

inline int = 1;
