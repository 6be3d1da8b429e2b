/* SPDX-License-Identifier: BSD-2-Clause */
/* what: probe identifiers are 32 bits wide */

0x1ffffffff
{
}
