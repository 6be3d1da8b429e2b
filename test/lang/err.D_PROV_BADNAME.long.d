/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: a provider's name has 63 characters at most
 * @@flags: -e
 * @@match: provider name may not exceed 63 characters
 */
provider aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa { probe a(); };
