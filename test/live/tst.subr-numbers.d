/*
 * what: lltostr(), strtoll(), tolower(), toupper(), byte order, device numbers, rand()
 * @@needs: root bpf
 */
#pragma D option quiet

BEGIN
{
	b = 16;
	printf("%s %s %s %s\n", lltostr(0), lltostr(-1), lltostr(1234567890123), lltostr(1LL << 63));
	printf("%s %s %s %s\n", lltostr(255, b), lltostr(8, 8), lltostr(0, 8), lltostr(0, 16));
	printf("%s %s %s\n", lltostr(-1, 16), lltostr(35, 36), lltostr(-1, 2));
	printf("%d %d %d %d\n", strtoll("0"), strtoll("-42"), strtoll(" \t+7x9"), strtoll("x"));
	printf("%d %d %d %d\n", strtoll("ff", b), strtoll("0xFF", 16), strtoll("0x12"),
	    strtoll("-0x10", 16));
	printf("%d %d %d %d\n", strtoll("777", 8), strtoll("778", 8), strtoll("zZ", 36),
	    strtoll("102", 2));
	printf("%d %d %d\n", strtoll(""), strtoll("9223372036854775807"), strtoll("0x", 16));
	printf("[%s] [%s] [%s]\n", tolower("Hello, WORLD [@`{] AZaz"),
	    toupper("Hello, World [@`{] AZaz09"), toupper(""));
	printf("%x %x %x\n", htons(0x1234), htonl(0x12345678), htonll(0x123456789abcdef0));
	printf("%x %x %x\n", ntohs(0x1234), ntohl(0x12345678), ntohll(0x123456789abcdef0));
	printf("%x %x\n", htons(0xabcd1234), ntohl(0x1234567812345678));
	printf("%d %d\n", getmajor(0x00800003), getminor(0x00812345));
	this->a = rand(); this->b = rand(); this->c = rand();
	printf("%d\n", this->a != this->b || this->b != this->c);
}

BEGIN { b = 37; trace(lltostr(1, b)); }
BEGIN { trace(strtoll("1", 1)); }
BEGIN { trace(strtoll("1", -16)); }
BEGIN { exit(0); }
ERROR { printf("fault %d %d %d\n", arg2, arg4, arg5); }
