/* SPDX-License-Identifier: BSD-2-Clause */
/* what: nor is it traced whole */
struct out { int a; int b; string s; };
typedef struct out out_t;
translator out_t < int i > { a = i + 1; s = "x"; };
BEGIN { trace(xlate<out_t *>(1)); }
