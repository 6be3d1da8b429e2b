/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a description must match */

BEGIN,
nosuch::probe:here
{
}
