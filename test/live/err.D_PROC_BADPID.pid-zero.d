/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: pid0:::entry
 * @@run: $DTRACE -xerrtags -s $FILE 
 * @@match: 'pid0' does not contain a valid pid
 */
pid0:::entry
{
}
