/* SPDX-License-Identifier: BSD-2-Clause */
/* what: assigned whole to a variable of another type */
struct out { int a; int b; string s; };
typedef struct out out_t;
translator out_t < int i > { a = i + 1; s = "x"; };
int n;
BEGIN { n = xlate<out_t>(1); }
