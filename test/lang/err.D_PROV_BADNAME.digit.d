/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: a provider's name ends with a letter
 * @@flags: -e
 * @@match: provider name may not end with a digit: p1
 */
provider p1 { probe a(); };
