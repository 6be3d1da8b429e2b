/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: what a pointer to a function leads to has no value
 * @@flags: -e
 * @@match: cannot dereference pointer to function$
 */
int (*f)(int);
BEGIN { trace(*f); }
