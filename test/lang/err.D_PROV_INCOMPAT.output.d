/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: two definitions of a probe are both translated, or neither
 * @@flags: -e
 * @@match: ^\t current: probe p:a has no output prototype$
 * @@match: ^\tprevious: probe p:a has an output prototype$
 */
provider p { probe a(int x) : (int x); };
provider p { probe a(int x); };
