/*
 * what: indexes out of bounds, stores outside of D's memory, bad addresses
 * @@needs: root bpf
 * @@match: invalid address \(0xc\) in action #1
 * @@match: index out of bounds \(-1\) in action #2
 */
#pragma D option quiet

struct s { int a; int v[4]; };
struct s g, as[int];
int arr[5];

BEGIN { i = 7; trace(arr[i]); }
BEGIN { i = -1; arr[i] = 3; }
BEGIN { as[1].v[i] = 2; }
BEGIN { *(int *)0x1234 = 5; }
BEGIN { q = curthread; was = q->pid; q->pid = was + 1; }
BEGIN { g = *(struct s *)8; }
BEGIN { ((int *)arr)[1000] = 5; }
BEGIN { s = "abc"; s[300] = 'x'; }
BEGIN { self->s = "x"; self->s = 0; trace(self->s[0]); }
BEGIN { trace(((struct s *)0)->v[2]); }
BEGIN { printf("%d %d %d %d\n", g.a, arr[0], arr[4], was == curthread->pid); exit(0); }
ERROR { printf("%d %d %d\n", arg2, arg4, arg4 == 1 && arg5 < 0 ? -2 : arg5); }
