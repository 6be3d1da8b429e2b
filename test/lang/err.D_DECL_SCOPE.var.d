/* SPDX-License-Identifier: BSD-2-Clause */
/* what: no scope in a declared name */

int a`x;
