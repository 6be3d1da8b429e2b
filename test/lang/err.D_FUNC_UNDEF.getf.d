/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: a file of a process, which only consumers with few privileges ask for
 * @@flags: -e
 * @@match: unimplemented subroutine: getf$
 */
BEGIN { trace(getf(0)); }
