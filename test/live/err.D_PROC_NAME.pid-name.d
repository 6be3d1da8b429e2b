/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: pid$target:a.out:main:beginning
 * @@run: $DTRACE -xerrtags -s $FILE -c "$PROGS/short"
 * @@match: is an invalid probe name
 */
pid$target:a.out:main:beginning
{
}
