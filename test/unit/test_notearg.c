/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of src/sym/notearg: operands of static probes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sym/notearg.h"

#define NOREG .reg = -1, .index = -1, .scale = 1

static const struct {
	const char *text;
	struct note_arg want;
} operands[] = {
	{ "-4@%eax",
	  { .kind = NOTE_ARG_REG,
	    .size = 4,
	    .is_signed = true,
	    .reg = 80,
	    .index = -1,
	    .scale = 1 } },
	{ "8@%r15", { .kind = NOTE_ARG_REG, .size = 8, .reg = 0, .index = -1, .scale = 1 } },
	{ "1@%ah",
	  { .kind = NOTE_ARG_REG, .size = 1, .shift = 8, .reg = 80, .index = -1, .scale = 1 } },
	{ "1@%sil", { .kind = NOTE_ARG_REG, .size = 1, .reg = 104, .index = -1, .scale = 1 } },
	{ "%rdi", { .kind = NOTE_ARG_REG, .size = 8, .reg = 112, .index = -1, .scale = 1 } },
	{ "-4@$-7", { .kind = NOTE_ARG_CONST, .size = 4, .is_signed = true, .value = -7, NOREG } },
	{ "8@$0xffffffffffffffff", { .kind = NOTE_ARG_CONST, .size = 8, .value = -1, NOREG } },
	{ "-4@112(%rsp)",
	  { .kind = NOTE_ARG_MEM,
	    .size = 4,
	    .is_signed = true,
	    .reg = 152,
	    .index = -1,
	    .scale = 1,
	    .value = 112 } },
	{ "8@(%rbp)", { .kind = NOTE_ARG_MEM, .size = 8, .reg = 32, .index = -1, .scale = 1 } },
	{ "2@-0x10(%r8,%r9,2)",
	  { .kind = NOTE_ARG_MEM, .size = 2, .reg = 72, .index = 64, .scale = 2, .value = -16 } },
	{ "8@4(,%rbx,8)",
	  { .kind = NOTE_ARG_MEM, .size = 8, .reg = -1, .index = 40, .scale = 8, .value = 4 } },
	{ "8@(%rax,%rbx)",
	  { .kind = NOTE_ARG_MEM, .size = 8, .reg = 80, .index = 40, .scale = 1 } },
	/* What cannot be read: 0, of the size that is told. */
	{ "8f@%xmm0", { .kind = NOTE_ARG_NONE, .size = 8, NOREG } },
	/* Of threads. */
	{ "4@%fs:-8", { .kind = NOTE_ARG_MEM, .size = 4, .value = -8, .segment = 'f', NOREG } },
	{ "4@%fs:0xfffffffffffffff8", { .kind = NOTE_ARG_MEM, .size = 4, .value = -8, .segment = 'f', NOREG } },
	{ "8@%gs:40", { .kind = NOTE_ARG_MEM, .size = 8, .value = 40, .segment = 'g', NOREG } },
	{ "8@%fs:-4(%rax,%rbx,8)",
	  { .kind = NOTE_ARG_MEM,
	    .size = 8,
	    .reg = 80,
	    .index = 40,
	    .scale = 8,
	    .value = -4,
	    .segment = 'f' } },
	{ "8@%fs:own@tpoff+16",
	  { .kind = NOTE_ARG_MEM, .size = 8, .value = 16, .segment = 'f', .symbol = "own", NOREG } },
	{ "8@%fs:", { .kind = NOTE_ARG_NONE, .size = 8, NOREG } },
	{ "8@%fs:own", { .kind = NOTE_ARG_NONE, .size = 8, NOREG } },
	{ "8@%fs:@tpoff", { .kind = NOTE_ARG_NONE, .size = 8, NOREG } },
	{ "8@%gs:own@tpoff", { .kind = NOTE_ARG_NONE, .size = 8, NOREG } },
	{ "8@%fs:8x", { .kind = NOTE_ARG_NONE, .size = 8, NOREG } },
	{ "8@%fs:%rax", { .kind = NOTE_ARG_NONE, .size = 8, NOREG } },
	{ "4@a+b(%rip)", { .kind = NOTE_ARG_NONE, .size = 4, NOREG } },
	{ "4@4-b(%rip)", { .kind = NOTE_ARG_NONE, .size = 4, NOREG } },
	{ "4@4+(%rip)", { .kind = NOTE_ARG_NONE, .size = 4, NOREG } },
	/* Symbols. */
	{ "4@counter(%rip)",
	  { .kind = NOTE_ARG_MEM,
	    .size = 4,
	    .reg = 128,
	    .index = -1,
	    .scale = 1,
	    .symbol = "counter" } },
	{ "4@counter.0+8(%rip)",
	  { .kind = NOTE_ARG_MEM,
	    .size = 4,
	    .reg = 128,
	    .index = -1,
	    .scale = 1,
	    .value = 8,
	    .symbol = "counter.0" } },
	{ "4@-8+counter(%rip)",
	  { .kind = NOTE_ARG_MEM,
	    .size = 4,
	    .reg = 128,
	    .index = -1,
	    .scale = 1,
	    .value = -8,
	    .symbol = "counter" } },
	{ "8@table(,%rbx,8)",
	  { .kind = NOTE_ARG_MEM,
	    .size = 8,
	    .reg = -1,
	    .index = 40,
	    .scale = 8,
	    .symbol = "table" } },
	{ "8@$table+16",
	  { .kind = NOTE_ARG_CONST, .size = 8, NOREG, .value = 16, .symbol = "table" } },
	{ "4@%eaxx", { .kind = NOTE_ARG_NONE, .size = 4, NOREG } },
	{ "4@", { .kind = NOTE_ARG_NONE, .size = 4, NOREG } },
	{ "4@$", { .kind = NOTE_ARG_NONE, .size = 4, NOREG } },
	{ "4@$1x", { .kind = NOTE_ARG_NONE, .size = 4, NOREG } },
	{ "4@(%rax", { .kind = NOTE_ARG_NONE, .size = 4, NOREG } },
	{ "4@(%rax,%rbx,3)", { .kind = NOTE_ARG_NONE, .size = 4, NOREG } },
	{ "4@(%rax,%rbx,", { .kind = NOTE_ARG_NONE, .size = 4, NOREG } },
	{ "3@%eax", { .kind = NOTE_ARG_NONE, .size = 8, NOREG } },
	{ "@%eax", { .kind = NOTE_ARG_NONE, .size = 8, NOREG } },
};

static void test_operands(void **state)
{
	struct note_arg got[NOTE_ARGS];

	(void)state;
	for (size_t i = 0; i < sizeof(operands) / sizeof(operands[0]); i++) {
		const struct note_arg *w = &operands[i].want;

		assert_int_equal(note_args_parse(operands[i].text, got), 1);
		if (!note_arg_same(&got[0], w))
			fail_msg("%s: kind %d size %d signed %d reg %d index %d scale %d shift %d value %ld",
				 operands[i].text, got[0].kind, got[0].size, got[0].is_signed, got[0].reg,
				 got[0].index, got[0].scale, got[0].shift, (long)got[0].value);
	}
}

static void test_symbols(void **state)
{
	struct note_arg a[NOTE_ARGS];

	(void)state;
	assert_int_equal(note_args_parse("4@n+8(%rip) 8@$n 8@n(,%rbx,8) 4@n(%rip)", a), 4);
	note_arg_resolve(&a[0], 0x4000, 0x1000, false);
	assert_int_equal(a[0].kind, NOTE_ARG_MEM);
	assert_int_equal(a[0].value, 0x3008);
	assert_string_equal(a[0].symbol, "");
	note_arg_resolve(&a[1], 0x4000, 0x1000, true);
	assert_int_equal(a[1].kind, NOTE_ARG_CONST);
	assert_int_equal(a[1].value, 0x4000);
	/* Where the program can be anywhere, the address is not a number. */
	note_arg_resolve(&a[2], 0x4000, 0x1000, false);
	assert_int_equal(a[2].kind, NOTE_ARG_NONE);
	note_arg_resolve(&a[3], 0, 0x1000, true);
	assert_int_equal(a[3].kind, NOTE_ARG_NONE);
	assert_int_equal(a[3].size, 4);
}

static void test_lists(void **state)
{
	struct note_arg got[NOTE_ARGS];
	char text[400];

	(void)state;
	assert_int_equal(note_args_parse("", got), 0);
	assert_int_equal(note_args_parse("  ", got), 0);
	assert_int_equal(note_args_parse("8@%rax -4@$5  1@(%rbx)", got), 3);
	assert_int_equal(got[1].value, 5);
	assert_int_equal(got[2].kind, NOTE_ARG_MEM);
	assert_int_equal(note_args_parse("1 2 3 4 5 6 7 8 9 10 11 12", got), NOTE_ARGS);
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	assert_int_equal(note_args_parse(text, got), 1);
	assert_int_equal(got[0].kind, NOTE_ARG_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
