/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: a probe has a fixed number of arguments
 * @@flags: -e
 * @@match: probe prototype may not use a variable-length argument list
 */
provider p { probe a(int, ...); };
