/* SPDX-License-Identifier: BSD-2-Clause */
/* what: an enumerator twice */

enum a { RED };
enum b { RED };
