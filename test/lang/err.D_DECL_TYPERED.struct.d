/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a struct twice */

struct a { int x; };
struct a { int x; };
