/* SPDX-License-Identifier: BSD-2-Clause */
/* what: keys have no class */

int x[self int];
