/* SPDX-License-Identifier: BSD-2-Clause */
/* what: xlate is refused */

BEGIN
{
	x = xlate <struct task_struct *> (curthread);
	exit(0);
}
