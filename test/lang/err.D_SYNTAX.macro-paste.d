/* SPDX-License-Identifier: BSD-2-Clause */
/* what: no token pasting */

BEGIN
{
	x = 123$pid;
	exit(0);
}
