/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: an index with a large constant in it is an index for all verifiers
 * @@needs: root bpf
 * @@flags: -q
 */
char text[8];
this char part[8];
self int64_t far;
self uint64_t under;
string words[string];

BEGIN
{
	self->far = 2147483649;
	self->under = -2147483640;
	text[2] = 'a';
	text[self->far + -2147483647]++;
	printf("%c\n", text[self->far - 2147483647]);
	this->part[self->under + 2147483647] = 'x';
	printf("%c\n", this->part[self->under + 2147483647]);
	words["w"] = "word";
	words["w"][self->far + -2147483647] = 'o';
	printf("%s %c\n", words["w"], words["w"][self->under + 2147483640]);
	i = 3;
	printf("%d\n", "abcdefgh"[self->far + (i - 2147483647)] == 'f');
}

BEGIN
{
	text[self->far + 2147483647] = 1;
}

ERROR
{
	printf("%d\n", arg4 == DTRACEFLT_BADINDEX);
	exit(0);
}
