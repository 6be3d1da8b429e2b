/*
 * what: alloca(), bcopy(), copyinto(): scratch, its limit, places outside of it
 * @@needs: root bpf
 * @@run: $DTRACE -x scratchsize=1k -s tst.subr-scratch.d -c 'echo good morning' | sed '/good morning/d'
 */
#pragma D option quiet

char g[16];

syscall::write:entry
/pid == $target && !done/
{
	done = 1;
	this->p = (char *)alloca(10);
	printf("%d %d ", this->p[0], this->p[9]);
	this->p[0] = 'h'; this->p[1] = 'i';
	this->q = (char *)alloca(8);
	printf("%d %d\n", this->q - this->p, (char *)alloca(0) - this->q);
	bcopy(this->p, this->q, 3);
	printf("[%s] [%s]\n", stringof(this->p), stringof(this->q));
	copyinto(arg1, 4, this->p);
	copyinto(arg1 + 5, 3, this->p + 1);
	printf("[%s] [%s]\n", stringof(this->p), stringof((char *)copyin(arg1 + 5, 7)));
	g[0] = 'G';
	bcopy(g, this->p, 2);
	printf("[%s]\n", stringof(this->p));
	this->big = (char *)alloca(900);
	bcopy(this->p, this->big + 899, 1);
	printf("%c\n", this->big[899]);
}
/* The space is given back at the end of the clause. */
BEGIN { this->a = (char *)alloca(1000); }
BEGIN { this->a = (char *)alloca(1024); printf("%d\n", this->a != NULL); }
BEGIN { n = 1025; alloca(n); }
BEGIN { alloca(1000); alloca(25); }
BEGIN { n = -1; alloca(n); }
BEGIN { bcopy(curthread, g, 8); }
BEGIN { bcopy(curthread, curthread, 8); }
BEGIN { this->a = (char *)alloca(8); bcopy(curthread, this->a, 9); }
BEGIN { this->a = (char *)alloca(8); n = -1; bcopy(curthread, this->a, n); }
BEGIN { this->a = (char *)alloca(8); bcopy((void *)16, this->a, 8); }
BEGIN { this->a = (char *)alloca(8); copyinto(24, 8, this->a); }
BEGIN { this->a = (char *)alloca(8); bcopy(curthread, this->a - 1, 8); }
BEGIN { this->a = (char *)alloca(8); bcopy(curthread, this->a + 8, 0); printf("none\n"); }
ERROR { printf("fault %d %d %d\n", arg2, arg4, arg5 < 0 || arg5 > 1000 ? -2 : arg5); }
