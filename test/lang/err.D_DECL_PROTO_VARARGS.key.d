/* SPDX-License-Identifier: BSD-2-Clause */
/* what: keys are a fixed list */

int x[int, ...];
