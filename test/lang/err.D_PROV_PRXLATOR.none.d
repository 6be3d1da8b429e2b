/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: an output argument of another type needs a translator
 * @@flags: -e
 * @@match: translator for p:a output argument #1 from struct c \* to struct info \* is not defined
 */
struct c { int x; };
struct info { int y; };
provider p { probe a(struct c *c) : (struct info *c); };
