/* SPDX-License-Identifier: BSD-2-Clause */
/* what: members have names */

struct a { int; };
