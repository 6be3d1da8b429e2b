#!/usr/sbin/dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sizes of requests to disks, by program. Many small ones cost more than a few large ones.
 *
 *	bitesize.d			until Ctrl-C
 */
#pragma D option quiet

io:::start
{
	@bytes[pid, execname] = quantize(args[0]->b_bcount);
}

END
{
	printa("%7d  %s\n%@d\n", @bytes);
}
