/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a dimension is required */

int x[];
