/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: two parameters of a probe of one name
 * @@flags: -e
 * @@match: parameter is redundantly declared in input prototype: x, parameter #2$
 */
provider p { probe a(int x, int x); };
