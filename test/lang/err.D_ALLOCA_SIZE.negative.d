/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: a negative size is a very large one
 * @@flags: -e
 * @@match: alloca\(18446744073709551615\) size larger than scratchsize 4096$
 */
BEGIN { this->q = alloca(-1); }
