/* SPDX-License-Identifier: BSD-2-Clause */
/* what: dimensions are positive */

int x[0];
