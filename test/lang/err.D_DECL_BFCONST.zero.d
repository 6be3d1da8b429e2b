/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a width of 0 */

struct a { int x:0; };
