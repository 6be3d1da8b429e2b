/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: print() of a translated pointer
 * @@flags: -e
 * @@match: print\( \) may not be applied to a translated pointer$
 */
struct out { int a; };
translator struct out < int i > { a = i; };
BEGIN { print(xlate <struct out *> (1)); }
