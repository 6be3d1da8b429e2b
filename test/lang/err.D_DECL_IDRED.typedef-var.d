/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a typedef of a variable */

int x;
typedef int x;
