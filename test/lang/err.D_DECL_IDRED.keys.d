/* SPDX-License-Identifier: BSD-2-Clause */
/* what: another number of keys */

int x[int];
int x[int, int];
