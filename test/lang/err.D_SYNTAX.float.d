/* SPDX-License-Identifier: BSD-2-Clause */
/* what: floating constants are refused */

BEGIN
{
	x = 1.5;
	exit(0);
}
