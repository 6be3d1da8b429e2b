/* SPDX-License-Identifier: BSD-2-Clause */
/* what: two names */

int x y;
