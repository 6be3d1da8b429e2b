/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a member takes what it may be assigned */
struct out { int a; int b; string s; };
typedef struct out out_t;
translator out_t < int i > { a = execname; };
