/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a clause cut off */

BEGIN
{
	trace(1);
