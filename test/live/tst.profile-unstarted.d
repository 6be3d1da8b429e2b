/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: timers that were never started, because BEGIN called exit(), have missed nothing
 * @@flags: -q
 * @@status: 5
 */
BEGIN
{
	exit(5);
}

tick-1ms,
profile-997
{
	trace("fired");
}
