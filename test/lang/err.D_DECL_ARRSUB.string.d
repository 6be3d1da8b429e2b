/* SPDX-License-Identifier: BSD-2-Clause */
/* what: dimensions are integers */

int x["a"];
