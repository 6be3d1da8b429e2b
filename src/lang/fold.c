/* SPDX-License-Identifier: BSD-2-Clause */
/* Arithmetic on constants: 64-bit patterns. */
#include "lang/check_impl.h"

uint64_t fold_cut(uint64_t v, struct type *t)
{
	struct type *r = type_resolve(t);
	unsigned int bits = r->size * 8;

	if (!type_is_integer(r) || !bits || bits >= 64)
		return v;
	v &= (1ull << bits) - 1;
	if (r->is_signed && (v >> (bits - 1)))
		v |= ~0ull << bits;
	return v;
}

static bool divide(enum op op, uint64_t a, uint64_t b, bool is_signed, uint64_t *out)
{
	if (!b)
		return false;
	if (!is_signed)
		*out = op == OP_DIV ? a / b : a % b;
	else if (b == UINT64_MAX) /* the most negative value has no opposite */
		*out = op == OP_DIV ? -a : 0;
	else
		*out = op == OP_DIV ? (uint64_t)((int64_t)a / (int64_t)b)
				    : (uint64_t)((int64_t)a % (int64_t)b);
	return true;
}

static bool less(uint64_t a, uint64_t b, bool is_signed)
{
	return is_signed ? (int64_t)a < (int64_t)b : a < b;
}

bool fold_binary(enum op op, uint64_t a, uint64_t b, bool is_signed, uint64_t *out)
{
	switch (op) {
	case OP_ADD: *out = a + b; break;
	case OP_SUB: *out = a - b; break;
	case OP_MUL: *out = a * b; break;
	case OP_DIV:
	case OP_MOD: return divide(op, a, b, is_signed, out);
	case OP_AND: *out = a & b; break;
	case OP_OR: *out = a | b; break;
	case OP_XOR: *out = a ^ b; break;
	case OP_SHL: *out = a << (b & 63); break;
	case OP_SHR: *out = a >> (b & 63); break;
	case OP_EQ: *out = a == b; break;
	case OP_NE: *out = a != b; break;
	case OP_LT: *out = less(a, b, is_signed); break;
	case OP_LE: *out = !less(b, a, is_signed); break;
	case OP_GT: *out = less(b, a, is_signed); break;
	case OP_GE: *out = !less(a, b, is_signed); break;
	case OP_LAND: *out = a && b; break;
	case OP_LOR: *out = a || b; break;
	case OP_LXOR: *out = !a != !b; break;
	default: return false;
	}
	return true;
}

uint64_t fold_unary(enum op op, uint64_t v)
{
	switch (op) {
	case OP_NEG: return -v;
	case OP_NOT: return !v;
	case OP_COMPL: return ~v;
	default: return v;
	}
}
