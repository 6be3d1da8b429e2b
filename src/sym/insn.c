/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lengths of x86-64 instructions: prefixes, opcode, ModRM, SIB, displacement, immediate. What an
 * instruction does is of no interest, so that a table of what follows each opcode is all there is.
 */
#include "sym/insn.h"

#include <string.h>

enum { /* what follows an opcode */
	NONE = 0,
	M = 1,	/* ModRM, with what it asks for */
	B = 2,	/* 1 byte */
	W = 4,	/* 2 bytes */
	Z = 8,	/* 4 bytes; 2 with the operand-size prefix */
	D = 16, /* 4 bytes in any case */
	V = 32, /* as Z; 8 with REX.W */
	O = 64, /* an address: 8 bytes, 4 with the address-size prefix */
	X = 128 /* no instruction in 64-bit mode, or an escape handled before */
};

#define ROW_ALU M, M, M, M, B, Z, X, X
#define R8(v) v, v, v, v, v, v, v, v

static const uint8_t one_byte[256] = {
	ROW_ALU, ROW_ALU, ROW_ALU, ROW_ALU, ROW_ALU, ROW_ALU, ROW_ALU, ROW_ALU, /* 00 */
	R8(X), R8(X), R8(NONE), R8(NONE),					/* 40 */
	X, X, X, M, X, X, X, X, Z, M | Z, B, M | B, NONE, NONE, NONE, NONE,	/* 60 */
	R8(B), R8(B),								/* 70 */
	M | B, M | Z, X, M | B, M, M, M, M, R8(M),				/* 80 */
	R8(NONE), NONE, NONE, X, NONE, NONE, NONE, NONE, NONE,			/* 90 */
	O, O, O, O, NONE, NONE, NONE, NONE, B, Z, NONE, NONE, NONE, NONE, NONE, NONE,
	R8(B), R8(V),								/* b0 */
	M | B, M | B, W, NONE, X, X, M | B, M | Z, W | B, NONE, W, NONE, NONE, B, X, NONE,
	M, M, M, M, X, X, X, NONE, R8(M),					/* d0 */
	B, B, B, B, B, B, B, B, D, D, X, B, NONE, NONE, NONE, NONE,		/* e0 */
	X, NONE, X, X, NONE, NONE, M, M, NONE, NONE, NONE, NONE, NONE, NONE, M, M,
};

static const uint8_t two_byte[256] = { /* behind 0f */
	M, M, M, M, X, NONE, NONE, NONE, NONE, NONE, X, NONE, X, M, NONE, M | B,
	R8(M), R8(M),								/* 10 */
	M, M, M, M, X, X, X, X, R8(M),						/* 20 */
	NONE, NONE, NONE, NONE, NONE, NONE, X, NONE, X, X, X, X, X, X, X, X,	/* 30 */
	R8(M), R8(M), R8(M), R8(M), R8(M), R8(M),				/* 40 */
	M | B, M | B, M | B, M | B, M, M, M, NONE, R8(M),			/* 70 */
	R8(D), R8(D), R8(M), R8(M),						/* 80 */
	NONE, NONE, NONE, M, M | B, M, X, X, NONE, NONE, NONE, M, M | B, M, M, M,
	R8(M), M, M, M | B, M, M, M, M, M,					/* b0 */
	M, M, M | B, M, M | B, M | B, M | B, M, R8(NONE),			/* c0 */
	R8(M), R8(M), R8(M), R8(M), R8(M), R8(M),				/* d0 */
};

_Static_assert(sizeof(one_byte) == 256 && sizeof(two_byte) == 256, "a row an opcode");

struct cursor {
	const uint8_t *code;
	size_t n, at;
	bool bad;
};

static uint8_t next(struct cursor *c)
{
	if (c->at < c->n)
		return c->code[c->at++];
	c->bad = true;
	return 0;
}

static uint8_t modrm(struct cursor *c)
{
	uint8_t m = next(c), mod = m >> 6, rm = m & 7;
	bool disp32 = mod == 2 || (mod == 0 && rm == 5);

	if (mod == 3)
		return m;
	if (rm == 4) {
		uint8_t sib = next(c);

		disp32 |= mod == 0 && (sib & 7) == 5;
	}
	c->at += disp32 ? 4 : mod == 1 ? 1 : 0;
	return m;
}

struct prefixes {
	bool operand16, addr32, rexw, lock;
};

static uint8_t prefixes(struct cursor *c, struct prefixes *p)
{
	uint8_t b;

	for (;;) {
		b = next(c);
		switch (b) {
		case 0x66: p->operand16 = true; continue;
		case 0x67: p->addr32 = true; continue;
		case 0xf0: p->lock = true; continue;
		case 0x26: case 0x2e: case 0x36: case 0x3e:
		case 0x64: case 0x65: case 0xf2: case 0xf3: continue;
		}
		if ((b & 0xf0) != 0x40 || c->bad)
			return b;
		/* REX counts right before the opcode only; compilers put it nowhere else. */
		p->rexw = b & 8;
		b = next(c);
		if (b != 0x66 && b != 0x67 && b != 0xf0 && b != 0xf2 && b != 0xf3 && (b & 0xf0) != 0x40)
			return b;
		c->at--;
		p->rexw = false;
	}
}

static void operands(struct cursor *c, uint8_t what, const struct prefixes *p)
{
	if (what & M)
		modrm(c);
	if (what & B)
		c->at += 1;
	if (what & W)
		c->at += 2;
	if (what & Z)
		c->at += p->operand16 && !p->rexw ? 2 : 4;
	if (what & D)
		c->at += 4;
	if (what & V)
		c->at += p->rexw ? 8 : p->operand16 ? 2 : 4;
	if (what & O)
		c->at += p->addr32 ? 4 : 8;
	if (what & X)
		c->bad = true;
}

/* VEX and EVEX: the map is named in the prefix; sizes are never changed by other prefixes. */
static void vector(struct cursor *c, unsigned int map)
{
	const struct prefixes none = {0};
	uint8_t op = next(c);

	if (map == 1)
		operands(c, two_byte[op] & D ? M : two_byte[op], &none);
	else if (map == 3)
		operands(c, M | B, &none);
	else if (map == 2 || map == 5 || map == 6)
		operands(c, M, &none);
	else
		c->bad = true;
}

static void xop(struct cursor *c, unsigned int map)
{
	const struct prefixes none = {0};

	next(c);
	next(c);
	operands(c, M | (map == 8 ? B : map == 10 ? D : 0), &none);
}

static void opcode(struct cursor *c, uint8_t op, const struct prefixes *p)
{
	uint8_t b;

	switch (op) {
	case 0x0f:
		op = next(c);
		if (op == 0x38 || op == 0x3a) {
			next(c);
			operands(c, op == 0x38 ? M : M | B, p);
		} else {
			operands(c, two_byte[op], p);
		}
		return;
	case 0xc5:
		next(c);
		vector(c, 1);
		return;
	case 0xc4:
		b = next(c);
		next(c);
		vector(c, b & 31);
		return;
	case 0x62:
		b = next(c);
		next(c);
		next(c);
		vector(c, b & 7);
		return;
	case 0x8f:
		b = next(c);
		if ((b & 31) >= 8) {
			xop(c, b & 31);
			return;
		}
		c->at--;
		break;
	case 0xf6:
	case 0xf7: /* test has an immediate, the others have none */
		b = modrm(c) >> 3 & 7;
		if (b < 2)
			operands(c, op == 0xf6 ? B : Z, p);
		return;
	}
	operands(c, one_byte[op], p);
}

size_t insn_length(const uint8_t *code, size_t n)
{
	struct cursor c = {.code = code, .n = n < 15 ? n : 15};
	struct prefixes p = {0};
	uint8_t op = prefixes(&c, &p);

	opcode(&c, op, &p);
	return c.bad || c.at > c.n ? 0 : c.at;
}

/*
 * Opcodes that the kernel has no use for: breakpoints, ports, halt, and what is none in 64-bit mode. It looks up the opcode of
 * a vector instruction in the same table, so that vpxor (ef) is refused as out.
 */
static bool opcode_refused(uint8_t op)
{
	static const uint8_t refused[] = {
		0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37, 0x3f, 0x60, 0x61, 0x62, 0x6c, 0x6d,
		0x6e, 0x6f, 0x82, 0x9a, 0xc4, 0xc5, 0xcc, 0xcd, 0xce, 0xd4, 0xd5, 0xd6, 0xe4, 0xe5, 0xe6, 0xe7,
		0xea, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf4, 0xfa, 0xfb,
	};

	return memchr(refused, op, sizeof(refused));
}

bool insn_probeable(const uint8_t *code, size_t n)
{
	struct cursor c = {.code = code, .n = n < 15 ? n : 15};
	struct prefixes p = {0};
	uint8_t op = prefixes(&c, &p);

	if (c.bad || !insn_length(code, n) || p.lock)
		return false;
	switch (op) {
	case 0x0f: return true;
	case 0xc5: return !opcode_refused(code[c.at + 1]);
	case 0xc4: return !opcode_refused(code[c.at + 2]);
	case 0x62: return !opcode_refused(code[c.at + 3]);
	}
	return !opcode_refused(op);
}

size_t insn_landing_pad(const uint8_t *code, size_t n)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

	return n >= sizeof(endbr64) && !memcmp(code, endbr64, sizeof(endbr64)) ? sizeof(endbr64) : 0;
}
