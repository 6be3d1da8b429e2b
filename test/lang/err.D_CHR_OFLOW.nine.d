/* SPDX-License-Identifier: BSD-2-Clause */
/* what: more than 8 characters */

BEGIN
{
	x = 'abcdefghi';
	exit(0);
}
