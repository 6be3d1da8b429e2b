/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a version is in quotes */

#pragma D binding 1.2 x
int x;
