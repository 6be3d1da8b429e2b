/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: pid$target:a.out:-:entry
 * @@run: $DTRACE -xerrtags -s $FILE -c "$PROGS/short"
 * @@match: only individual addresses
 */
pid$target:a.out:-:entry
{
}
