/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: translators: members become the translator's expressions
 * @@run: $DTRACE -e -x tree=1 -s $FILE || : the tree is checked, not the code
 * @@errfilter: /^dtrace: /d
 */
struct out { int a; char c; string s; };
typedef struct out out_t;
struct outer { out_t in; };

translator out_t < int i > { a = i * i; c = i; s = "x"; };
translator struct outer < int k > { in = xlate <out_t> (k); };
inline out_t *cpuout = xlate <out_t *> (cpu);
inline out_t outs[int n] = xlate <out_t> (n + 1);

this out_t whole;
int n;

BEGIN
{
	trace(xlate <out_t> (pid).a);
	trace(xlate <out_t *> (n++)->a);
	trace(xlate <out_t *> (n++)->c);
	trace(cpuout->s);
	trace(outs[3].a);
	trace(xlate <struct outer> (1).in.c);
	this->whole = xlate <out_t> (this->whole.a);
}
