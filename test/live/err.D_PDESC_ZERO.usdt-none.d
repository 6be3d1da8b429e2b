/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: a process without that provider
 * @@run: $DTRACE -xerrtags -s $FILE -c "$PROGS/short"
 * @@match: probe description tprov[0-9]+:::counted does not match any probes
 */
tprov$target:::counted
{
}
