/* SPDX-License-Identifier: BSD-2-Clause */
/* what: static has no meaning in D */

static int x;
