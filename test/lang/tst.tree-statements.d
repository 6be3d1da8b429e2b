#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/* what: the tree of every statement; empty ones and the last ; may be left out */
/* @@run: $DTRACE -e -x tree=1 -s $FILE || : the tree is checked, not the code */
/* @@errfilter: /^dtrace: /d */

BEGIN, dtrace:::END, :::ERROR
{
	;
	@ = count();
	@a[pid, execname] = sum(arg0);
	if (pid == 1) {
		trace(1);
		;
	} else if (pid == 2)
		trace(2);
	else {
		trace("x\ty\n\101\x42\?\"");
	}
	if (pid)
		if (tid)
			x = 1;
		else
			x = 2;
	printf("%d %s\n", x, execname);
	exit(0)
}

END
{
}

1 / pid /* 2 / */ / 2 == 0 /
{ /* } */
	self->x = 1;
	trace(self->x)
}
