/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: print() of what has no size
 * @@flags: -e
 * @@match: print\( \) argument #1 reference has type 'struct nosuchtag' with size 0; cannot print\( \) it\.$
 */
struct nosuchtag;
struct nosuchtag *p;
BEGIN { print(p); }
