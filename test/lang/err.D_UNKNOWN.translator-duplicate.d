/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a member is defined once */
struct out { int a; int b; string s; };
typedef struct out out_t;
translator out_t < int i > { a = i; a = 2; };
