/* SPDX-License-Identifier: BSD-2-Clause */
/* what: an unknown macro variable */

BEGIN
{
	trace($nosuch);
	exit(0);
}
