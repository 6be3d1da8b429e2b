/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a malformed version */

#pragma D binding "1.x" x
int x;
