/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: pid2147483646:::entry
 * @@run: $DTRACE -xerrtags -s $FILE 
 * @@match: failed to grab process 2147483646
 */
pid2147483646:::entry
{
}
