/* SPDX-License-Identifier: BSD-2-Clause */
/* what: wider than its type */

struct a { int x:33; };
