/*
 * what: the NULL string of an element that was never assigned is compared, not recorded
 * @@needs: root bpf
 * @@match: invalid address \(0x0\) in action #2
 */
#pragma D option quiet

string x[int], g;
self string s;
this string l;

BEGIN { printf("[%s] [%s] %d %d", g, this->l, x[1] == NULL, self->s == NULL); }
BEGIN { n = pid ? NULL : "x"; printf(" %d\n", n == NULL); }
BEGIN { x[1] = "a"; trace(x[2]); }
BEGIN { printf("%d %s", 1, self->s); }
BEGIN { @[x[2]] = count(); }
BEGIN { @two[x[2], 1] = count(); }
BEGIN { y[x[2], 1] = 1; }
BEGIN { trace(n); }
BEGIN { trace(pid ? NULL : "x"); }
BEGIN { self->t = strjoin("a", self->s); }
BEGIN { self->n = strlen(x[5]); }
BEGIN { g = x[7]; printf("%d\n", g == NULL); trace(g); }
BEGIN { exit(0); }
ERROR { printf("%d %d %x\n", arg2, arg4, arg5); }
