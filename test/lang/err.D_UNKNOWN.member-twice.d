/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a member twice */

struct a { int x; int x; };
