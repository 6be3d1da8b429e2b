/* SPDX-License-Identifier: BSD-2-Clause */
/* what: attributes of a built-in */

#pragma D attributes Stable/Stable/ISA pid
