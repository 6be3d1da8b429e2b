/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: pidgin:::entry
 * @@run: $DTRACE -xerrtags -s $FILE 
 * @@match: pidgin:::entry does not match any probes
 */
pidgin:::entry
{
}
