/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: two definitions of a probe have as many arguments
 * @@flags: -e
 * @@match: probe p:a input prototype mismatch:$
 * @@match: ^\t current: 2 args$
 * @@match: ^\tprevious: 1 arg$
 */
provider p { probe a(int); };
provider p { probe a(int, int); };
