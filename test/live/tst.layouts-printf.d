/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: every conversion, flag, width and precision of printf(), as values of each type show
 * @@flags: -q
 */
char text[8];

BEGIN
{
	text[0] = 'b';
	text[1] = '\n';
	text[2] = 's';

	/* integers at their own width and sign */
	printf("[%d] [%d] [%d] [%d]\n", (char)-5, (short)-5, -5, (long)-5);
	printf("[%d] [%i] [%d] [%i]\n", (uint8_t)-5, (uint16_t)-5, (uint32_t)-5, (uint64_t)-5);
	printf("[%u] [%u] [%u] [%u]\n", (char)-5, (short)-5, -5, (long)-5);
	printf("[%o] [%x] [%X] [%#o] [%#x] [%#X]\n", 8, 2748, 2748, 8, 2748, 2748);
	printf("[%x] [%x] [%x] [%x]\n", (char)-1, (short)-1, -1, (long)-1);
	printf("[%hd] [%ho] [%hu] [%hx] [%hX] [%hi]\n", (short)-5, (uint16_t)8, (uint16_t)5, (uint16_t)171, (uint16_t)171, (short)-6);
	printf("[%ld] [%lo] [%lu] [%lx] [%lX] [%li]\n", (long)-5, (unsigned long)8, (unsigned long)5, (unsigned long)171,
	    (unsigned long)171, (long)-6);
	printf("[%lld] [%llo] [%llu] [%llx] [%llX] [%lli]\n", (long long)-5, (unsigned long long)8,
	    (unsigned long long)5, (unsigned long long)171, (unsigned long long)171, (long long)-6);
	printf("[%p] [%p] [%?p] [%?x]\n", (void *)4096, 4096, (void *)4096, 171);

	/* flags, width, precision */
	printf("[%6d] [%-6d] [%06d] [%+d] [% d] [%6.3d] [%.0d]\n", -5, -5, -5, 5, 5, 5, 5);
	printf("[%'d] [%#08x] [%*d] [%*d] [%.*d] [%*.*d]\n", 1234567, 171, 6, 7, -6, 7, 3, 7, 6, 3, 7);
	printf("[%6s] [%-6s] [%.2s] [%-6.1s] [%.0s] [%*s]\n", "abc", "abc", "abc", "abc", "abc", 5, "abc");

	/* characters and strings */
	printf("[%c] [%3c] [%-3c] [%C] [%C] [%C]\n", 'a', 'b', (char)'c', 'd', '\n', 0);
	printf("[%s] [%S] [%S]\n", text, text, "a\tb\001\\");
	printf("%% [%d%%]\n", 50);

	/* addresses and times; what is unknown stays a number */
	printf("[%a] [%8a] [%-8a]\n", (void *)16, (void *)16, (void *)16);
	printf("[%Y] [%Y] [%T]\n", 1075035600000000000, 1062590400000000000, 1075035600000000000);
	printf("no conversion\n");
	exit(0);
}
