/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The builder of the intermediate representation, by its dump; and the disassembly of what
 * becomes of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "codegen/bpf.h"

static const int fds[CG_MAP_MAX] = { 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 };

static void dump_check(struct ir *ir, const char *want)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	ir_dump(ir, out);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
}

static void disasm_check(struct ir *ir, const char *want)
{
	struct bpf_code code;
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	assert_int_equal(bpf_assemble(ir, "a:b-c", fds, &code), 0);
	assert_int_equal(code.nfuncs, 1 + ir->funcs.n);
	bpf_disasm(&code, out);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
	bpf_code_free(&code);
}

/* All that the IR has. */
static void test_dump(void **state)
{
	struct arena *arena = arena_create();
	vreg ctx, a, b, c, p, s;
	struct ir ir;
	label l;

	(void)state;
	ir_init(&ir, arena);
	l = ir_label(&ir);
	ctx = ir_arg(&ir, 0);
	ir_comment(&ir, "argument %d", 0);
	a = ir_load(&ir, 4, ctx, -8);
	b = ir_imm(&ir, 0x123456789a);
	c = ir_mov(&ir, a);
	ir_alu(&ir, IR_SUB, c, b);
	ir_alui(&ir, IR_SAR, c, 3);
	ir_alui(&ir, IR_AND, c, 0xffffffffu); /* no immediate: it would be sign-extended */
	ir_alui(&ir, IR_UDIV, c, 0);
	ir_alui(&ir, IR_SHL, c, 64);
	ir_neg(&ir, c);
	ir_ext(&ir, c, 2, true);
	ir_ext(&ir, c, 8, true);
	ir_bswap(&ir, c, 4);
	p = ir_mapval(&ir, CG_MAP_CPUS, 256);
	ir_store(&ir, 2, p, 6, c);
	ir_storei(&ir, 8, p, 8, -1);
	ir_storei(&ir, 8, p, 8, 0xffffffffu);
	ir_storei(&ir, 4, p, 8, 0xffffffffu);
	ir_atomic(&ir, IR_ATOMIC_OR, p, 16, c);
	ir_fetch_add(&ir, p, 16, c);
	ir_xchg(&ir, p, 16, c);
	ir_cmpxchg(&ir, p, 16, a, c);
	s = ir_stack_alloc(&ir, 12);
	ir_store(&ir, 8, ir_stack(&ir, s), 0, c);
	ir_call(&ir, 5, 0);
	ir_callrt(&ir, "rt_sdiv", 2, a, b);
	ir_map_elem(&ir, CG_MAP_FRAMES, a, l);
	ir_jcc(&ir, IR_SLE, a, b, l);
	ir_jcci(&ir, IR_UGT, a, 0xffffffffu, l);
	ir_jmp(&ir, l);
	ir_place(&ir, l);
	ir_exit(&ir, 0);
	dump_check(&ir, "\tv0 = ctx\n"
			"\t; argument 0\n"
			"\tv1 = u32[v0 - 8]\n"
			"\tv2 = 0x123456789a\n"
			"\tv3 = v1\n"
			"\tv3 -= v2\n"
			"\tv3 s>>= 3\n"
			"\tv4 = 0xffffffff\n"
			"\tv3 &= v4\n"
			"\tv5 = 0\n"
			"\tv3 u/= v5\n"
			"\tv6 = 64\n"
			"\tv3 <<= v6\n"
			"\tv3 = -v3\n"
			"\tv3 = s16 v3\n"
			"\tv3 = bswap32 v3\n"
			"\tv7 = &cpus[256]\n"
			"\tu16[v7 + 6] = v3\n"
			"\tu64[v7 + 8] = -1\n"
			"\tv8 = 0xffffffff\n"
			"\tu64[v7 + 8] = v8\n"
			"\tu32[v7 + 8] = -1\n"
			"\tatomic u64[v7 + 16] |= v3\n"
			"\tv9 = fetch_add u64[v7 + 16], v3\n"
			"\tv10 = exchange u64[v7 + 16], v3\n"
			"\tv11 = cmpxchg u64[v7 + 16], v1 -> v3\n"
			"\tv12 = fp - 16\n"
			"\tu64[v12 + 0] = v3\n"
			"\tv13 = helper#5()\n"
			"\tv14 = rt_sdiv(v1, v2)\n"
			"\tv15 = fp - 0\n"
			"\tu32[v15 - 24] = v1\n"
			"\tv16 = map frames\n"
			"\tv17 = fp - 24\n"
			"\tv18 = helper#1(v16, v17)\n"
			"\tif v18 == 0 goto L0\n"
			"\tif v1 s<= v2 goto L0\n"
			"\tv19 = 0xffffffff\n"
			"\tif v1 u> v19 goto L0\n"
			"\tgoto L0\n"
			"L0:\n"
			"\treturn 0\n");
	ir_destroy(&ir);
	arena_destroy(arena);
}

static void test_errors_stick(void **state)
{
	struct arena *arena = arena_create();
	struct bpf_code code;
	struct ir ir;

	(void)state;
	ir_init(&ir, arena);
	ir_mapval(&ir, CG_MAP_GLOBALS, -1);
	ir_mapval(&ir, CG_MAP_GLOBALS, -2);
	ir_exit(&ir, 0);
	assert_int_equal(ir.error, -E2BIG);
	assert_string_equal(ir.error_text, "an offset is out of the range of a map");
	assert_int_equal(bpf_assemble(&ir, "x", fds, &code), -E2BIG);
	assert_null(code.insns);
	ir_destroy(&ir);
	arena_destroy(arena);
}

/* Instructions have 16 bits for an offset. */
static void test_far(void **state)
{
	struct arena *arena = arena_create();
	struct ir ir;
	vreg p, v;

	(void)state;
	ir_init(&ir, arena);
	p = ir_arg(&ir, 0);
	v = ir_load(&ir, 8, p, 32767);
	v = ir_load(&ir, 8, p, 32768);
	ir_store(&ir, 4, p, 40000, v);
	ir_storei(&ir, 4, p, -32769, 7);
	ir_atomic(&ir, IR_ATOMIC_ADD, p, 50000, v);
	ir_fetch_add(&ir, p, 60000, v);
	ir_exit(&ir, 0);
	dump_check(&ir, "\tv0 = ctx\n"
			"\tv1 = u64[v0 + 32767]\n"
			"\tv3 = v0\n"
			"\tv3 += 32768\n"
			"\tv2 = u64[v3 + 0]\n"
			"\tv4 = v0\n"
			"\tv4 += 40000\n"
			"\tu32[v4 + 0] = v2\n"
			"\tv5 = v0\n"
			"\tv5 += -32769\n"
			"\tu32[v5 + 0] = 7\n"
			"\tv6 = v0\n"
			"\tv6 += 50000\n"
			"\tatomic u64[v6 + 0] += v2\n"
			"\tv7 = v0\n"
			"\tv7 += 60000\n"
			"\tv8 = fetch_add u64[v7 + 0], v2\n"
			"\treturn 0\n");
	ir_destroy(&ir);
	arena_destroy(arena);
}

/* A count: the element is found, its word incremented. What has no effect is left out. */
static void test_disasm(void **state)
{
	struct arena *arena = arena_create();
	struct ir ir;
	label l, unused;
	vreg p, one;

	(void)state;
	ir_init(&ir, arena);
	l = ir_label(&ir);
	unused = ir_label(&ir);
	ir_arg(&ir, 0);
	ir_imm(&ir, 99);
	ir_comment(&ir, "this CPU's half");
	p = ir_map_elem(&ir, CG_MAP_AGGS, ir_call(&ir, 8, 0), l);
	one = ir_imm(&ir, 1);
	ir_fetch_add(&ir, p, 64, one);
	ir_jmp(&ir, l);
	ir_place(&ir, unused);
	ir_exit(&ir, 7);
	ir_place(&ir, l);
	ir_exit(&ir, 0);
	disasm_check(&ir, "a_b_c:\n"
			  "\t; this CPU's half\n"
			  "   0: call helper#8\n"
			  "   1: u32(r10 -8) = r0\n"
			  "   2: r1 = map fd 7\n"
			  "   4: r2 = r10\n"
			  "   5: r2 += -8\n"
			  "   6: call helper#1\n"
			  "   7: if r0 == 0 goto 10\n"
			  "   8: r1 = 1\n"
			  "   9: atomic u64(r0 +64) += r1\n"
			  "  10: r0 = 0\n"
			  "  11: exit\n");
	ir_destroy(&ir);
	arena_destroy(arena);
}

/* A function stands behind the program, with registers and a stack of its own; its calls are resolved. */
static void test_function(void **state)
{
	struct arena *arena = arena_create();
	struct ir_func *f;
	struct ir ir;
	vreg first, sum, third;

	(void)state;
	ir_init(&ir, arena);
	f = ir_func_add(&ir, "half");
	f->nargs = 3;
	ir_arg(&f->ir, 0);
	sum = ir_arg(&f->ir, 1);
	third = ir_arg(&f->ir, 2);
	assert_false(ir_reads(&f->ir, third));
	ir_call(&f->ir, 8, 0);
	ir_alu(&f->ir, IR_ADD, sum, third);
	ir_store(&f->ir, 8, ir_stack(&f->ir, ir_stack_alloc(&f->ir, 8)), 0, sum);
	assert_true(ir_reads(&f->ir, third));
	ir_exit(&f->ir, 0);
	first = ir_imm(&ir, 1);
	sum = ir_imm(&ir, 2);
	third = ir_imm(&ir, 3);
	ir_callrt(&ir, "half", 3, first, sum, third);
	ir_exit(&ir, 0);
	disasm_check(&ir, "a_b_c:\n"
			  "   0: r1 = 1\n"
			  "   1: r2 = 2\n"
			  "   2: r3 = 3\n"
			  "   3: call 6\n"
			  "   4: r0 = 0\n"
			  "   5: exit\n"
			  "half:\n"
			  "   6: r6 = r2\n"
			  "   7: r7 = r3\n"
			  "   8: call helper#8\n"
			  "   9: r6 += r7\n"
			  "  10: u64(r10 -8) = r6\n"
			  "  11: r0 = 0\n"
			  "  12: exit\n");
	ir_destroy(&ir);
	arena_destroy(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dump),
		cmocka_unit_test(test_errors_stick), cmocka_unit_test(test_far),
		cmocka_unit_test(test_disasm),
		cmocka_unit_test(test_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
