/* SPDX-License-Identifier: BSD-2-Clause */
/* what: void has no name */

int (*x)(void y);
