/* SPDX-License-Identifier: BSD-2-Clause */
/* what: more than 64 bits */

BEGIN
{
	x = 0x12345678123456781;
	exit(0);
}
