/* SPDX-License-Identifier: BSD-2-Clause */
/* what: dimensions are bounded */

int x[0x100000000];
