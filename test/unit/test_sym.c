/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of src/sym: kernel symbols. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sym/kallsyms.h"

static void test_kallsyms(void **state)
{
	static const char text[] = "ffffffff81000000 T _stext\n"
				   "ffffffff81000010 T __pfx_first\n"
				   "ffffffff81000020 t alias\n"
				   "ffffffff81000020 T first\n"
				   "ffffffff81000020 W weak\n"
				   "ffffffff81000040 D data\n"
				   "ffffffff81000080 t last\n"
				   "ffffffffc0002000 t two\t[mod_b]\n"
				   "ffffffffc0001000 t one\t[mod_a]\n"
				   "ffffffffc0001800 t one_b\t[mod_a]\n"
				   "ffffffffc0009000 t cut";
	struct ksyms *k;
	struct ksym s;

	(void)state;
	assert_int_equal(ksyms_parse(&k, text, strlen(text)), 0);
	assert_int_equal(ksyms_count(k), 6);
	assert_int_equal(ksyms_find(k, 0xffffffff80ffffff, &s), -ENOENT);
	assert_int_equal(ksyms_find(k, 0xffffffff8100001f, &s), 0);
	assert_string_equal(s.name, "_stext");
	assert_int_equal(ksyms_find(k, 0xffffffff81000055, &s), 0);
	assert_string_equal(s.name, "first");
	assert_string_equal(s.module, "vmlinux");
	assert_int_equal(s.end, 0xffffffff81000080);
	assert_int_equal(ksyms_find(k, 0xffffffffc0001fff, &s), 0);
	assert_string_equal(s.name, "one_b");
	assert_string_equal(s.module, "mod_a");
	assert_int_equal(s.end, 0);
	assert_int_equal(ksyms_find(k, 0xffffffffc0002000, &s), 0);
	assert_string_equal(s.module, "mod_b");
	/* Far behind the last function of a module. */
	assert_int_equal(ksyms_find(k, 0xffffffffd0000000, &s), -ENOENT);
	assert_int_equal(ksyms_find(k, 0xffffffff82000000, &s), -ENOENT);
	assert_int_equal(ksyms_lookup(k, "two", &s), 0);
	assert_int_equal(s.addr, 0xffffffffc0002000);
	assert_int_equal(ksyms_lookup(k, "alias", &s), -ENOENT);
	assert_int_equal(ksyms_module_start(k, "mod_a"), 0xffffffffc0001000);
	assert_int_equal(ksyms_module_start(k, "mod_c"), 0);
	ksyms_destroy(k);
	ksyms_destroy(NULL);
}

static void test_kallsyms_hidden(void **state)
{
	static const char text[] = "0000000000000000 T _stext\n0000000000000000 T first\n";
	struct ksyms *k = NULL;

	(void)state;
	assert_int_equal(ksyms_parse(&k, text, strlen(text)), -EPERM);
	assert_int_equal(ksyms_parse(&k, "", 0), -EPERM);
	assert_null(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kallsyms),
		cmocka_unit_test(test_kallsyms_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
