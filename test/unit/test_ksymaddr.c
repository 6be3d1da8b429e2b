/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of symbols in texts like /proc/kallsyms and System.map. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sym/ksymaddr.h"

static const char kallsyms[] = "ffffffff81000000 T _text\n"
			       "ffffffff81000100 t first\n"
			       "ffffffff81000200 T vfs_read_iter\n"
			       "ffffffff81000300 T vfs_read\n"
			       "ffffffffc0000000 t init_module\t[one]\n"
			       "ffffffffc0001000 t init_module\t[two]\n"
			       "ffffffffc0002000 d one\t[two]\n"
			       "ffffffffc0003000 t last";
static const char map[] = "ffffffff80000000 T _text\n"
			  "ffffffff80500000 D jiffies\n"
			  "ffffffff80600000 D first\n";

static void check(const char *m, const char *module, const char *name, int err, uint64_t want)
{
	uint64_t addr = 0;

	assert_int_equal(ksym_address_in(kallsyms, m, module, name, &addr, NULL), err);
	if (!err)
		assert_int_equal(addr, want);
}

static void test_names(void **state)
{
	(void)state;
	check(NULL, NULL, "_text", 0, 0xffffffff81000000);
	check(NULL, NULL, "vfs_read", 0, 0xffffffff81000300);
	check(NULL, NULL, "read", -ENOENT, 0);
	check(NULL, NULL, "vfs", -ENOENT, 0);
	check(NULL, NULL, "", -ENOENT, 0);
	check(NULL, NULL, "T", -ENOENT, 0);
	check(NULL, NULL, "last", 0, 0xffffffffc0003000);
}

static void test_modules(void **state)
{
	(void)state;
	check(NULL, NULL, "init_module", 0, 0xffffffffc0000000);
	check(NULL, "two", "init_module", 0, 0xffffffffc0001000);
	check(NULL, "tw", "init_module", -ENOENT, 0);
	check(NULL, "vmlinux", "init_module", -ENOENT, 0);
	check(NULL, "kernel", "first", 0, 0xffffffff81000100);
	check(NULL, NULL, "one", 0, 0xffffffffc0002000);
}

static void test_module_of(void **state)
{
	uint64_t addr;
	char in[KSYM_MODULE_MAX];

	(void)state;
	assert_int_equal(ksym_address_in(kallsyms, NULL, NULL, "one", &addr, in), 0);
	assert_string_equal(in, "two");
	assert_int_equal(ksym_address_in(kallsyms, NULL, NULL, "vfs_read", &addr, in), 0);
	assert_string_equal(in, "vmlinux");
	assert_int_equal(ksym_address_in(kallsyms, map, NULL, "jiffies", &addr, in), 0);
	assert_string_equal(in, "vmlinux");
}

static void test_map(void **state)
{
	(void)state;
	check(map, NULL, "jiffies", 0, 0xffffffff81500000);
	check(map, "vmlinux", "jiffies", 0, 0xffffffff81500000);
	check(map, "two", "jiffies", -ENOENT, 0);
	check(map, NULL, "first", 0, 0xffffffff81000100);
	check(map, NULL, "nothing", -ENOENT, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_module_of),
		cmocka_unit_test(test_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
