/*
 * what: tracemem() dumps n bytes, or as many of them as its third argument says
 * @@needs: root bpf
 * @@match: invalid address \(0x10\) in action #1
 */
#pragma D option quiet

char c[20];

BEGIN
{
	c[0] = 'a'; c[1] = '\n'; c[17] = 'z'; n = 2;
	tracemem(c, 18);
	tracemem(c, 4, n);
	tracemem(c, 4, 0);
	tracemem(c, 4, -1);
	tracemem(&c[16], 2, 100);
	tracemem((uint64_t)&c[17], 1);
	trace(c);
}
BEGIN { tracemem(0x10, 8); }
BEGIN { exit(0); }
