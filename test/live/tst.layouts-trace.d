/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: trace() of every type, with the line of the probe and without; dumps; text and symbols; which clauses have a line
 * @@flags: -x rawbytes=no
 * @@filter: s/^ *[0-9]* \( *[0-9]* *:[A-Z]\)/ CPU \1/
 */
struct pair {
	int number;
	char letter;
};
struct pair pair;
char text[20], bytes[18];

/* One value a line, in the widths of its type. */
BEGIN { trace((int8_t)-1); }
BEGIN { trace((uint8_t)-1); }
BEGIN { trace((int16_t)-1); }
BEGIN { trace((uint16_t)-1); }
BEGIN { trace((int32_t)-1); }
BEGIN { trace((uint32_t)-1); }
BEGIN { trace((int64_t)-1); }
BEGIN { trace((uint64_t)-1); }
BEGIN { trace((void *)16); }
BEGIN { trace(7); }
BEGIN { trace("a"); trace("this is longer than the thirty-three columns"); trace(" %should work.\n"); }
BEGIN { text[0] = 'b'; text[1] = 's'; trace(text); }
BEGIN { bytes[0] = 1; bytes[17] = 'z'; trace(bytes); }
BEGIN { pair.number = 5; pair.letter = 'x'; trace(pair); }
BEGIN { tracemem(bytes, 4); tracemem(bytes, 18, 17); }
BEGIN { sym(1); mod(1); uaddr(1); }
BEGIN { printf("hi\n"); }
BEGIN { printf("two "); trace(1); printf(" three"); }

/* No statement: a line of its own. Statements that record nothing: none. */
BEGIN { }
BEGIN { x = 1; }
BEGIN { @ = count(); }

/* Without lines and widths. */
BEGIN
{
	setopt("quiet");
	trace((int8_t)-1);
	trace((uint16_t)-1);
	trace(-1);
	trace((uint64_t)-1);
	trace("a");
	trace(text);
	trace(bytes);
	printf("\n");
}

/* And again with them, everything a dump. */
BEGIN { setopt("quiet", "no"); setopt("rawbytes"); trace("a"); }
BEGIN { trace(text); }
BEGIN { exit(0); }
