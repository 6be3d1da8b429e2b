/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: pid1x:::entry
 * @@run: $DTRACE -xerrtags -s $FILE 
 * @@match: 'pid1x' is not a valid provider
 */
pid1x:::entry
{
}
