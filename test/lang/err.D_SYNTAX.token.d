/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a syntax error names the offending token */

BEGIN
{
	trace(1;
	exit(0);
}
