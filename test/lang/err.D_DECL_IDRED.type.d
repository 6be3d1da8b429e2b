/* SPDX-License-Identifier: BSD-2-Clause */
/* what: another type */

int x;
string x;
