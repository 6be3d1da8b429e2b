/* SPDX-License-Identifier: BSD-2-Clause */
/* what: -> needs a name */

BEGIN
{
	x = curthread->5;
	exit(0);
}
