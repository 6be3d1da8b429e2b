/* SPDX-License-Identifier: BSD-2-Clause */
/* what: an argument of more than 64 bits */
/* @@args: 0x12345678123456781 */
BEGIN
{
	trace($1);
	exit(0);
}
