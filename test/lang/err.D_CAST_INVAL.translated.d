/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a translated pointer has no address */
struct out { int a; int b; string s; };
typedef struct out out_t;
translator out_t < int i > { a = i + 1; s = "x"; };
BEGIN { trace((uintptr_t)xlate<out_t *>(1)); }
