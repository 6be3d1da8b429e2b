/* SPDX-License-Identifier: BSD-2-Clause */
/* what: attributes need a name */

#pragma D attributes Stable/Stable/ISA
