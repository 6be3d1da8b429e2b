/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: dtrace does not trace itself
 * @@flags: -e
 * @@match: process [0-9]+ is dtrace itself$
 */
pid$pid:::entry { }
