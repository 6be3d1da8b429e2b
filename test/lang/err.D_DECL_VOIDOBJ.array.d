/* SPDX-License-Identifier: BSD-2-Clause */
/* what: no void arrays */

void x[4];
