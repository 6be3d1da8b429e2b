/* SPDX-License-Identifier: BSD-2-Clause */
/* what: an operator is scanned as long as it can be */

BEGIN
{
	i */= i;
	exit(0);
}
