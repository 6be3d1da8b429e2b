/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: a probe is defined once
 * @@flags: -e
 * @@match: probe redeclared: p:a
 */
provider p { probe a(); probe b(); probe a(int); };
