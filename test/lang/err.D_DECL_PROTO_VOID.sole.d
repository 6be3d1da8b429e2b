/* SPDX-License-Identifier: BSD-2-Clause */
/* what: void stands alone */

int (*x)(int, void);
