/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: two definitions of a name agree
 * @@flags: -e
 * @@match: provider interface mismatch: p
 */
provider p { probe a(int); };
provider p { probe a(char *); };
