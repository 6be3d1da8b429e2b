/* SPDX-License-Identifier: BSD-2-Clause */
/* what: every argument must be used */
/* @@args: a b c */
BEGIN
{
	trace($1);
	exit(0);
}
