/* SPDX-License-Identifier: BSD-2-Clause */
/* what: an argument that was not given */

BEGIN
{
	trace($1);
	exit(0);
}
