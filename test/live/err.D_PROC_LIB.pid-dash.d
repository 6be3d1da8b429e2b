/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: pid$target:libc:-:10
 * @@run: $DTRACE -xerrtags -s $FILE -c "$PROGS/short"
 * @@match: only the a.out module
 */
pid$target:libc:-:10
{
}
