/* SPDX-License-Identifier: BSD-2-Clause */
/* what: nor a part of a comma expression */
struct out { int a; };
translator struct out < int i > { a = i; };
BEGIN { 1, xlate <struct out *> (1); }
