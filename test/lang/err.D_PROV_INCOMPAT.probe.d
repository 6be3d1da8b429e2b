/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: two definitions of a name have the same probes
 * @@flags: -e
 * @@match: provider interface mismatch: p$
 * @@match: ^\t current: probe p:b defined$
 * @@match: ^\tprevious: probe p:b not defined$
 */
provider p { probe a(int); };
provider p { probe a(int); probe b(int); };
