/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: pid$target:a.out:f:100
 * @@run: $DTRACE -xerrtags -s $FILE -c "$PROGS/short"
 * @@match: offset 0x100 outside of function 'f'
 */
pid$target:a.out:f:100
{
}
