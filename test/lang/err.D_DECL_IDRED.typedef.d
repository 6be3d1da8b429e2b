/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a typedef twice */

typedef int x_t;
typedef long x_t;
