/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: a parameter that the probe does not have is not to be translated
 * @@flags: -e
 * @@match: parameter is not declared in input prototype: y, parameter #1$
 */
provider p { probe a(int x) : (int y); };
