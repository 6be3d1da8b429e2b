/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: more than scratchsize is never there
 * @@flags: -e
 * @@match: line [0-9]+: alloca\(257\) size larger than scratchsize 256$
 */
BEGIN { this->p = alloca(256); this->q = alloca(257); }
