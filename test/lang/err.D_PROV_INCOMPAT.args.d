/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: two definitions of a name agree
 * @@flags: -e
 * @@match: probe p:a input prototype argument #1 mismatch:$
 * @@match: ^\t current: char \*$
 * @@match: ^\tprevious: int$
 */
provider p { probe a(int); };
provider p { probe a(char *); };
