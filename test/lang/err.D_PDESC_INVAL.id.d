/* SPDX-License-Identifier: BSD-2-Clause */
/* what: probe 0 does not exist */

0
{
}
