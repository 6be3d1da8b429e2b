/* SPDX-License-Identifier: BSD-2-Clause */
/* what: long struct */

struct s { int a; };
long struct s x;
