/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: structures as keys are told apart by their bytes, and shown so; at the end in the order of the program
 * @@flags: -q
 */
struct pair {
	int number;
	char letter;
};
struct pair v;

BEGIN
{
	v.number = 5;
	v.letter = 'x';
	@last[v, "string"] = sum(3);
	@first[v] = count();
	v.letter = 'y';
	@first[v] = count();
	@first[v] = count();
	v.number = -1;
	@last[v, "string"] = sum(-3);
	exit(0);
}
