/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: a probe's name has 63 characters at most
 * @@flags: -e
 * @@match: probe name may not exceed 63 characters
 */
provider p { probe aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa(); };
