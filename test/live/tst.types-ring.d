/*
 * what: a ring records structures that stand before strings
 * @@needs: root bpf
 */
#pragma D option quiet
#pragma D option bufpolicy=ring

struct s { int a; int v[40]; };
struct s g;

BEGIN { g.a = 5; g.v[39] = 7; trace(g); s = "str"; trace(s); exit(0); }
