/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of src/sym/insn: lengths of instructions, what can bear a probe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sym/insn.h"

/* Encodings, each followed by bytes of another instruction. */
static const struct {
	const char *hex;
	int probeable;
} insns[] = {
	{"55", 1},			   /* push %rbp */
	{"4889e5", 1},			   /* mov %rsp,%rbp */
	{"48b88877665544332211", 1},	   /* movabs */
	{"66b83412", 1},		   /* mov $0x1234,%ax */
	{"b878563412", 1},
	{"e878563412", 1},		   /* call */
	{"0f8578563412", 1},		   /* jne */
	{"488d0578563412", 1},		   /* lea x(%rip) */
	{"488d8424c0000000", 1},	   /* lea 0xc0(%rsp): SIB and disp32 */
	{"8b0c8d78563412", 1},		   /* SIB without base */
	{"8b4c2404", 1},		   /* SIB and disp8 */
	{"f64601ff", 1},		   /* testb has an immediate */
	{"f75001", 1},			   /* notl has none */
	{"f7c078563412", 1},		   /* test imm32 */
	{"66f7c03412", 1},		   /* test imm16 */
	{"f30f1efa", 1},		   /* endbr64 */
	{"660f1f840000000000", 1},	   /* nopw */
	{"c8100001", 1},		   /* enter */
	{"a18877665544332211", 1},	   /* mov from an absolute address */
	{"64488b042528000000", 1},	   /* mov %fs:0x28,%rax */
	{"f2480f2ac0", 1},
	{"660f3a0fc108", 1},		   /* palignr: 0f 3a with an immediate */
	{"660f3800c1", 1},		   /* pshufb: 0f 38 */
	{"c5f877", 1},			   /* vzeroupper */
	{"c5f96fc1", 0},		   /* vmovdqa: 6f is outs without its prefix */
	{"c5f82ec1", 1},		   /* vucomiss */
	{"c5f1efc9", 0},		   /* vpxor */
	{"c5f857c0", 1},		   /* vxorps */
	{"c4e27d78c0", 1},		   /* vpbroadcastb */
	{"c4e37d39c101", 1},		   /* vextracti128 with an immediate */
	{"62f17c4828c1", 1},		   /* vmovaps zmm */
	{"62f37d4839c101", 1},		   /* vextracti32x4 */
	{"f048ff07", 0},		   /* lock incq */
	{"f0480fb117", 0},		   /* lock cmpxchg */
	{"cc", 0},
	{"f4", 0},
};

static size_t bytes_of(const char *hex, uint8_t *out)
{
	size_t n = strlen(hex) / 2;
	unsigned int b;

	for (size_t i = 0; i < n; i++) {
		sscanf(hex + 2 * i, "%2x", &b);
		out[i] = b;
	}
	return n;
}

static void test_lengths(void **state)
{
	uint8_t code[32];

	(void)state;
	for (size_t i = 0; i < sizeof(insns) / sizeof(insns[0]); i++) {
		size_t n = bytes_of(insns[i].hex, code);

		memset(code + n, 0x90, sizeof(code) - n);
		if (insn_length(code, sizeof(code)) != n)
			fail_msg("%s: %zu", insns[i].hex, insn_length(code, sizeof(code)));
		if (insn_probeable(code, sizeof(code)) != insns[i].probeable)
			fail_msg("%s: probeable %d", insns[i].hex, !insns[i].probeable);
		/* Cut short it is no instruction, and nothing behind the end is read. */
		for (size_t k = 0; k < n; k++)
			assert_int_equal(insn_length(code, k), 0);
	}
}

static void test_refused(void **state)
{
	static const char *const bad[] = {"06", "60", "9a", "ea", "d4", "0f04", "0f0a"};
	uint8_t code[16];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		size_t n = bytes_of(bad[i], code);

		memset(code + n, 0, sizeof(code) - n);
		assert_int_equal(insn_length(code, sizeof(code)), 0);
		assert_false(insn_probeable(code, sizeof(code)));
	}
	memset(code, 0x66, sizeof(code)); /* prefixes without end */
	assert_int_equal(insn_length(code, sizeof(code)), 0);
}

static void test_landing_pad(void **state)
{
	static const uint8_t pad[] = {0xf3, 0x0f, 0x1e, 0xfa, 0x55}, none[] = {0x55, 0x48, 0x89, 0xe5};

	(void)state;
	assert_int_equal(insn_landing_pad(pad, sizeof(pad)), 4);
	assert_int_equal(insn_landing_pad(pad, 3), 0);
	assert_int_equal(insn_landing_pad(none, sizeof(none)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_landing_pad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
