/* SPDX-License-Identifier: BSD-2-Clause */
/* what: no void variables */

void x;
