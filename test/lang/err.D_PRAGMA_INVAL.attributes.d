/* SPDX-License-Identifier: BSD-2-Clause */
/* what: an unknown stability */

#pragma D attributes Solid/Stable/ISA x
int x;
