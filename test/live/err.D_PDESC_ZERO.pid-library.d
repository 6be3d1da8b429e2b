/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: pid$target:libnosuch::entry
 * @@run: $DTRACE -xerrtags -s $FILE -c "$PROGS/short"
 * @@match: does not match any probes
 */
pid$target:libnosuch::entry
{
}
