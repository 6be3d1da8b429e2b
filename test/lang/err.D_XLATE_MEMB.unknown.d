/* SPDX-License-Identifier: BSD-2-Clause */
/* what: members must exist */
struct out { int a; int b; string s; };
typedef struct out out_t;
translator out_t < int i > { c = i; };
