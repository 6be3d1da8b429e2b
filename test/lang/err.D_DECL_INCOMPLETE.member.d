/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a struct does not hold itself */

struct a { struct a x; };
