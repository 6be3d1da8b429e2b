/* SPDX-License-Identifier: BSD-2-Clause */
/* what: enumerators fit an int */

enum a { RED = 0x7fffffff, GREEN };
