/* SPDX-License-Identifier: BSD-2-Clause */
/* what: an 8 in an octal constant */

BEGIN
{
	x = 0128;
	exit(0);
}
