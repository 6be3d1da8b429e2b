/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: a later definition without a probe of the first
 * @@flags: -e
 * @@match: ^\t current: probe p:b not defined$
 * @@match: ^\tprevious: probe p:b defined$
 */
provider p { probe a(int); probe b(int); };
provider p { probe a(int); };
