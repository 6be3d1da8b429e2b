/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a newline in a character constant */

BEGIN
{
	x = 'ab
	exit(0);
}
