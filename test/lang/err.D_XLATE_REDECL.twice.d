/* SPDX-License-Identifier: BSD-2-Clause */
/* what: one pair of types has one translator */
struct out { int a; int b; string s; };
typedef struct out out_t;
translator out_t < int i > { a = i + 1; s = "x"; };
translator struct out < int j > { b = j; };
