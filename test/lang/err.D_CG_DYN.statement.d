/* SPDX-License-Identifier: BSD-2-Clause */
/* what: translated data is no value */
struct out { int a; int b; string s; };
typedef struct out out_t;
translator out_t < int i > { a = i + 1; s = "x"; };
BEGIN { xlate<out_t *>(1); }
