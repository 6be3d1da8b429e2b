/* SPDX-License-Identifier: BSD-2-Clause */
/* what: no declarations in a clause */

BEGIN
{
	int x;
	exit(0);
}
