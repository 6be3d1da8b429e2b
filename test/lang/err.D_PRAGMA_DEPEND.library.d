/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a program depends on no library */

#pragma D depends_on library a.d
