/* SPDX-License-Identifier: BSD-2-Clause */
/* what: an empty character constant */

BEGIN
{
	x = '';
	exit(0);
}
