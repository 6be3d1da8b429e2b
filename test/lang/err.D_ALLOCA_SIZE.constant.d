/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: more than scratchsize is never there
 * @@flags: -e
 * @@match: line [0-9]+: alloca\(4097\) size larger than scratchsize 4096$
 */
BEGIN { this->p = alloca(4096); this->q = alloca(4097); }
