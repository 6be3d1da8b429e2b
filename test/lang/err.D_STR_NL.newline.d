/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a newline in a string */

BEGIN
{
	x = "ab
	exit(0);
}
