/* SPDX-License-Identifier: BSD-2-Clause */
/* what: attributes of what is never defined */

#pragma D attributes Stable/Stable/ISA nosuch
int x;
