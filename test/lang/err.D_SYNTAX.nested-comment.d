/* SPDX-License-Identifier: BSD-2-Clause */
/* what: comments do not nest */

BEGIN
{
	/* a /* b */
}
