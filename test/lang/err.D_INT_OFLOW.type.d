/* SPDX-License-Identifier: BSD-2-Clause */
/* what: no type holds it */

BEGIN
{
	x = 18446744073709551615;
	exit(0);
}
