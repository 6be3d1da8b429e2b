/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a ) without ( */

BEGIN
{
	trace(1));
	exit(0);
}
