/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: pid$target:a.out:f:2
 * @@run: $DTRACE -xerrtags -s $FILE -c "$PROGS/short"
 * @@match: offset 0x2 is not aligned on an instruction
 */
pid$target:a.out:f:2
{
}
