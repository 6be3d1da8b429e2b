/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a ] without [ */

BEGIN
{
	x = 1];
	exit(0);
}
