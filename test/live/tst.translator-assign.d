/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: translated structures are assigned whole: members without conversion are 0, the operand is read first
 * @@flags: -q
 * @@match: ^25 5 x\|391876 114 x 0\|391876 4\|81 x$
 */
struct out { int a; char c; string s; int gone; };
typedef struct out out_t;
translator out_t < int i > { a = i * i; c = i; s = "x"; };
out_t g; out_t byk[int];
BEGIN { this->w = xlate <out_t> (5); g = xlate <out_t> (this->w.a); g.gone++; g = xlate<out_t>(g.a + 1); byk[3] = g; byk[4] = xlate<out_t>(2); self->o = xlate<out_t>(9);
printf("%d %d %s|%d %d %s %d|%d %d|%d %s\n", this->w.a, this->w.c, this->w.s, g.a, g.c, g.s, g.gone, byk[3].a, byk[4].a, self->o.a, self->o.s); exit(0); }
