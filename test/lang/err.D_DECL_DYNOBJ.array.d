/* SPDX-License-Identifier: BSD-2-Clause */
/* what: no arrays of associative arrays */

int x[4][int];
