/*
 * what: inet_ntoa(), inet_ntoa6(), inet_ntop(), link_ntop()
 * @@needs: root bpf
 */
#pragma D option quiet

unsigned char a[20];
unsigned char four[4];

BEGIN
{
	four[0] = 127; four[3] = 1; af = 2;
	printf("%s %s\n", inet_ntoa((ipaddr_t *)four), inet_ntop(af, four));
	four[0] = 255; four[1] = 10; four[2] = 200;
	printf("%s\n", inet_ntop(2, four));
}
BEGIN
{
	printf("%s %s\n", inet_ntoa6((void *)a), inet_ntop(10, a));
	a[15] = 1;
	printf("%s %s\n", inet_ntoa6((in6_addr_t *)a), inet_ntop(10, a));
	a[12] = 127;
	printf("%s %s %s\n", inet_ntoa6((void *)a), inet_ntoa6((void *)a, 1), inet_ntop(10, a));
	a[10] = 255; a[11] = 255;
	printf("%s %s %s\n", inet_ntoa6((void *)a), inet_ntoa6((void *)a, 1), inet_ntop(10, a));
	a[10] = 0;
	printf("%s\n", inet_ntop(10, a));
	a[0] = 0x20; a[1] = 1; a[2] = 0x0d; a[3] = 0xb8; a[11] = 0; a[12] = 0;
	printf("%s\n", inet_ntop(10, a));
	a[7] = 5;
	printf("%s\n", inet_ntop(10, a));
	a[8] = 0xab;
	printf("%s\n", inet_ntop(10, a));
	a[5] = 1; a[13] = 9; a[10] = 0; a[11] = 7;
	printf("%s\n", inet_ntop(10, a));
	a[15] = 0; a[13] = 0;
	printf("%s\n", inet_ntop(10, a));
}
BEGIN
{
	a[0] = 0; a[1] = 1; a[2] = 0xab; a[3] = 3; a[4] = 4; a[5] = 0xf5; a[19] = 0x19;
	printf("%s\n", link_ntop(1, a));
	printf("%s\n", link_ntop(32, a));
}
BEGIN { trace(inet_ntop(3, a)); }
BEGIN { trace(link_ntop(2, a)); }
BEGIN { trace(inet_ntoa((void *)16)); }
BEGIN { trace(inet_ntop(10, (void *)17)); }
BEGIN { trace(link_ntop(1, (void *)18)); }
BEGIN { exit(0); }
ERROR { printf("fault %d %d %d\n", arg2, arg4, arg5); }
