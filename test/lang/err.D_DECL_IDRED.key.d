/* SPDX-License-Identifier: BSD-2-Clause */
/* what: another type of key */

int x[int];
int x[string];
