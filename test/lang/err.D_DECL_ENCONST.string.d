/* SPDX-License-Identifier: BSD-2-Clause */
/* what: enumerators are integers */

enum a { RED = "x" };
