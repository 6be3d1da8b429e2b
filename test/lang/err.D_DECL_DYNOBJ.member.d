/* SPDX-License-Identifier: BSD-2-Clause */
/* what: no associative members */

struct a { int x[int]; };
