/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a declaration cut off */

int x
